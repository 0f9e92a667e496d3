"""Programs drawn at random from steps, flips, transposes, interleaved channels and windows, beside NumPy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import eqsat as eq
from eqsat.array import Array

DTYPES = (np.float32, np.float64, np.float16, np.int32, np.uint8, np.int16, np.bool_)
Step = Callable[[Array | np.ndarray], Array | np.ndarray]


def stepped(random: np.random.Generator, shape: tuple[int, ...]) -> tuple[Step, tuple[int, ...]]:
    """Every k-th element of an axis, from anywhere, in either direction."""
    axis = int(random.integers(len(shape)))
    step = int(random.choice([-4, -3, -2, -1, 2, 3, 4]))
    start = int(random.integers(min(5, shape[axis])))
    start = start if step > 0 else shape[axis] - 1 - start
    cut = (slice(None),) * axis + (slice(start, None, step),)
    return lambda x: x[cut], np.empty(shape)[cut].shape


def turned(random: np.random.Generator, shape: tuple[int, ...]) -> tuple[Step, tuple[int, ...]]:
    """The axes in another order."""
    order = tuple(int(axis) for axis in random.permutation(len(shape)))
    moved = lambda x: eq.permute_dims(x, order) if isinstance(x, Array) else np.transpose(x, order)  # noqa: E731
    return moved, tuple(shape[axis] for axis in order)


def channel(random: np.random.Generator, shape: tuple[int, ...]) -> tuple[Step, tuple[int, ...]]:
    """One of the interleaved channels of the last axis."""
    count = int(random.integers(2, 5))
    if shape[-1] < 2 * count:
        return turned(random, shape)
    width, which = shape[-1] // count, int(random.integers(count))
    return lambda x: x[..., : width * count].reshape((*shape[:-1], width, count))[..., which], (
        *shape[:-1],
        width,
    )


def halved(random: np.random.Generator, shape: tuple[int, ...]) -> tuple[Step, tuple[int, ...]]:
    """The sum of pairs along an axis, wrapping: the type stays."""
    axis = int(random.integers(len(shape)))
    if shape[axis] < 2:
        return turned(random, shape)
    length = shape[axis] // 2 * 2
    even, odd = ((slice(None),) * axis + (slice(first, length, 2),) for first in (0, 1))
    return lambda x: x[even] + x[odd], np.empty(shape)[even].shape


def drawn(random: np.random.Generator) -> tuple[Step, tuple[int, ...], np.dtype]:
    """Two chains of steps on one array, added where both have elements."""
    dtype = np.dtype(DTYPES[random.integers(len(DTYPES))])
    shape = tuple(int(size) for size in random.integers(1, 75, int(random.integers(1, 4))))
    chains: list[tuple[list[Step], tuple[int, ...]]] = []
    for _ in range(2):
        steps: list[Step] = []
        current = shape
        for _ in range(int(random.integers(1, 4))):
            makers = (stepped, turned, channel, halved)
            step, current = makers[random.integers(len(makers))](random, current)
            steps.append(step)
        chains.append((steps, current))
    common = tuple(slice(min(sizes)) for sizes in zip(*(sizes for _, sizes in chains), strict=True))

    def program(x: Array | np.ndarray) -> Array | np.ndarray:
        values = [x, x]
        for number, (steps, _) in enumerate(chains):
            for step in steps:
                values[number] = step(values[number])
        return values[0][common] + values[1][common]

    return program, shape, dtype


@pytest.mark.parametrize("seed", range(40))
def test_drawn(seed: int) -> None:
    program, shape, dtype = drawn(np.random.default_rng(seed))
    values = np.random.default_rng(seed).integers(0, 2 if dtype.kind == "b" else 9, shape).astype(dtype)
    compiled = eq.compile(eq.trace(program, eq.spec(shape, dtype)))
    np.testing.assert_array_equal(compiled(values), program(values))
