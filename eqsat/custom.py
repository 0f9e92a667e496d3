"""Functions that users register and CUSTOM_FUNCTION calls by name: the shapes of their results, their meaning in NumPy, and how they run.

A name stands for one function in a process. Programs look the function up when they are verified, evaluated and compiled. Graphs and files hold
the name only. Functions of the package itself have a dot in their names, which those of users cannot have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from eqsat.dtype import DType, int64, to_numpy
from eqsat.errors import BuildError, EqsatError, brief
from eqsat.extents import Extent, is_dynamic
from eqsat.shape import Shape
from eqsat.sorting import elements_of_ranks, greatest_elements, sorted_elements, sorted_positions


@dataclass(frozen=True, slots=True)
class Operand:
    """The shape and dtype of an argument or a result."""

    shape: Shape
    dtype: DType


Results = Callable[..., "tuple[Shape, DType] | list[tuple[Shape, DType]]"]


@dataclass(frozen=True, eq=False)
class CustomFunction:
    """A function that a user registered.

    Attributes:
        name: the name that CUSTOM_FUNCTION has as its argument.
        meaning: computes the results from NumPy arrays; it returns an array, or a tuple of arrays.
        result: a rule that returns the (shape, dtype) of the result, or a list of these, for the `Operand`s of a call. A dtype instead stands
            for elements of this dtype in the shape of the first argument; None stands for the shape and dtype of the first argument.
        opencl: an OpenCL C expression for one element, in which `{0}` is the element of the first argument; without it the host runs `host`.
        host: the function that the host runs, in the thread of the caller; `meaning` if it is None.
        takes_batches: whether the argument may have further axes in front, along which independent arrays lie.
    """

    name: str
    meaning: Callable[..., Any]
    result: DType | Results | None = None
    opencl: str | None = None
    host: Callable[..., Any] | None = None
    takes_batches: bool = False

    def results(self, arguments: Sequence[Operand]) -> list[Operand]:
        """The shapes and dtypes of the results for these arguments.

        Raises:
            BuildError: the rule returns no valid results; or the function works element by element, and the shapes of its arguments and its
                result differ, or depend on dims.
        """
        rule = self.result
        if (rule is None or isinstance(rule, DType)) and not arguments:
            raise BuildError(
                f"CUSTOM_FUNCTION {self.name!r} has the shape of its first argument; call it with one, or register it with a rule"
            )
        if rule is None:
            found: Any = [(arguments[0].shape, arguments[0].dtype)]
        elif isinstance(rule, DType):
            found = [(arguments[0].shape, rule)]
        else:
            try:
                found = rule(*arguments)
            except Exception as error:
                raise BuildError(
                    f"CUSTOM_FUNCTION {self.name!r} has no result for {brief(list(arguments))}: {error}"
                ) from error
        listed = cast("list[Any]", found if isinstance(found, list) else [found])
        operands = [_operand(self.name, each) for each in listed]
        if self.opencl is not None and (
            len(operands) != 1 or any(each.shape != operands[0].shape for each in arguments)
        ):
            raise BuildError(
                f"CUSTOM_FUNCTION {self.name!r} is written in OpenCL C for one element of one result, so its arguments have the shape of "
                f"that, and not {[each.shape for each in arguments]} for {[each.shape for each in operands]}; expand them"
            )
        if self.opencl is not None and is_dynamic(operands[0].shape):
            raise BuildError(
                f"CUSTOM_FUNCTION {self.name!r} is written in OpenCL C, and its arguments have extents that only calls know, "
                f"{operands[0].shape}; register it with a function of the host, or compile for each shape"
            )
        return operands

    def prepared(
        self, function: Callable[..., Any], results: Sequence[Operand], failure: type[EqsatError]
    ) -> Callable[[Sequence[np.ndarray]], Sequence[NDArray[Any]]]:
        """Calls `function`, which is `meaning` or `host`, and checks that its results have the shapes and dtypes that the rule gave.

        Other code uses the arrays too, so a function of users gets read-only views of them. Calls raise `failure` if the function raises an
        error, or gives results of other shapes or dtypes.
        """
        wanted = [(each.shape, to_numpy(each.dtype)) for each in results]
        is_own = is_built_in(self.name)  # leaves its arguments as they are and gives new arrays that fit

        def run(arrays: Sequence[np.ndarray]) -> Sequence[NDArray[Any]]:
            try:
                found: Any = function(*arrays) if is_own else function(*map(_read_only, arrays))
            except Exception as error:
                raise failure(
                    f"CUSTOM_FUNCTION {self.name!r} raised {type(error).__name__}: {error}"
                ) from error
            several = cast("tuple[Any, ...]", found if isinstance(found, tuple) else (found,))
            return several if is_own else checked([np.asarray(each) for each in several])

        def checked(made: list[NDArray[Any]]) -> list[NDArray[Any]]:
            if [(each.shape, each.dtype) for each in made] != wanted:
                raise failure(
                    f"CUSTOM_FUNCTION {self.name!r} gave {[(each.shape, str(each.dtype)) for each in made]}, and its rule says "
                    f"{[(shape, str(dtype)) for shape, dtype in wanted]}; correct one of them"
                )
            return [np.array(each, order="C") for each in made]

        return run


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    seen = np.asarray(array).view()
    seen.flags.writeable = False
    return seen


SORTED, POSITIONS = "eqsat.sorted_elements", "eqsat.sorted_positions"
_GREATEST, _RANKED = "eqsat.greatest_elements", "eqsat.elements_of_ranks"
_SORTING = {
    SORTED: CustomFunction(SORTED, sorted_elements, takes_batches=True),
    POSITIONS: CustomFunction(POSITIONS, sorted_positions, int64, takes_batches=True),
}
_REGISTERED: dict[str, CustomFunction] = {}


def greatest_named(count: int) -> str:
    """The name of the function of the `count` greatest elements, to which the number belongs: `eqsat.greatest_elements.20`."""
    return f"{_GREATEST}.{count}"


def ranked_named(ranks: Sequence[int]) -> str:
    """The name of the function of the elements that have these ranks, to which the ranks belong: `eqsat.elements_of_ranks.3_4`."""
    return f"{_RANKED}.{'_'.join(map(str, ranks))}"


@lru_cache
def _built_in(name: str) -> CustomFunction | None:
    """The package's own function of this name."""
    stem, _, given = name.rpartition(".")
    if stem == _GREATEST and re.fullmatch("[1-9][0-9]{0,17}", given):
        return _greatest(name, int(given))
    if stem == _RANKED and re.fullmatch("[0-9]{1,18}(_[0-9]{1,18}){0,15}", given):
        return _ranked(name, tuple(map(int, given.split("_"))))
    return _SORTING.get(name)


