"""Programs that mainly access memory, each in one pattern, and ordinary programs to learn from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from eqsat import array as xp
from eqsat.array import Array, placeholder
from eqsat.dtype import float32, int32
from eqsat.ops import Op
from eqsat.uop import UOp

# Rows and columns of the array for access patterns. Its 16 MB exceed the caches of a core, and columns of a power of two would share cache sets.
ROWS = 2000


@dataclass(frozen=True)
class Pattern:
    """A program on one array.

    Attributes:
        entry: the name of its entry in the table of measured costs.
        graph: a SINK over PARAM 0, a square array, and PARAM 1, as many indices.
        elements: the number of elements that it accesses.
    """

    entry: str
    graph: UOp
    elements: int


def access_patterns(rows: int = ROWS) -> tuple[Pattern, ...]:
    """The programs for all patterns. The copy comes first, because its time is part of the times of all others."""
    x = placeholder(0, (rows, rows), float32).uop
    flat, indices = (placeholder(slot, (rows * rows,), dtype) for slot, dtype in enumerate((float32, int32)))
    programs = {
        "READ float32 contiguous": x * 2.0,
        "READ float32 gather": xp.take(flat, indices).uop,
        "PERMUTE float32 apart": x.permute((1, 0)),
        "FLIP float32 apart": x.flip((False, True)),
        "PAD float32 apart": x.pad(((0, 0), (1, 1))),
        **{
            f"REDUCE {op.name} float32 {name}": x.reduce_axis(op, (axis,))
            for op in (Op.ADD, Op.MAX, Op.MUL)
            for name, axis in (("rows", 1), ("columns", 0))
        },
    }
    return tuple(Pattern(entry, UOp.sink(value), rows * rows) for entry, value in programs.items())


def _chain(x: Array) -> Array:
    return xp.minimum(xp.abs(x * 1.5 + 0.25 - x * x), 2.0) * 0.75


def _sigmoid(x: Array) -> Array:
    return 1.0 / (1.0 + xp.exp(x))


def _softmax(x: Array) -> Array:
    return xp.softmax(x, axis=-1)


def _layer_norm(x: Array) -> Array:
    centred = x - xp.mean(x, axis=-1, keepdims=True)
    return centred / xp.sqrt(xp.mean(centred * centred, axis=-1, keepdims=True) + 1e-5)


def _row_sum(x: Array) -> Array:
    return xp.sum(x * x, axis=1)


def _column_sum(x: Array) -> Array:
    return xp.sum(x * x, axis=0)


def _transposed(x: Array) -> Array:
    return xp.permute_dims(x, (1, 0)) + 1.0


def _square(x: Array) -> Array:
    return xp.matmul(x, x)


def _blur(x: Array) -> Array:
    return x[:-2] + 2.0 * x[1:-1] + x[2:]


def _difference(x: Array) -> Array:
    return x[:, 1:] - x[:, :-1]


LESSONS: tuple[Callable[[Array], Array], ...] = (
    _chain, _sigmoid, _softmax, _layer_norm, _row_sum, _column_sum, _transposed, _square, _blur, _difference,
)  # fmt: skip
"""Functions of a square array, each measured in `SIZES`, from whose times the costs of graph features are learned."""

SIZES = (128, 256, 512)


def lessons(sizes: Sequence[int] = SIZES) -> list[tuple[str, UOp]]:
    """(name, graph) for each function and size."""
    return [
        (function.__name__, UOp.sink(function(placeholder(0, (size, size), float32)).uop))
        for function in LESSONS
        for size in sizes
    ]
