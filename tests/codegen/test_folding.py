"""Index arithmetic and vectors that expansion simplifies as it goes mean what they meant."""

import itertools
import operator

import numpy as np
import pytest

from eqsat.codegen.expansion.access import store_whole_or_parts, stores_of
from eqsat.codegen.expansion.borders import masked
from eqsat.codegen.expansion.lanes import (
    bounds_of,
    combine,
    elementwise,
    fold,
    pick,
    scanned_lanes,
    vector_of,
)
from eqsat.dtype import bool_, float32, index, int32, void
from eqsat.ops import Op
from eqsat.reference import evaluate
from eqsat.uop import UOp

NUMBERS = (-7, -1, 0, 1, 3, 4)
FOLDED = {
    Op.ADD: operator.add, Op.MUL: operator.mul, Op.FLOORDIV: operator.floordiv, Op.FLOORMOD: operator.mod, Op.MIN: min, Op.MAX: max,
}  # fmt: skip
N = UOp.variable("n", 2, 5)


def c(value):
    return UOp.const(index, value)


@pytest.mark.parametrize("op", FOLDED, ids=lambda op: op.name)
def test_constants_are_folded_as_python_computes_them(op):
    for left, right in itertools.product(NUMBERS, NUMBERS):
        made = c(left).replace(op=op, src=(c(left), c(right)), arg=None)
        if op in (Op.FLOORDIV, Op.FLOORMOD) and not right:
            assert fold(made) is made
        else:
            assert fold(made) is c(FOLDED[op](left, right))


@pytest.mark.parametrize("op", FOLDED, ids=lambda op: op.name)
def test_what_varies_is_not_folded(op):
    for sources in ((N, c(3)), (c(3), N)):
        made = UOp(op, index, sources)
        assert fold(made) is made


def test_only_indices_are_folded():
    """Integers wrap, which is left to those who know how."""
    made = UOp(Op.ADD, int32, (UOp.const(int32, 1), UOp.const(int32, 2)))
    assert fold(made) is made


def test_lanes_of_constants_are_constants():
    vector = UOp(Op.VCONST, index.vec(4), (), (3, 1, 4, 1))
    assert pick(vector, (2,)) is c(4)
    assert pick(vector, (2, 0)) is UOp(Op.VCONST, index.vec(2), (), (4, 3))


@pytest.mark.parametrize(
    ("left", "right", "known"),
    [
        (N, c(6), True),
        (N, c(5), None),
        (N, c(3), None),
        (N, c(2), False),
        (N, c(1), False),
        (c(1), N, True),
        (c(5), N, False),
    ],
)
def test_bounds_decide_comparisons(left, right, known):
    made = UOp(Op.CMPLT, bool_, (left, right))
    assert fold(made) is (made if known is None else UOp.const(bool_, known))


TRUTHS = (UOp.const(bool_, False), UOp.const(bool_, True))
SMALL = UOp(Op.CMPLT, bool_, (N, c(4)))


@pytest.mark.parametrize("op", [Op.AND, Op.OR, Op.CMPNE], ids=lambda op: op.name)
def test_truths_with_a_constant_are_simpler(op):
    for left, right in itertools.product((*TRUTHS, SMALL), repeat=2):
        made = UOp(op, bool_, (left, right))
        folded = fold(made)
        for value in range(2, 6):
            assert evaluate(folded, {"n": value}) == evaluate(made, {"n": value})
        constants = [each for each in (left, right) if each.op is Op.CONST]
        stays = not constants or (op is Op.CMPNE and constants == [TRUTHS[1]])
        assert (folded is made) == stays


def test_integers_are_no_truths():
    made = UOp(Op.CMPNE, bool_, (N, c(0)))
    assert fold(made) is made


# stores

BUFFER = UOp.param(0, 16, float32)


def target(place, *gate):
    return UOp(Op.INDEX, float32, (BUFFER, place, *gate))


def test_stores_under_gates_that_are_known():
    """Those that never happen are left out, and those that always do have no gate."""
    value = UOp.const(float32, 1.0)
    assert stores_of(target(N, TRUTHS[0]), value, ()) == []
    assert stores_of(target(N, TRUTHS[1]), value, ()) == [UOp(Op.STORE, void, (target(N), value))]
    for other in (target(N), target(N, SMALL)):
        assert stores_of(other, value, ()) == [UOp(Op.STORE, void, (other, value))]


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("rising", [False, True])
def test_every_lane_is_stored_once_where_its_gate_says(count, rising):
    """Whole where all gates are true, else lane by lane."""
    end = c(6)
    gates = [
        UOp(Op.CMPLT, bool_, (end, N + lane + 3) if rising else (N + lane, end)) for lane in range(count)
    ]
    targets = [target(N + lane, gate) for lane, gate in enumerate(gates)]
    value = vector_of([UOp.const(float32, float(lane)) for lane in range(count)])
    statements = store_whole_or_parts(targets, value, ())
    for n in range(2, 6):
        known = {"n": n}
        written = [
            (
                lane + int(evaluate(address.src[1], known)),
                lane if stored.dtype.lanes > 1 else float(evaluate(stored)),
            )
            for address, stored in (each.src for each in statements)
            if len(address.src) < 3 or evaluate(address.src[2], known)
            for lane in range(stored.dtype.lanes)
        ]
        assert sorted(written) == [
            (n + lane, lane) for lane, gate in enumerate(gates) if evaluate(gate, known)
        ]


