"""Traces a function on arrays to a graph."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from eqsat.array import Array, placeholder
from eqsat.array.core import as_dtype
from eqsat.array.data import SLOTS_OF_TRACE
from eqsat.array.nodes.axes import normalize_shape
from eqsat.dtype import DType
from eqsat.errors import BuildError, brief, shortened
from eqsat.ops import Op
from eqsat.pipeline.functions.nested import leaves_of, require_end
from eqsat.shape import Shape
from eqsat.spec.programs import is_kernel
from eqsat.specialization.dynamic_extents import extents_of
from eqsat.uop import UOp, toposort

_FIRST_SLOTS = count(SLOTS_OF_TRACE, SLOTS_OF_TRACE)


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
    ) as error:  # ValueError: Python does not know the arguments of types such as int
        raise BuildError(
            f"cannot trace {shortened(name)} for {len(specs)} arrays: {shortened(str(error))}; give one spec for each argument"
        ) from error
    slots = Slots()
    stand_ins = [placeholder(slots.next(), each.shape, each.dtype) for each in specs]
    return slots.numbered(trace_results(function, stand_ins)[0], name, more=True)


class Slots:
    """Slots for the stand-ins of one trace. No other trace has them, so an array that outlives its trace is not taken for an argument of another."""

    def __init__(self) -> None:
        self._first = next(_FIRST_SLOTS)
        self._count = 0

    def next(self) -> int:
        """A slot for the next stand-in."""
        self._count += 1
        return self._first + self._count - 1

    def numbered(self, sink: UOp, function: str, *, more: bool = False) -> UOp:
        """The graph that a function returned, with slots from 0 for its stand-ins.

        With `more` it may read further placeholders, which somebody made by hand, of slots that its arguments do not have.

        Raises:
            BuildError: it reads the stand-in of another trace.
        """
        bodies = {node for node in sink.toposort() if node.op in (Op.FUNCTION, Op.PROGRAM) or is_kernel(node)}
        mapping: dict[UOp, UOp] = {}
        for node in toposort([sink], bodies):
            if node.op is not Op.PARAM:
                continue
            slot, size = node.arg
            if 0 <= slot - self._first < self._count:
                mapping[node] = node.replace(arg=(slot - self._first, size))
            elif not (more and self._count <= slot < SLOTS_OF_TRACE):
                raise BuildError(
                    f"{shortened(function)} reads an array that is neither an argument nor made from one: it was made while another function, or "
                    "an earlier call of this one, was traced, and has no value now; return it there, and pass it here as an argument"
                )
        return sink.substitute(mapping)


def trace_results(
    function: Callable[..., Any], arguments: Sequence[Any], named: Mapping[str, Any] | None = None
) -> tuple[UOp, Any]:
    """Returns the SINK of the results, and their structure with None for each array.

    The SINK's argument has the shapes of the arrays among the arguments.

    Raises:
        BuildError: arguments have dims of one name with different bounds.
    """
    outputs: list[UOp] = []
    named = named or {}
    leaves = (leaf for each in (*arguments, *named.values()) for _, leaf in leaves_of(each))
    arrays = [leaf.uop for leaf in leaves if isinstance(leaf, Array)]
    extents_of(arrays)
    structure = _flatten(function(*arguments, **named), outputs)
    return UOp.sink(*outputs, arg=tuple(each.shape or () for each in arrays)), structure


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
        case Coroutine():
            result.close()  # so that Python does not warn that nobody awaits it
            raise BuildError("an async function cannot be traced; write `def` in place of `async def`")
        case _:
            raise BuildError(
                f"a traced function must return arrays, in tuples, lists or dicts, not {type(result).__name__}; "
                "wrap constants in asarray"
            )


def rebuild(structure: Any, results: Iterator[Any]) -> Any:
    """Fills a structure from `trace_results`: replaces each None by the next result."""
    match structure:
        case None:
            return next(results)
        case dict():
            return {key: rebuild(item, results) for key, item in structure.items()}  # pyright: ignore[reportUnknownVariableType]
        case _:
            return _like(structure, [rebuild(item, results) for item in structure])


def _like(structure: Any, items: list[Any]) -> Any:
    """The items in a container of the same type as `structure`: a tuple, list or named tuple."""
    return type(structure)(*items) if hasattr(structure, "_fields") else type(structure)(items)
