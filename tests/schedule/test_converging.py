"""Values with many uses, all of which meet in what one kernel stores: computed once, by that kernel."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import eqsat as eq
from benchmarks.kernels.functions import solved_tridiagonal
from eqsat.dtype import float64
from eqsat.egraph.saturate import saturate
from eqsat.machine import Machine
from eqsat.ops import Op
from eqsat.pipeline.compilation import drafts_of
from eqsat.schedule.placement.array_graph import ArrayGraph
from eqsat.schedule.placement.candidates import StorageCandidates
from eqsat.uop import UOp

ROWS = (40, 33)
Unknowns = list[Any]


def systems(count: int) -> list[np.ndarray]:
    draw = np.random.default_rng(count)
    below, above, right = (draw.standard_normal((count, *ROWS)) for _ in range(3))
    return [below, 4.0 + draw.random((count, *ROWS)), above, right]


RESULTS: dict[str, Callable[[Any, Unknowns], Any]] = {
    "apart": lambda xp, found: tuple(found),
    "stacked": lambda xp, found: xp.stack(found),
    "side by side": lambda xp, found: xp.stack(found, axis=-1),
    "in the middle": lambda xp, found: xp.stack(found, axis=1),
    "stacked twice": lambda xp, found: xp.stack([xp.stack(found[:2]), xp.stack(found[-2:])], axis=2),
}


# Each result of some arrays, and few and many arrays where results stay apart and where they are put together.
COUNTS = [
    *((6, result) for result in RESULTS),
    *((count, result) for count in (2, 12) for result in ("apart", "stacked twice")),
]


def solved(xp: Any, *arrays: Any, result: str) -> Any:
    return RESULTS[result](xp, solved_tridiagonal(*arrays))


@pytest.mark.parametrize(("count", "result"), [*COUNTS, (3, "in the middle")])
def test_a_recurrence_and_its_way_back_are_one_kernel(count: int, result: str) -> None:
    function = partial(solved, eq, result=result)
    drafts = drafts_of(eq.trace(function, *[eq.spec((count, 64, 256), float64)] * 4), eq.Plan())
    assert len(drafts.kernels) == 1


@pytest.mark.parametrize(("count", "result"), COUNTS)
def test_it_is_right(count: int, result: str) -> None:
    given = systems(count)
    got, expected = eq.jit(partial(solved, eq, result=result))(*given), solved(np, *given, result=result)
    if result != "apart":
        got, expected = [got], [expected]
    for mine, theirs in zip(got, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("count", [17, 24])
def test_more_arrays_than_there_are_pieces_are_right(count: int) -> None:
    given = systems(count)
    program = eq.jit(lambda *arrays: eq.stack(solved_tridiagonal(*arrays)))
    np.testing.assert_allclose(program(*given), np.stack(solved_tridiagonal(*given)), rtol=1e-12, atol=1e-15)


def test_a_row_beside_many_is_not_computed_for_each_of_these() -> None:
    """Of a first row that is put before others, a kernel of all rows would compute the rest of the row in vain."""
    x, y = (np.linspace(-1, 1, n * 257, dtype=np.float32).reshape(n, 257) for n in (1, 40))

    def joined(xp: Any, x: Any, y: Any) -> Any:
        first = xp.exp(x) * x
        return xp.concat([first, y * first], axis=0)

    np.testing.assert_allclose(eq.jit(partial(joined, eq))(x, y), joined(np, x, y), rtol=1e-6)


def test_outputs_that_are_made_of_each_other_are_one_kernel() -> None:
    """The third needs the first through the second, which the same kernel stores."""

    def chain(x: Any) -> Any:
        first = x * 2.0 + 1.0
        second = first * x
        return first, second, second * first

    x = np.linspace(-1, 1, 10_000)
    program = eq.compile(eq.trace(chain, eq.spec(x.shape, float64)))
    assert len(program.schedule.kernels) == 1
    for mine, theirs in zip(program(x), chain(x), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-15)


def moments(xp: Any, steps: int, weight: Any, gradient: Any, mean: Any, square: Any) -> tuple[Any, ...]:
    """Steps of Adam; the weights of each step need its moments."""
    for step in range(1, steps + 1):
        slope = gradient * weight
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope * slope
        weight = weight - 0.01 * (mean / (1 - 0.9**step)) / (xp.sqrt(square / (1 - 0.99**step)) + 1e-3)
    return weight, mean, square


def leapfrog(xp: Any, steps: int, place: Any, speed: Any, mass: Any, stiffness: Any) -> tuple[Any, ...]:
    """Steps of a nonlinear spring, and its energy at the end."""
    for _ in range(steps):
        speed = speed - 0.05 * xp.sin(place) * stiffness / (1.0 + mass * mass)
        place = place + 0.05 * speed
    return place, speed, 0.5 * (1.0 + mass * mass) * speed * speed + stiffness * (1.0 - xp.cos(place))


@pytest.mark.parametrize("function", [moments, leapfrog])
@pytest.mark.parametrize("steps", [2, 5, 12])
def test_steps_that_carry_several_arrays_are_one_kernel(function: Callable[..., Any], steps: int) -> None:
    """Results of the last step are made of each other, element by element, and so are all arrays before them."""
    given = [np.random.default_rng(n).random(5000) for n in range(4)]
    program = eq.compile(eq.trace(partial(function, eq, steps), *[eq.spec((5000,), float64)] * 4))
    assert len(program.schedule.kernels) == 1
    assert program.schedule.gap <= eq.Plan().gap
    for mine, theirs in zip(program(*given), function(np, steps, *given), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-10)


def test_steps_that_need_neighbours_of_another_result_are_right() -> None:
    """A result of which another one needs other elements has a kernel of its own."""

    def waves(xp: Any, height: Any, speed: Any) -> tuple[Any, Any]:
        for _ in range(4):
            speed = speed + 0.1 * (xp.roll(height, 1) - 2.0 * height + xp.roll(height, -1))
            height = height + 0.1 * xp.tanh(speed)
        return height, speed

    given = [np.random.default_rng(n).random(3001) for n in range(2)]
    for mine, theirs in zip(eq.jit(partial(waves, eq))(*given), waves(np, *given), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-10)


@pytest.mark.parametrize(("count", "axis"), [(2, 0), (2, 1), (3, 2), (16, 1), (16, 2), (17, 0), (17, 2)])
def test_a_frame_around_a_stack_is_not_read(count: int, axis: int) -> None:
    """What is computed for each array of a stack is so for none of the places of a frame, which no array has."""
    frame = [(1, 2), (3, 1)]
    frame.insert(axis, (0, 0))

    def framed(xp: Any, *arrays: Any) -> Any:
        return xp.pad(xp.stack([x * 2.0 + 1.0 for x in arrays], axis=axis), frame) * 3.0

    given = [np.random.default_rng(n).standard_normal((9, 21)).astype(np.float32) for n in range(count)]
    np.testing.assert_allclose(eq.jit(partial(framed, eq))(*given), framed(np, *given), rtol=1e-6)


def test_a_convolution_of_stacked_channels_reads_no_frame() -> None:
    channels = [np.random.default_rng(n).standard_normal((1, 12, 20)).astype(np.float32) for n in range(3)]
    weights = np.random.default_rng(4).standard_normal((4, 3, 3, 3)).astype(np.float32)

    def convolved(*arrays: Any) -> Any:
        return eq.conv2d(eq.stack([x * x for x in arrays[:-1]], axis=1), arrays[-1], padding=1)

    got = eq.jit(convolved)(*channels, weights)
    images = np.pad(np.stack(channels, axis=1) ** 2, ((0, 0), (0, 0), (1, 1), (1, 1)))
    spread = np.lib.stride_tricks.sliding_window_view(images, (3, 3), (2, 3))
    np.testing.assert_allclose(got, np.einsum("bcxyuv,fcuv->bfxy", spread, weights), rtol=1e-4, atol=1e-4)


def transformed(xp: Any, *x: Any) -> tuple[Unknowns, Unknowns]:
    """The real and imaginary parts of the discrete Fourier transform of real values, each made of two of half the length."""
    if len(x) == 1:
        return [x[0]], [xp.zeros_like(x[0])]
    (even, even_imaginary), (odd, odd_imaginary) = (transformed(xp, *x[first::2]) for first in range(2))
    found: tuple[Unknowns, Unknowns] = ([], [])
    for sign in (1.0, -1.0):
        for place, (real, imaginary) in enumerate(zip(odd, odd_imaginary, strict=True)):
            cosine, sine = (float(f(-2 * np.pi * place / len(x))) for f in (np.cos, np.sin))
            found[0].append(even[place] + sign * (cosine * real - sine * imaginary))
            found[1].append(even_imaginary[place] + sign * (cosine * imaginary + sine * real))
    return found


@pytest.mark.parametrize(("count", "axis"), [(4, 0), (4, -1), (8, 0), (16, -1)])
def test_values_whose_uses_meet_in_two_results_are_not_stored(count: int, axis: int) -> None:
    """The kernels of a fast Fourier transform store the two stacks only, though its e-graph computes values of each other in cycles."""

    def function(x: Any) -> tuple[Any, ...]:
        return tuple(eq.stack(part, axis=axis) for part in transformed(eq, *[x[:, i] for i in range(count)]))

    graph = eq.trace(function, eq.spec((300, count), eq.float32))
    assert len(drafts_of(graph, eq.Plan()).kernels) <= 2
    x = np.random.default_rng(count).standard_normal((300, count)).astype(np.float32)
    real, imaginary = eq.compile(graph)(x)
    expected = np.fft.fft(x)
    np.testing.assert_allclose(real, np.moveaxis(expected.real, -1, axis), atol=1e-5)
    np.testing.assert_allclose(imaginary, np.moveaxis(expected.imag, -1, axis), atol=1e-5)


def test_outputs_of_which_one_needs_all_of_another_are_no_kernel() -> None:
    """The second result needs the greatest element of the first, so that a value of which both are made has no kernel of both."""

    def function(xp: Any, x: Any) -> Any:
        waves = xp.sin(x) * xp.exp(x)
        return waves + x, waves - xp.max(waves + x)

    x = np.linspace(-2, 2, 5000, dtype=np.float32)
    for mine, theirs in zip(eq.jit(partial(function, eq))(x), function(np, x), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-5)


def test_of_an_array_that_is_asked_for_no_second_one_is_stored() -> None:
    """Its kernel computes it and whatever else it needs."""

    def asked(x: eq.Array) -> eq.Array:
        total = x[0] * x[1]
        for k in range(2, 16):
            total = total * x[k] + eq.exp(x[k])
        return eq.Array(UOp(Op.CONTIGUOUS, total.dtype, (total.uop,)))[::-1] * x

    traced = eq.trace(asked, eq.spec((16, 640, 640), float64))
    graph = ArrayGraph(saturate([traced], eq.Plan().admitted).snapshot, Machine())
    (copy,) = (c for c in graph.classes if Op.CONTIGUOUS in graph.ops[c])
    storable = StorageCandidates(graph).storable
    assert copy in storable
    assert storable.isdisjoint(graph.rows[graph.cheapest[copy]])
