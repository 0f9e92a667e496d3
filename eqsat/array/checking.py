"""What array functions say of nonsense among their arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from eqsat.errors import BuildError, EqsatError, brief

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def array_function(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Makes what Python says of nonsense among the arguments of a function of arrays a BuildError that names the function.

    Arguments that the signature does not have are a TypeError, as everywhere.
    """

    @functools.wraps(function)
    def checked(*arguments: Parameters.args, **options: Parameters.kwargs) -> Result:
        try:
            return function(*arguments, **options)
        except EqsatError:
            raise
        except (
            TypeError,
            ValueError,
            LookupError,
            AttributeError,
            ArithmeticError,
            RecursionError,
            AssertionError,
        ) as error:
            is_of_signature = error.__traceback__ is None or error.__traceback__.tb_next is None
            if isinstance(error, TypeError) and is_of_signature:
                raise
            named = [f"{name}={brief(each)}" for name, each in options.items()]
            given = ", ".join([*map(brief, arguments), *named])
            room = "random." if ".random." in function.__module__ else ""
            purpose = (function.__doc__ or "").partition("\n")[0]
            raise BuildError(
                f"eqsat.{room}{function.__name__}: {error}, given {given}; it gives: {purpose}"
            ) from error

    return checked