def _greatest(name: str, count: int) -> CustomFunction:
    """The function of the `count` greatest elements along the last axis, and of their positions."""

    def results(x: Operand) -> list[tuple[Shape, DType]]:
        _require_elements(x, count)
        shape = (*x.shape[:-1], count)
        return [(shape, x.dtype), (shape, int64)]

    return CustomFunction(name, partial(greatest_elements, count=count), results, takes_batches=True)


def _ranked(name: str, ranks: tuple[int, ...]) -> CustomFunction:
    """The function of the elements that have these ranks in the order along the last axis."""

    def results(x: Operand) -> tuple[Shape, DType]:
        _require_elements(x, 1 + max(ranks))
        return (*x.shape[:-1], len(ranks)), x.dtype

    return CustomFunction(name, partial(elements_of_ranks, ranks=ranks), results, takes_batches=True)


def _require_elements(x: Operand, count: int) -> None:
    extent = x.shape[-1]
    least = extent.least if isinstance(extent, Extent) else extent
    if count > least:
        raise BuildError(f"the axis may have {least} elements; choose no more of them")


def custom_function(
    name: str, meaning: Callable[..., Any], *, result: DType | Results | None = None, opencl: str | None = None,
    host: Callable[..., Any] | None = None, replace: bool = False,
) -> CustomFunction:  # fmt: skip
    """Registers a function under a name; `eqsat.call_custom(name, *arrays)` calls it, and CUSTOM_FUNCTION names it in a graph.

    Args:
        name: the name of the function in graphs, files and kernels.
        meaning: computes the results from NumPy arrays, which it must not change; it returns an array, or a tuple of arrays. It is the
            reference, and the host runs it if neither `opencl` nor `host` is given.
        result: a rule that returns the (shape, dtype) of the result, or a list of these, given the arguments, which have `.shape` and `.dtype`.
            A dtype instead stands for elements of this dtype in the shape of the first argument; None stands for the shape and dtype of the
            first argument.
        opencl: an OpenCL C expression for one element, in which `{0}` is the element of the first argument.
        host: a function that the host runs in place of `meaning`.
        replace: whether to replace a function that already has this name; programs that are compiled already still call the old one.

    Raises:
        BuildError: the name is taken or invalid, or another argument is invalid.

    >>> import numpy as np
    >>> import eqsat as eq
    >>> _ = custom_function("softsign", lambda x: x / (1 + np.abs(x)), opencl="{0} / (1.0f + fabs({0}))", replace=True)
    >>> eq.jit(lambda x: eq.call_custom("softsign", x) * 2)(np.array([1, -3], np.float32))
    array([ 1. , -1.5], dtype=float32)
    """
    if not isinstance(name, str) or not name.isidentifier() or not name.isascii():  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BuildError(f"the name of a custom function is one of letters, digits and _, not {brief(name)}")
    if not isinstance(replace, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BuildError(f"replace is True or False, not {brief(replace)}")
    if name in _REGISTERED and not replace:
        raise BuildError(
            f"a custom function is named {name!r} already; choose another name, or give replace=True"
        )
    if not callable(meaning) or (host is not None and not callable(host)):
        raise BuildError(
            f"custom function {name!r} needs a function of NumPy arrays as its meaning, not {brief(host or meaning)}"
        )
    if result is not None and not isinstance(result, DType) and not callable(result):
        raise BuildError(
            f"the result of custom function {name!r} is a dtype, or a function of its arguments, not {brief(result)}"
        )
    if opencl is not None and (not isinstance(opencl, str) or not opencl or host is not None):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BuildError(
            f"custom function {name!r} runs as an expression of OpenCL C or on the host, one of both; not {brief(opencl)}"
        )
    made = _REGISTERED[name] = CustomFunction(name, meaning, result, opencl, host)
    return made


def is_built_in(name: Any) -> bool:
    """Whether a name stands for a function of the package itself."""
    return isinstance(name, str) and _built_in(name) is not None


def custom_named(name: Any) -> CustomFunction:
    """The function that is registered under a name, or the package's own function of this name.

    Raises:
        BuildError: no function has this name.
    """
    found = _built_in(name) or _REGISTERED.get(name) if isinstance(name, str) else None
    if found is None:
        known = ", ".join(map(repr, sorted(_REGISTERED))) or "none"
        raise BuildError(
            f"no custom function is named {brief(name)} for CUSTOM_FUNCTION; register it with eqsat.custom_function, which knows {known}"
        )
    return found


def _operand(name: str, result: Any) -> Operand:
    try:
        shape, dtype = result
        if isinstance(dtype, DType) and dtype.kind != "v" and all(_is_extent(extent) for extent in shape):
            return Operand(tuple(shape), dtype)
    except (TypeError, ValueError):
        pass
    raise BuildError(
        f"CUSTOM_FUNCTION {name!r} has {brief(result)} for a result; its rule gives (shape, dtype), or a list of them"
    )


def _is_extent(value: Any) -> bool:
    return value.__class__ in (int, Extent) and value >= 0
