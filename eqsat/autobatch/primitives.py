"""The computation of a PrimOp as a graph of UOps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eqsat.array import Array, asarray, placeholder
from eqsat.autobatch.ir import PrimOp, TensorType, Type
from eqsat.autobatch.ir.patterns import leaves, mapped
from eqsat.errors import BuildError
from eqsat.pipeline.functions.tracing import Slots
from eqsat.uop import UOp


@dataclass(frozen=True)
class Primitive:
    """A traced PrimOp.

    Attributes:
        graph: a SINK with one source for each leaf of the outputs; PARAM slot k stands for leaf k of the inputs.
        outputs: the type of each output variable.
    """

    graph: UOp
    outputs: tuple[Type, ...]


def traced(operation: PrimOp, types: Mapping[str, Type]) -> Primitive:
    """Traces the function of `operation` by calling it on placeholders for one member's values.

    Raises:
        BuildError: the function does not return one array, or one pattern of arrays, for each output, or reads an array of another trace. Errors of
            the function itself are passed on.
    """
    slots = Slots()

    def stand_in(leaf: TensorType) -> Array:
        return placeholder(slots.next(), leaf.shape, leaf.dtype)

    arguments = [mapped(stand_in, types[name].pattern) for name in operation.vars_in]
    results = results_of(operation, operation.function(*arguments))
    arrays = [mapped(asarray, result) for result in results]
    outputs = tuple(
        Type(mapped(lambda array: TensorType(array.dtype, array.shape), pattern)) for pattern in arrays
    )
    graph = UOp.sink(*(array.uop for array in leaves(arrays)))
    place = f" ({operation.position})" if operation.position else ""
    return Primitive(slots.numbered(graph, f"{operation.name or 'a primitive'}{place}"), outputs)


def results_of(operation: PrimOp, result: Any) -> tuple[Any, ...]:
    """The result of a PrimOp's function as one pattern for each output variable.

    Raises:
        BuildError: there are more or fewer results than output variables.
    """
    if len(operation.vars_out) == 1:
        return (result,)
    if not isinstance(result, tuple | list) or len(result) != len(operation.vars_out):  # pyright: ignore[reportUnknownArgumentType]
        raise BuildError(
            f"{operation.name or operation.function} must return {len(operation.vars_out)} values for "
            f"{', '.join(operation.vars_out)} ({operation.position}); return a tuple of as many"
        )
    return tuple(result)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
