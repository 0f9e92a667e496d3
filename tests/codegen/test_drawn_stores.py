"""Drawn kernels whose STOREs may meet: what the spec refuses meets in the reference, and what passes both is the same on a device."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np

from eqsat.codegen import expand
from eqsat.dtype import float32, index, void
from eqsat.errors import EvaluationError, SpecError
from eqsat.ops import WORK_ITEMS, AxisType, KernelInfo, Op, Stage
from eqsat.reference import evaluate_kernel
from eqsat.spec import verify
from eqsat.uop import UOp
from tests.codegen.device import check

SIZE, DATA = 24, np.arange(24, dtype=np.float32)
_AXES = (AxisType.GLOBAL, AxisType.LOCAL, AxisType.LOOP, AxisType.UNROLL, AxisType.UPCAST)


def drawn(seed: int) -> UOp:
    """A kernel that stores to PARAM 0 what it loads from PARAM 1."""
    draw = random.Random(f"stores {seed}")
    bounds = [
        UOp.range(draw.choice((1, 2, 3, 4, 6)), number, draw.choice(_AXES))
        for number in range(draw.randint(1, 2))
    ]
    first = _store(draw, UOp.param(0, SIZE, float32), _place(draw, bounds), bounds)
    if draw.random() < 0.5:
        return UOp.sink(first, arg=KernelInfo("stores"))
    others = (
        bounds
        if draw.random() < 0.5
        else [UOp.range(each.src[0].arg, 7 + each.arg[0], each.arg[1]) for each in bounds]
    )
    buffer = UOp.param(0, SIZE, float32)
    if others is not bounds and not any(each.arg[1] in WORK_ITEMS for each in bounds) and draw.random() < 0.5:
        buffer = UOp(Op.AFTER, buffer.dtype, (buffer, first))
    place = first.src[0].src[1] if others is bounds and draw.random() < 0.5 else _place(draw, others)
    return UOp.sink(first, _store(draw, buffer, place, others), arg=KernelInfo("stores"))


def _place(draw: random.Random, bounds: list[UOp]) -> UOp:
    place = UOp.const(index, draw.choice((0, 0, 3, 12)))
    for bound in bounds:
        term = draw.choice((bound, bound, bound % 2, bound // 2, bound * 2 % 3))
        place = place + term * draw.choice((0, 1, 1, 2, 3, 4, 6))
    return place % SIZE


def _store(draw: random.Random, buffer: UOp, place: UOp, bounds: list[UOp]) -> UOp:
    gate = (draw.choice(bounds) < draw.randint(1, 3),) if draw.random() < 0.3 else ()
    source = UOp(Op.INDEX, float32, (UOp.param(1, SIZE, float32), _place(draw, bounds)))
    value = UOp(Op.LOAD, float32, (source,)) * draw.choice((1.0, 2.0))
    return UOp(Op.STORE, void, (UOp(Op.INDEX, float32, (buffer, place, *gate)), value, *bounds))


def test_stores_that_meet_are_refused_or_agree() -> None:
    """The spec refuses what is not well defined and nothing else, and devices agree with the reference about the rest."""
    seen = Counter[str]()
    for seed in range(600):
        sink = drawn(seed)
        legal, expected = _is_legal(sink), _by_reference(sink)
        has_lanes = any(each.op is Op.RANGE and each.arg[1] is AxisType.UPCAST for each in sink.toposort())
        if not has_lanes or legal:  # of lanes there are other laws
            assert legal == (expected is not None), (
                f"{seed}: the spec and the reference differ\n{sink.pretty()}"
            )
        if not legal:
            seen["refused"] += 1
            continue
        expanded = expand(sink)
        verify(expanded, Stage.EXPANDED)
        assert np.array_equal(_by_reference(expanded), expected), f"{seed}\n{sink.pretty()}"
        seen["legal"] += 1
        if seen["legal"] <= 100:
            (found,) = check(sink, {1: DATA}, rtol=0)
            assert np.array_equal(found, expected), f"{seed}\n{sink.pretty()}"
    assert min(seen.values()) >= 100, seen


def _is_legal(sink: UOp) -> bool:
    try:
        verify(sink, Stage.KERNEL)
    except SpecError:
        return False
    return True


def _by_reference(sink: UOp) -> np.ndarray | None:
    result = np.zeros(SIZE, np.float32)
    try:
        evaluate_kernel(sink, [result, DATA])
    except EvaluationError:
        return None
    return result
