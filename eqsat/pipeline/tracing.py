"""Traces a function on arrays to a graph."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eqsat.array import Array, placeholder
from eqsat.array.core import as_dtype
from eqsat.array.nodes.axes import normalize_shape
from eqsat.dtype import DType
from eqsat.errors import BuildError, brief, shortened
from eqsat.pipeline.nested import leaves_of, require_end
from eqsat.shape import Shape
from eqsat.uop import UOp


@dataclass(frozen=True)
class Spec:
    """The shape and dtype of an argument of a traced function."""

    shape: Shape
    dtype: DType


def spec(shape: Sequence[int] | int, dtype: DType | Any) -> Spec:
    """An array of this shape and dtype (eqsat's or NumPy's), for `trace`.

    Raises:
        ShapeError: an extent is negative or not an integer.
        DTypeError: eqsat has no such dtype.
    """
    return Spec(normalize_shape(shape), as_dtype(dtype))


def trace(function: Callable[..., Any], *specs: Spec) -> UOp:
    """Calls `function` on symbolic arrays with these shapes and dtypes. Returns the SINK of its results; argument k becomes PARAM slot k.

    Raises:
        BuildError: the function cannot be traced, takes another number of arguments, or does not return arrays.
    """
    name = getattr(function, "__name__", brief(function))
    if not all(type(each) is Spec for each in specs):
        raise BuildError(
            f"cannot trace {shortened(name)} for {brief(specs)}; describe each argument by eqsat.spec(shape, dtype)"
        )
    try:
        inspect.signature(function).bind(*specs)
    except (
        TypeError,
        ValueError,
        RecursionError,
    ) as error:  # ValueError: of types such as int, whose arguments Python does not tell
        raise BuildError(
            f"cannot trace {shortened(name)} for {len(specs)} arrays: {shortened(str(error))}; give one spec for each argument"
        ) from error
    stand_ins = [placeholder(slot, each.shape, each.dtype) for slot, each in enumerate(specs)]
    return trace_results(function, stand_ins)[0]


def trace_results(
    function: Callable[..., Any], arguments: Sequence[Any], named: Mapping[str, Any] | None = None
) -> tuple[UOp, Any]:
    """Returns the SINK of the results, the shapes of the arrays among the arguments, and the structure of the results with None for each array."""
    outputs: list[UOp] = []
    named = named or {}
    structure = _flatten(function(*arguments, **named), outputs)
    leaves = (leaf for each in (*arguments, *named.values()) for _, leaf in leaves_of(each))
    shapes = tuple(leaf.shape for leaf in leaves if isinstance(leaf, Array))
    return UOp.sink(*outputs, arg=shapes), structure


def _flatten(result: Any, outputs: list[UOp], depth: int = 0) -> Any:
    require_end(result, depth)
    match result:
        case Array():
            outputs.append(result.uop)
            return None
        case tuple() | list():
            return _like(result, [_flatten(item, outputs, depth + 1) for item in result])  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        case dict():
            return {key: _flatten(item, outputs, depth + 1) for key, item in result.items()}  # pyright: ignore[reportUnknownVariableType]
        case _:
            raise BuildError(
                f"a traced function must return arrays, in tuples, lists or dicts, not {type(result).__name__}; "
                "wrap constants in asarray"
            )


def rebuild(structure: Any, results: Iterator[Any]) -> Any:
    """Fills the structure from `trace_results`: each None is replaced by the next result."""
    match structure:
        case None:
            return next(results)
        case dict():
            return {key: rebuild(item, results) for key, item in structure.items()}  # pyright: ignore[reportUnknownVariableType]
        case _:
            return _like(structure, [rebuild(item, results) for item in structure])


def _like(structure: Any, items: list[Any]) -> Any:
    """The items in a tuple, list or named tuple of the same type as another one."""
    return type(structure)(*items) if hasattr(structure, "_fields") else type(structure)(items)
