"""Evaluates graphs for many members at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqsat.array.data import collect_buffers, host_values
from eqsat.autobatch.ir.types import TensorType
from eqsat.dtype import to_numpy
from eqsat.reference import evaluate
from eqsat.uop import UOp

Values = NDArray[Any]  # one value for each member, with the members on axis 0


def computed(graph: UOp, inputs: Sequence[Values], held: Sequence[TensorType], members: int) -> list[Values]:
    """The values of a SINK's sources for `members` members; PARAM slot k is `inputs[k]`, which has type `held[k]` for each member."""
    bindings: dict[UOp | int | str, Any] = {
        UOp.param(slot, each.size, each.dtype): np.reshape(values, (members, each.size))
        for slot, (values, each) in enumerate(zip(inputs, held, strict=True))
    }
    bindings |= {buffer: host_values(buffer) for buffer in collect_buffers(graph)}
    results: list[Values] = []
    for root, value in zip(graph.src, evaluate(graph, bindings), strict=True):
        shape = root.shape or ()
        if value.ndim == len(shape):
            value = np.broadcast_to(value, (members, *shape))
        results.append(value)
    return results


def blank(held: TensorType, *shape: int) -> Values:
    """Zeros of a type, with the extents `shape` (such as the number of members) in front of its own."""
    return np.zeros((*shape, *held.shape), to_numpy(held.dtype))