@pytest.mark.parametrize("never", [False, True])
@pytest.mark.parametrize("known_end", [None, 16, 10, 3])
@pytest.mark.parametrize("position", range(-3, 16))
def test_masked_loads_are_those_of_their_lanes(never, known_end, position):
    """A whole load where it lies in the array, lane by lane where not, and nothing where one condition is known to be false.

    The array ends with the buffer, or at a variable.
    """
    start, end = UOp.variable("p", -3, 15), UOp.variable("e", 1, 16)
    held = [
        UOp(
            Op.CMPLT,
            bool_.vec(4),
            (vector_of([c(0)] * 4), vector_of([start + lane + 1 for lane in range(4)])),
        )
    ]
    if known_end is None:
        ends, last = [], c(16)
        of_lanes = vector_of([start + lane for lane in range(4)])
        held.append(UOp(Op.CMPLT, bool_.vec(4), (of_lanes, vector_of([last] * 4))))
    else:
        ends, last = [end], end
    inside = [position + lane in range(known_end or 16) and not never for lane in range(4)]
    other = UOp.const(float32, 0.0)
    gates = [(start + lane >= 0) & (start + lane < last) & UOp.const(bool_, not never) for lane in range(4)]
    loads = [UOp(Op.LOAD, float32, (target(start + lane, gate), other)) for lane, gate in enumerate(gates)]
    made = masked(target(start), ends, [*held, UOp.const(bool_, not never)], loads, vector_of([other] * 4))
    known = {0: np.arange(16, dtype=np.float32) + 1, "p": position, "e": known_end or 16}
    found = evaluate(made, known)
    np.testing.assert_array_equal(found, [position + lane + 1 if inside[lane] else 0 for lane in range(4)])


def lanes(*values):
    return vector_of([UOp.const(index, value) for value in values])


@pytest.mark.parametrize(
    ("vector", "ends"),
    [
        (lanes(3, -2, 5, 4), (-2, 5)),
        (lanes(3, -2) + lanes(10, 20), (8, 23)),
        (lanes(3, -2) * lanes(2, 2), (-4, 6)),
        (UOp(Op.GEP, index, (lanes(3, -2, 5, 4),), (1,)), (-2, 5)),
        (vector_of([N, N + 10]), (2, 15)),
        (UOp(Op.SHR, int32, (UOp.const(int32, 9), UOp.const(int32, 1))), (0, 9)),
        (UOp(Op.SHR, int32, (UOp.const(int32, -9), UOp.const(int32, 1))), (-9, 0)),
    ],
)
def test_bounds_hold_for_all_lanes(vector, ends):
    assert bounds_of(vector) == ends


@pytest.mark.parametrize("count", range(1, 10))
def test_values_are_combined_once_each_in_a_shallow_tree(count):
    values = [UOp.variable(f"x{number}", 0, 99) for number in range(count)]
    whole = combine(values, Op.ADD)
    assert evaluate(whole, {f"x{number}": 1 << number for number in range(count)}) == (1 << count) - 1

    def depth(node):
        return 0 if node.op is not Op.ADD else 1 + max(map(depth, node.src))

    assert depth(whole) == (count - 1).bit_length()


@pytest.mark.parametrize("op", [Op.ADD, Op.MAX], ids=lambda op: op.name)
@pytest.mark.parametrize("count", [2, 3, 4, 8])
def test_lanes_are_scanned_from_the_first(op, count):
    values = np.array([3, -1, 4, 1, -5, 9, 2, 6][:count], np.float32)
    vector = UOp(Op.VCONST, float32.vec(count), (), tuple(map(float, values)))
    scanned = np.add.accumulate(values) if op is Op.ADD else np.maximum.accumulate(values)
    np.testing.assert_array_equal(evaluate(scanned_lanes(vector, op)), scanned)


@pytest.mark.parametrize(
    "offsets",
    [(0, 1, 2, 3), (0, 1, 2, 1 << 31), (-(1 << 31) - 1, 0, 0, 0), ((1 << 31) - 1, 0, 0, -(1 << 31))],
)
def test_indices_become_integers_lane_by_lane(offsets):
    """Also where they do not fit, and wrap."""
    vector = lanes(*offsets)
    for index_vector in (vector, UOp(Op.ADD, index.vec(4), (vector, vector_of([N] * 4)))):
        made = elementwise(UOp(Op.CAST, int32, (c(0),)), [index_vector])
        assert made.dtype == int32.vec(4)
        plain = np.asarray(evaluate(index_vector, {"n": 3})).astype(np.int32)
        np.testing.assert_array_equal(evaluate(made, {"n": 3}), plain)
