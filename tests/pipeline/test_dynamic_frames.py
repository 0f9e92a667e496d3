"""Frames and windows along axes that only calls end: right at their borders, without reads beyond arrays, and without conditions inside."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import eqsat as eq
from tests.dynamic import evaluated, part_at, require_clean, require_right

N = eq.dim("n", 1, 120)
LONG = eq.dim("n", 8, 120)
SMALL = eq.dim("m", 1, 20)
EXTENTS = (1, 2, 7, 8, 15, 16, 17, 33, 64, 100, 119, 120)


def first_ones(x: Any) -> Any:
    """A condition of the caller on positions in a frame is none on the capacity."""
    framed = eq.pad(x, ((0, 0), (2, 2)))
    places = eq.arange(framed.shape[1])
    return eq.where((places < 9)[None, :], framed, 0.0)


PROGRAMS: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]]]] = {
    "framed": (partial(eq.conv1d, padding=2), [(2, 3, N), (4, 3, 5)]),
    "framed in front": (partial(eq.conv1d, padding=[(3, 0)]), [(2, 3, N), (4, 3, 4)]),
    "framed and spread": (partial(eq.conv1d, padding=4, dilation=2), [(2, 3, N), (4, 3, 5)]),
    "framed in steps": (partial(eq.conv1d, padding=2, stride=3), [(2, 3, N), (4, 3, 5)]),
    "transposed": (partial(eq.conv_transpose1d, padding=1, dilation=2), [(2, 3, N), (3, 4, 3)]),
    "transposed in steps": (
        partial(eq.conv_transpose1d, padding=1, stride=2, output_padding=1),
        [(2, 3, N), (3, 4, 5)],
    ),
    "in steps": (partial(eq.conv1d, stride=2), [(2, 3, LONG), (4, 3, 5)]),
    "blocks": (lambda x: eq.max_pool1d(x, 3), [(2, 3, LONG)]),
    "columns of images": (partial(eq.conv2d, padding=1), [(1, 3, 9, N), (4, 3, 3, 3)]),
    "rows of images": (partial(eq.conv2d, padding=1, stride=2), [(1, 3, N, 20), (4, 3, 3, 3)]),
    "images": (partial(eq.conv2d, padding=1), [(N, 3, 5, 20), (4, 3, 3, 3)]),
    "rows and columns": (partial(eq.conv2d, padding=1), [(1, 2, N, SMALL), (3, 2, 3, 3)]),
    "elements": (lambda x: eq.pad(x, ((1, 2), (2, 3))) * 2.0, [(5, N)]),
    "summed": (lambda x: eq.sum(eq.pad(x, ((0, 0), (2, 2))) * x[:, :1], axis=1), [(5, N)]),
    "condition in a frame": (first_ones, [(5, N)]),
}


def _values(shapes: list[tuple[int, ...]]) -> list[dict[str, int]]:
    least = min(extent.least for shape in shapes for extent in shape if isinstance(extent, eq.Extent))
    return [{"n": n, "m": max(1, 20 - n % 20)} for n in EXTENTS if n >= least]


@pytest.mark.parametrize("name", PROGRAMS)
def test_frames_are_right_for_all_extents(name: str) -> None:
    function, shapes = PROGRAMS[name]
    program = require_right(function, shapes, _values(shapes))
    require_clean(program, [{"n": 9, "m": 7}, {"n": 100, "m": 20}])


def test_what_is_beside_a_row_does_not_reach_it() -> None:
    """Whole vectors are loaded across the ends of rows; a NaN there is not in the results."""
    function = partial(eq.conv1d, padding=2)
    program = eq.compile(eq.trace(function, eq.spec((3, 2, N), eq.float32), eq.spec((4, 2, 5), eq.float32)))
    for n in (3, 17, 100, 120):
        draw = np.random.default_rng(n)
        x, w = draw.normal(size=(3, 2, n)).astype(np.float32), draw.normal(size=(4, 2, 5)).astype(np.float32)
        x[1] = np.nan
        np.testing.assert_allclose(
            program(x, w), *evaluated(function, [x, w]), rtol=1e-4, atol=1e-5, err_msg=str(n)
        )


def test_loops_inside_of_a_frame_have_no_conditions() -> None:
    long = eq.dim("n", 385, 4096)
    program = eq.compile(
        eq.trace(
            partial(eq.conv1d, padding=1),  # with more taps, some processors do better with a copy in a frame
            eq.spec((4, 4, long), eq.float32),
            eq.spec((8, 4, 3), eq.float32),
        )
    )
    (kernel,) = part_at(program, {"n": 1000}).kernels
    loads = [
        line for line in kernel.source.splitlines() if re.search(r"= .*float16_unaligned \*\)\(in1", line)
    ]
    assert [line for line in loads if "?" not in line]
    assert [line for line in loads if "?" in line]
    assert "%" not in kernel.source


@pytest.mark.parametrize("step", [2, 3, -2])
def test_elements_at_steps_are_read_up_to_the_last_one(step: int) -> None:
    """Whole vectors around lanes that lie apart stay in the array of the call, which is smaller than the capacity."""
    program = eq.compile(eq.trace(lambda x: eq.sum(x[::step]), eq.spec((eq.dim("n", 1, 4096),), eq.float32)))
    require_clean(program, [{"n": abs(step) * (whole - 1) + 1} for whole in (32, 64, 128, 1024)])
