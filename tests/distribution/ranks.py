"""A script for `mpirun`: programs of several ranks, compared on each rank with the reference. Its arguments say what to do."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat as eq
from eqsat.runtime import ranks
from eqsat.runtime.ranks import world
from tests.distribution import steps
from tests.distribution.steps import floats, training_step
from tests.dynamic import evaluated

EVERY = [f"MPI:{rank}" for rank in range(world().size)]


def train() -> None:
    """Five steps of a network whose batch is divided among the ranks, in float64; float32 is that of `dims`."""
    steps.train(EVERY, 51, "float64", 1e-12)


def multiply() -> None:
    """A product of matrices, one of them divided so that its sums meet, the other by columns; `test_devices` divides along every pair."""
    x, y = floats(64, 48), floats(48, 20)
    for axes in ((1, 0), (0, 1)):
        product = eq.jit(lambda x, y, axes=axes: eq.shard(x, EVERY, axes[0]) @ eq.shard(y, EVERY, axes[1]))
        np.testing.assert_allclose(product(x, y), x @ y, rtol=1e-4, atol=1e-4)


def dims() -> None:
    """One program on all ranks for batches of any length."""
    n = eq.dim("n", 1, 60)
    ours = eq.jit(
        lambda first, second, x, y: training_step(
            first, second, eq.shard(x, EVERY, 0), eq.shard(y, EVERY, 0)
        ),
        dynamic={"x": {0: n}, "y": {0: n}},
    )
    product = eq.jit(lambda x, y: eq.shard(x, EVERY, 0) @ y, dynamic={"x": {0: n}})
    for count in (1, 2, 7, 51):
        x, y = floats(count, 20), floats(count, 7)
        weights = floats(20, 32) / 5, floats(32, 7) / 5
        for mine, other in zip(ours(*weights, x, y), evaluated(training_step, [*weights, x, y]), strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(product(x, weights[0]), x @ weights[0], rtol=1e-4, atol=1e-4)


def ring() -> None:
    """Sums of so many bytes that a ring is quicker, with three ranks and more."""
    x = floats(len(EVERY), 1 << 20)
    total = eq.jit(lambda x: eq.sum(eq.shard(x, EVERY, 0), axis=0) + eq.shard(x[0], EVERY, 0))
    np.testing.assert_allclose(total(x), x.sum(0) + x[0], rtol=1e-5, atol=1e-5)


def every_dtype() -> None:
    """Arrays without elements, without axes, and of every dtype go from rank to rank."""
    for rows, dtypes in (
        (5, ("float16", "float64", "int8", "bool")),
        (1, ("int64",)),
        (0, ("float32",)),
    ):
        shape = rows, 3
        for dtype in dtypes:
            x = (np.arange(np.prod(shape)).reshape(shape) % 5).astype(dtype)
            there = eq.jit(
                lambda x: (
                    eq.to_device(eq.to_device(x, EVERY[-1])[::-1], EVERY[0]),
                    eq.sum(eq.shard(x, EVERY, 0)),
                )
            )
            moved, total = there(x)
            np.testing.assert_array_equal(moved, x[::-1])
            np.testing.assert_array_equal(total, *evaluated(eq.sum, [x]))


def fail() -> None:
    """The last rank fails in a step; every rank raises a DeviceError that says so, now and later."""
    x = floats(40, 5)
    program = eq.compile(
        eq.trace(lambda x: eq.sum(eq.shard(x, EVERY, 0) * 2, axis=0), eq.spec(x.shape, eq.float32))
    )
    program(x)
    if world().rank == world().size - 1:

        def broken(arrays, values):
            raise eq.DeviceError("the card fell off the bus")

        for step in program._crew._steps:
            step.__dict__["run"] = broken
    for words in ("the card fell off the bus", "failed in an earlier call"):
        with pytest.raises(eq.DeviceError, match=words):
            program(x)


def silent() -> None:
    """The last rank does not take part; the others say that it is lost."""
    ranks.SILENCE_SECONDS = 1.0
    x = floats(40, 5)
    program = eq.compile(
        eq.trace(lambda x: eq.sum(eq.shard(x, EVERY, 0) * 2, axis=0), eq.spec(x.shape, eq.float32))
    )
    if world().rank == world().size - 1:
        time.sleep(4)
        return
    with pytest.raises(eq.DeviceError, match=f"rank {world().size - 1} was silent for 1 s"):
        program(x)


def apart(ours: Callable[..., Any], theirs: Callable[..., Any], x: Any, y: Any) -> None:
    """The last rank calls `theirs` on `y` where all others call `ours` on `x`; every rank says so, and later that it did."""
    is_last = world().rank == world().size - 1
    for words in ("calls another program than rank", "failed in an earlier call"):
        with pytest.raises(eq.DeviceError, match=words):
            theirs(y) if is_last else ours(x)


def total(factor: int, **options: Any) -> Callable[..., Any]:
    """A program whose messages are alike for all factors."""
    return eq.jit(lambda x: eq.sum(eq.shard(x, EVERY, 0) * factor, axis=0), **options)


def programs_apart() -> None:
    """Another program, whose messages have the same sizes."""
    apart(total(2), total(3), floats(10, 3), floats(10, 3))


def rows_apart() -> None:
    """An array of other rows, whose sums have the same size."""
    apart(total(2), total(2), floats(10, 3), floats(8, 3))


def dims_apart() -> None:
    """Another extent of one program."""
    both = total(2, dynamic={"x": {0: eq.dim("n", 1, 60)}})
    both(floats(9, 3))
    apart(both, both, floats(10, 3), floats(8, 3))


def ending() -> None:
    """The script of the last rank ends early, here by an error of the user's own: the others do not wait for ten minutes."""
    both, x = total(2), floats(10, 3)
    both(x)
    if world().rank == world().size - 1:
        sys.stdout.write(f"rank {world().rank} is done\n")
        raise SystemExit(0)
    with pytest.raises(eq.DeviceError, match=f"the script of rank {world().size - 1} ended before"):
        both(x)


def unknown() -> None:
    """A rank that does not exist is named."""
    graph = eq.trace(lambda x: eq.to_device(x, "MPI:7") * 2, eq.spec(4, eq.float32))
    with pytest.raises(
        eq.DeviceError, match=f"no rank 7 among {world().size}; start the script with `mpirun -n 8`"
    ):
        eq.compile(graph)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        globals()[name]()
    sys.stdout.write(f"rank {world().rank} is done\n")
