"""Finds or draws the arrays that a graph takes. Where its shapes have dims, the arrays that are given tell their values."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqsat.dtype import DType, to_numpy
from eqsat.errors import MemoryExhaustedError
from eqsat.extents import at, is_dynamic
from eqsat.ops import Op
from eqsat.shape import Shape
from eqsat.specialization.binding import Binding
from eqsat.specialization.dynamic_extents import traced_shapes
from eqsat.uop import UOp, toposort

DRAWN_BYTES = 8  # bytes of an element while it is drawn at random, before it is converted


@dataclass(frozen=True)
class Input:
    """One array that a graph takes: its argument number, shape (which may have dims) and element type."""

    slot: int
    shape: Shape
    dtype: DType

    def __str__(self) -> str:
        return f"{self.slot}: {self.dtype}{list(self.shape)}"


def inputs_of(graph: UOp) -> list[Input]:
    """The arrays that a graph takes, by argument number.

    Each has the shape that it had when the graph was traced, or else the shape to which the graph first reshapes it.
    """
    found: dict[int, Input] = {}
    traced = {slot: shape for slot, shape in enumerate(traced_shapes(graph)) if shape is not None}
    for node in toposort([graph]):
        if node.op is Op.PARAM:
            slot, size = node.arg
            found.setdefault(slot, Input(slot, traced.get(slot, (size,)), _scalar(node)))
        elif node.op is Op.RESHAPE and node.src[0].op is Op.PARAM:
            slot, size = node.src[0].arg
            if slot not in traced and found[slot].shape == (size,) and node.shape is not None:
                found[slot] = Input(slot, node.shape, _scalar(node))
    return [found[slot] for slot in sorted(found)]


def values_of_dims(inputs: Sequence[Input], given: Sequence[Shape]) -> dict[str, int]:
    """The values that the shapes of given arrays have for the dims of the inputs.

    Raises:
        ExtentError: a shape does not fit its input, or two shapes disagree about a dim.
    """
    shapes = [spec.shape if is_dynamic(spec.shape) else None for spec in inputs]
    binding = Binding(shapes, (), [f"input {spec.slot}" for spec in inputs])
    return binding.values(tuple(given))


def with_values(inputs: Sequence[Input], values: Mapping[str, int]) -> list[Input]:
    """The inputs with these values of dims in their shapes."""
    return [replace(spec, shape=tuple(at(extent, values) for extent in spec.shape)) for spec in inputs]


def random_arrays(inputs: Sequence[Input], seed: int) -> list[NDArray[Any]]:
    """Random arrays for the inputs: floats from a normal distribution, integers from 0 to 99, bools with equal chances.

    Raises:
        MemoryExhaustedError: the arrays are larger than this machine's memory.
    """
    random = np.random.default_rng(seed)
    arrays: list[NDArray[Any]] = []
    needed = sum(math.prod(spec.shape) * DRAWN_BYTES for spec in inputs)
    if needed > _memory():
        raise MemoryExhaustedError(
            f"the graph takes arrays of {needed:,} bytes, more than this machine has; make its inputs smaller"
        )
    for spec in inputs:
        if spec.dtype.is_float:
            values: NDArray[Any] = random.normal(size=spec.shape)
        else:
            values = random.integers(0, 2 if spec.dtype.is_bool else 100, spec.shape)
        arrays.append(np.asarray(values).astype(to_numpy(spec.dtype)))
    return arrays


def _memory() -> int:
    """The memory of this machine in bytes; `sys.maxsize` if it is unknown."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return sys.maxsize


def by_slot(
    graph: UOp, arrays: Sequence[NDArray[Any]], inputs: Sequence[Input], values: Mapping[str, int]
) -> list[NDArray[Any]]:
    """The arrays in order of argument number; an unused argument gets zeros of the shape in the SINK, or else an empty array.

    `values` are the values of dims.
    """
    given = {spec.slot: array for array, spec in zip(arrays, inputs, strict=True)}
    shapes = [tuple(at(extent, values) for extent in shape or ()) for shape in traced_shapes(graph)]
    unused = {slot: np.zeros(shape) for slot, shape in enumerate(shapes) if slot not in given}
    count = max(len(shapes), 1 + max(given, default=-1))
    return [given[slot] if slot in given else unused.get(slot, np.empty(0)) for slot in range(count)]


def _scalar(node: UOp) -> DType:
    assert isinstance(node.dtype, DType), "an array-stage value has a plain dtype"
    return node.dtype
