"""What forms of kernels share: buffers, ranges, and stores of a value for each iteration."""

from collections.abc import Iterator

import numpy as np

from eqsat.dtype import float32
from eqsat.ops import AxisType, Op, Stage
from eqsat.uop import UOp
from tests.forms.form import (
    Build,
    Form,
    Refused,
    Runs,
    at,
    kernel,
    load,
    node,
    store,
)

COUNT = 8
X, Y = UOp.param(0, 2 * COUNT, float32), UOp.param(1, COUNT, float32)
INPUTS = {0: np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3], np.float32)}
R = UOp.range(COUNT, 0, AxisType.GLOBAL)
K = UOp.range(2, 1, AxisType.REDUCE)
READ = load(at(X, R))
AXES = {
    AxisType.PLACEHOLDER, AxisType.LOOP, AxisType.GLOBAL, AxisType.THREAD, AxisType.WARP, AxisType.LOCAL, AxisType.UPCAST, AxisType.UNROLL,
}  # fmt: skip
VECTOR = node(Op.VCONST, float32.vec(4), arg=(1.0, 2.0, 3.0, 4.0))
FOUR = UOp.range(2, 0, AxisType.GLOBAL)  # groups of four elements
STAGES = (Stage.KERNEL, Stage.EXPANDED)


def runs(title: str, stage: Stage, *statements: UOp) -> Runs:
    return Runs(title, stage, kernel(*statements), INPUTS)


def both(title: str, *statements: UOp) -> Iterator[Form]:
    for stage in STAGES:
        yield runs(title, stage, *statements)


def refused(title: str, stage: Stage, op: Op, words: str, build: Build) -> Refused:
    return Refused(title, stage, op, build, words)


def stored(value: UOp, *bounds: UOp) -> UOp:
    """A store of what varies with R."""
    return store(at(Y, R), value, R, *bounds)


def vector_stored(value: UOp) -> UOp:
    """A store of a vector of four for each of two."""
    return store(at(Y, FOUR * 4), value, FOUR)
