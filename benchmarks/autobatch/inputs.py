"""The inputs of each program, the same in every process."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def inputs(program: str, batch: int) -> list[NDArray[np.generic]]:
    """One array for each argument."""
    draw = np.random.default_rng(0)
    match program:
        case "fibonacci":
            return [draw.integers(0, 12, batch, np.int32, endpoint=True)]
        case "collatz":
            return [draw.integers(1, 10_000, batch, np.int64)]
        case "gcd":
            return [draw.integers(1, 1 << 30, batch, np.int32) for _ in range(2)]
        case "mandelbrot":
            x, y = draw.uniform(-2, 1, batch), draw.uniform(-1, 1, batch)
            return [x.astype(np.float32), y.astype(np.float32), np.full(batch, 100, np.int32)]
        case "bisection":
            return [draw.uniform(0, 9, batch)]
        case _:
            return [draw.integers(0, 2, batch, np.int32, endpoint=True), draw.integers(0, 6, batch, np.int32)]
