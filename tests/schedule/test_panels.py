"""Panels of the operands of a product in local memory: the same results, barriers around them, and a choice by cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import numpy as np
import pytest

import eqsat as eq
from eqsat.machine import GRAPHICS
from eqsat.ops import AxisType, Op
from eqsat.reference import evaluate
from eqsat.schedule.draft import Draft, Drafts, params_in_order
from eqsat.schedule.loops.bases import Indices
from eqsat.schedule.loops.search import choose
from eqsat.schedule.lowering.panels import in_panels
from eqsat.uop import UOp, toposort
from tests.schedule.test_groups import by_instructions, drafted, in_groups, on_pocl

CARD = replace(GRAPHICS, cores=2, local_size=64)
PLAIN = replace(CARD, local_bytes=0)  # whose kernels keep nothing in local memory
TILINGS = 1  # of each kernel, besides the best

Shapes = tuple[tuple[int, ...], ...]
PROGRAMS: dict[str, tuple[Callable[..., eq.Array], Shapes]] = {
    "product": (eq.matmul, ((32, 48), (48, 64))),
    "transposed": (lambda a, b: a.T @ b.T, ((48, 32), (64, 48))),
    "batched": (eq.matmul, ((3, 16, 24), (3, 24, 16))),
    "with an epilogue": (lambda a, b, c: eq.maximum(a @ b + c, 0.0), ((32, 32), (32, 32), (32,))),
    "weighted": (lambda a, b, w: (a * w) @ b, ((32, 24), (24, 32), (24,))),
    "convolution": (lambda x, w: eq.conv2d(x, w, padding=1), ((2, 8, 5, 16), (16, 8, 3, 3))),
    "distances": (lambda a, b: eq.sum((a[:, None] - b[None]) ** 2.0, axis=2), ((32, 24), (48, 24))),
}


def panelled(drafts: Drafts) -> list[Drafts]:
    """The drafts with one kernel in panels, in each way."""
    found: list[Drafts] = []
    for number, draft in enumerate(drafts.kernels):
        slots = [param.arg[0] for param in params_in_order(draft.sink)]
        buffers = [buffer for _, buffer in sorted(zip(slots, draft.buffers, strict=True))]
        for sink in in_panels(draft.sink):
            own = Draft.of(sink, draft.name, Indices(CARD), lambda kernel: choose(kernel, CARD)).on(buffers)
            kernels = [own if place == number else each for place, each in enumerate(drafts.kernels)]
            found.append(replace(drafts, kernels=tuple(kernels)))
    return found


def panels_of(sink: UOp) -> list[UOp]:
    return [node for node in toposort([sink]) if node.op is Op.BUFFERIZE]


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_in_panels_compute_what_numpy_does(name: str) -> None:
    """By the interpreter, which finds races and what nobody has written, and the best by PoCL; Oclgrind sees the kernels, too."""
    function, shapes = PROGRAMS[name]
    draw, chance = np.random.default_rng(0), Random(name)
    arrays = [draw.standard_normal(shape).astype(np.float32) for shape in shapes]
    (expected,) = evaluate(
        eq.trace(function, *(eq.spec(shape, eq.float32) for shape in shapes)), dict(enumerate(arrays))
    )
    ways = panelled(drafted(function, *shapes, machine=PLAIN))
    assert ways
    for drafts in ways:
        tilings = [
            {place: in_groups(each, chance) for place, each in enumerate(drafts.kernels)}
            for _ in range(TILINGS)
        ]
        for number, made in enumerate(map(drafts.schedule, [{}, *tilings])):
            for run in (by_instructions,) if number else (on_pocl, by_instructions):
                (found,) = run(made, arrays)
                np.testing.assert_allclose(
                    found.reshape(expected.shape), expected, 1e-4, 1e-4, err_msg=str(made)
                )


def test_each_operand_has_a_panel_that_the_loop_of_the_sum_fills_anew() -> None:
    """Both are filled in the loop over blocks of the sum."""
    function, shapes = PROGRAMS["product"]
    for drafts in panelled(drafted(function, *shapes, machine=PLAIN)):
        (kernel,) = drafts.kernels
        panels = panels_of(kernel.sink)
        assert len(panels) == 2
        for panel in panels:
            assert any(bound.arg[1] is AxisType.REDUCE for bound in panel.ranges)


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        pytest.param(eq.matmul, ((67, 48), (48, 71)), id="of prime extents"),
        pytest.param(eq.matmul, ((8, 48), (48, 64)), id="of few rows"),
        pytest.param(lambda a, b: a @ b, ((64, 48), (48,)), id="of a vector"),
        pytest.param(lambda a: eq.sum(a, axis=1), ((64, 64),), id="of one operand"),
        pytest.param(lambda a, b: a[:, None] + b[None], ((64,), (64,)), id="without a sum"),
    ],
)
def test_what_is_no_product_of_blocks_has_no_panels(
    function: Callable[..., eq.Array], shapes: Shapes
) -> None:
    for kernel in drafted(function, *shapes, machine=PLAIN).kernels:
        assert not list(in_panels(kernel.sink))


def test_cards_choose_panels_by_their_price_and_processors_never() -> None:
    shapes = ((1024, 1024), (1024, 1024))
    card = replace(
        GRAPHICS, cores=132, frequency=1.98e9, bandwidth=4e12, cache_bytes=(192 << 10, 192 << 10, 50 << 20)
    )
    (kernel,) = drafted(eq.matmul, *shapes, machine=card).kernels
    assert len(panels_of(kernel.sink)) == 2
    assert {AxisType.LOCAL} <= {
        node.arg[1] for node in toposort([kernel.kernel().ast]) if node.op is Op.RANGE
    }
    slow = replace(card, load_cycles=0.0)  # nobody waits for what a panel would have
    assert not panels_of(drafted(eq.matmul, *shapes, machine=slow).kernels[0].sink)
