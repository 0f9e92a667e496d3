"""Errors for invalid arguments of array functions."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar

from eqsat.array.data import collect_params
from eqsat.errors import BuildError, EqsatError, UnknownValueError, brief
from eqsat.uop import UOp

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def array_function(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Decorates an array function: a Python error caused by invalid arguments becomes a BuildError that names the function.

    An array whose value is unknown while a function is traced, given for an argument that must be known then, raises a BuildError that
    names the argument. Arguments that the signature lacks raise a TypeError, as usual.
    """

    @functools.wraps(function)
    def checked(*arguments: Parameters.args, **options: Parameters.kwargs) -> Result:
        try:
            return function(*arguments, **options)
        except UnknownValueError as error:
            asked = _arguments_without_value(function, arguments, options)
            if not asked:
                raise
            raise UnknownValueError(
                f"{_name(function)} has to know {' and '.join(asked)} while a function is traced, and was given an array that only calls know; "
                f"pass jitted functions Python's numbers, which are constants of the program, where NumPy's are data"
            ) from error
        except EqsatError:
            raise
        except (
            RecursionError
        ) as error:  # an argument that holds itself; otherwise the caller is deep in the stack
            if not any(isinstance(each, list | tuple) for each in (*arguments, *options.values())):
                raise
            raise _mistake(function, arguments, options, error) from error
        except (
            TypeError,
            ValueError,
            LookupError,
            AttributeError,
            ArithmeticError,
            AssertionError,
        ) as error:
            is_of_signature = error.__traceback__ is None or error.__traceback__.tb_next is None
            if isinstance(error, TypeError) and is_of_signature:
                raise
            raise _mistake(function, arguments, options, error) from error

    return checked


def _mistake(
    function: Callable[..., Any], arguments: Sequence[Any], options: Mapping[str, Any], error: Exception
) -> BuildError:
    """The error that names the function, what it was given, and what it gives."""
    named = [f"{name}={brief(each)}" for name, each in options.items()]
    given = ", ".join([*map(brief, arguments), *named])
    purpose = (function.__doc__ or "").partition("\n")[0]
    return BuildError(f"{_name(function)}: {error}, given {given}; it gives: {purpose}")


def _name(function: Callable[..., Any]) -> str:
    return f"eqsat.{'random.' if '.random.' in function.__module__ else ''}{function.__name__}"


def _arguments_without_value(
    function: Callable[..., Any], arguments: Sequence[Any], options: Mapping[str, Any]
) -> list[str]:
    """The names of the arguments that are not array data for the function, but contain arrays that depend on placeholders."""
    signature = inspect.signature(function)
    return [
        name
        for name, value in signature.bind(*arguments, **options).arguments.items()
        if "ArrayLike" not in str(signature.parameters[name].annotation)
        and name != "self"
        and _is_traced(value)
    ]


def _is_traced(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(map(_is_traced, value))  # pyright: ignore[reportUnknownArgumentType]
    node = getattr(value, "uop", None)
    return isinstance(node, UOp) and bool(collect_params(node))
