"""The pieces that expand values to vectors, each with exactly what it gives."""

from __future__ import annotations

import pytest

from eqsat.codegen.expansion.lanes import (
    added,
    balanced,
    bounds_of,
    broadcast,
    combine,
    elementwise,
    fold,
    identity,
    pick,
    repeated,
    scanned_lanes,
    shifted,
    shuffled,
    vector_of,
)
from eqsat.codegen.expansion.transposition import transpose
from eqsat.dtype import bool_, float32, float64, index, int8, int16, int32, int64, uint8
from eqsat.ops import Op
from eqsat.uop import UOp, toposort
from tests.codegen.pieces import N, constants, joined, part, scalar, vector
from tests.forms.form import f, i, node


def test_a_scalar_is_put_in_all_lanes():
    assert broadcast(scalar(), 1) is scalar()
    assert broadcast(vector(), 4) is vector()
    assert broadcast(f(2.0), 3) is constants(2.0, 2.0, 2.0)
    assert broadcast(scalar(), 2) is joined(scalar(), scalar())


def test_values_are_put_side_by_side():
    assert vector_of([scalar()]) is scalar()
    assert vector_of([f(1.0), f(2.0)]) is constants(1.0, 2.0)
    assert vector_of([f(1.0), scalar()]) is joined(f(1.0), scalar())
    assert vector_of([vector(2), vector(2, 2)]) is node(Op.CAT, float32.vec(4), vector(2), vector(2, 2))
    assert vector_of([vector(2), vector(2, 2), vector(4)]).dtype == float32.vec(8)


def test_lanes_are_picked():
    assert pick(scalar(), (0,)) is scalar()
    assert pick(vector(), (0, 1, 2, 3)) is vector()
    assert pick(vector(), (1,)) is part(vector(), 1)
    assert pick(vector(), (1, 0, 2, 3)) is part(vector(), 1, 0, 2, 3)
    assert pick(vector(), (0, 1)) is part(vector(), 0, 1)
    assert pick(joined(scalar(0), scalar(1)), (1,)) is scalar(1)
    assert pick(joined(scalar(0), scalar(1), scalar(2)), (2, 0)) is joined(scalar(2), scalar(0))
    assert pick(constants(1.0, 2.0, 3.0), (2,)) is f(3.0)
    assert pick(constants(1.0, 2.0, 3.0), (2, 1)) is constants(3.0, 2.0)


def test_lanes_of_two_whole_vectors_are_shuffled_and_others_joined():
    a, b = vector(2), vector(2, 2)
    both = node(Op.CAT, float32.vec(4), a, b)
    assert shuffled([(a, 0), (b, 0)]) is part(both, 0, 2)
    assert shuffled([(b, 1), (a, 0)]) is part(node(Op.CAT, float32.vec(4), b, a), 1, 2)
    assert shuffled([(a, 1), (a, 0)]) is joined(part(a, 1), part(a, 0))
    assert shuffled([(a, 0), (vector(4), 0)]) is joined(part(a, 0), part(vector(4), 0))
    assert shuffled([(a, 0), (constants(1.0, 2.0), 1)]) is joined(part(a, 0), f(2.0))
    assert shuffled([(a, 0), (joined(scalar(), scalar()), 1)]) is joined(part(a, 0), scalar())
    assert shuffled([(a, 0), (joined(scalar(), scalar(1)), 1)]) is part(
        node(Op.CAT, float32.vec(4), a, joined(scalar(), scalar(1))), 0, 3
    )
    less, more = a.alu(Op.CMPLT, b), b.alu(Op.CMPLT, a)
    assert shuffled([(less, 0), (more, 1)]) is joined(part(less, 0), part(more, 1))


def test_what_all_lanes_hold():
    assert repeated(joined(scalar(), scalar())) is scalar()
    assert repeated(joined(scalar(), scalar(1))) is None
    assert repeated(constants(2.0, 2.0)) is f(2.0)
    assert repeated(constants(2.0, 3.0)) is None
    assert repeated(constants(0.0, -0.0)) is None
    assert repeated(constants(float("nan"), float("nan"))) is UOp.const(float32, float("nan"))
    assert repeated(scalar()) is None
    assert repeated(part(vector(), 0, 0)) is None


BYTE = vector(4, 0, uint8)


@pytest.mark.parametrize(
    ("value", "ends"),
    [
        (constants(3, -1, 2, dtype=index), (-1, 3)),
        (joined(N, N + 20), (0, 29)),
        (node(Op.CAT, index.vec(4), constants(1, 2, dtype=index), constants(-4, 0, dtype=index)), (-4, 2)),
        (part(constants(3, -1, dtype=index), 0), (-1, 3)),
        (BYTE, (0, 255)),
        (BYTE.cast(int32.vec(4)), (0, 255)),
        (BYTE.cast(int32.vec(4)) + constants(5, 5, 5, 5, dtype=int32), (5, 260)),
        (BYTE.alu(Op.SHR, constants(1, 1, 1, 1, dtype=uint8)), (0, 255)),
        (vector(4, 0, int8).alu(Op.SHR, constants(1, 1, 1, 1, dtype=int8)), (-128, 127)),
        (BYTE.alu(Op.MAX, constants(7, 7, 7, 7, dtype=uint8)), (7, 255)),
        (N * 2 + 1, (1, 19)),
    ],
    ids=repr,
)
def test_bounds_are_those_of_all_lanes(value, ends):
    assert bounds_of(value) == ends


def test_lanes_are_scanned_in_a_logarithm_of_steps():
    whole = vector()
    assert shifted(whole, 1, Op.ADD) is joined(f(0.0), part(whole, 0), part(whole, 1), part(whole, 2))
    assert shifted(whole, 3, Op.MUL) is joined(f(1.0), f(1.0), f(1.0), part(whole, 0))
    first = whole.alu(Op.ADD, shifted(whole, 1, Op.ADD))
    assert scanned_lanes(whole, Op.ADD) is first.alu(Op.ADD, shifted(first, 2, Op.ADD))
    assert scanned_lanes(scalar(), Op.ADD) is scalar()
    assert identity(scalar(), Op.ADD) is f(0.0)
    assert identity(vector(2, 0, int32), Op.MAX) is constants(int32.min, int32.min, dtype=int32)


def test_trees_are_balanced():
    def join(left: str, right: str) -> str:
        return f"({left}{right})"

    assert [balanced("abcdefg"[:count], join) for count in range(1, 8)] == [
        "a", "(ab)", "((ab)c)", "((ab)(cd))", "(((ab)(cd))e)", "(((ab)(cd))(ef))", "(((ab)(cd))((ef)g))",
    ]  # fmt: skip
    a, b, c = scalar(0), scalar(1), scalar(2)
    assert combine([a, b, c], Op.MUL) is (a * b) * c


def test_sums_of_scalars_and_vectors():
    places = constants(0, 1, 2, 3, dtype=index)
    assert added(N, []) is N
    assert added(i(0), [places]) is places
    assert added(i(3), [places]) is constants(3, 3, 3, 3, dtype=index).alu(Op.ADD, places)
    assert added(N, [places]) is joined(N, N, N, N).alu(Op.ADD, places)
    assert added(i(0), [places, places]) is places.alu(Op.ADD, places)


def test_operations_are_widened():
    a, whole = scalar(), vector()
    assert elementwise(a + a, [scalar(1), scalar(2)]) is scalar(1) + scalar(2)
    assert elementwise(a + a, [whole, a]) is whole.alu(Op.ADD, joined(a, a, a, a))
    assert elementwise(N + N, [i(2), i(3)]) is i(5)
    assert elementwise(a.cast(int32), [whole]) is whole.cast(int32.vec(4))
    assert elementwise(a.cast(float64), [whole]) is whole.cast(float64.vec(4))
    named = node(Op.SIN, float32, a, arg="small")
    assert elementwise(named, [whole]) is node(Op.SIN, float32.vec(4), whole, arg="small")


def test_positions_become_integers_part_by_part():
    places, cast = constants(0, 1, 2, 3, dtype=index), N.cast(int32)
    four = (cast,) * 4
    assert elementwise(cast, [joined(N, N, N, N)]) is joined(*four)
    assert elementwise(cast, [places]) is constants(0, 1, 2, 3, dtype=int32)
    wide = constants(0, 2**31, dtype=index)
    assert elementwise(cast, [wide]) is wide.cast(int32.vec(2))
    low = constants(-(2**31), 2**31 - 1, dtype=index)
    assert elementwise(cast, [low]) is constants(-(2**31), 2**31 - 1, dtype=int32)
    lower = constants(-(2**31) - 1, 0, dtype=index)
    assert elementwise(cast, [lower]) is lower.cast(int32.vec(2))
    both = joined(N, N, N, N).alu(Op.ADD, places)
    assert elementwise(cast, [both]) is joined(*four).alu(Op.ADD, constants(0, 1, 2, 3, dtype=int32))
    product = joined(N, N, N, N).alu(Op.MUL, places)
    assert elementwise(cast, [product]) is product.cast(int32.vec(4))
    same = vector(4, 0, int64)
    assert elementwise(cast, [same]) is same.cast(int32.vec(4))


@pytest.mark.parametrize(
    ("value", "folded"),
    [
        (N < 10, True),
        (N < 9, None),
        (N < 0, False),
        (N < 1, None),
        (node(Op.CMPLT, bool_, i(9), N), False),
        (node(Op.CMPLT, bool_, i(8), N), None),
        (node(Op.CMPLT, bool_, i(-1), N), True),
        (node(Op.FLOORDIV, index, i(-7), i(2)), -4),
        (node(Op.FLOORMOD, index, i(-7), i(2)), 1),
        (node(Op.FLOORDIV, index, i(7), i(0)), None),
        (node(Op.FLOORMOD, index, i(7), i(0)), None),
        (node(Op.ADD, index, i(7), i(0)), 7),
        (node(Op.MUL, index, i(7), i(3)), 21),
        (node(Op.MIN, index, i(7), i(3)), 3),
        (node(Op.MAX, index, i(7), i(3)), 7),
        (node(Op.SUB, index, i(7), i(3)), None),
        (node(Op.MUL, index, N, i(0)), 0),
        (node(Op.MUL, index, i(0), N), 0),
        (node(Op.MUL, index, N, i(2)), None),
        (node(Op.ADD, int32, *(UOp.const(int32, 1),) * 2), None),
    ],
    ids=repr,
)
def test_arithmetic_of_constants_is_folded(value, folded):
    assert fold(value) is (value if folded is None else UOp.const(value.dtype, folded))


@pytest.mark.parametrize("dtype", [uint8, int16, int32, float64, float32], ids=str)
@pytest.mark.parametrize("size", [2, 4, 8, 16])
def test_squares_are_transposed_by_shuffles(dtype, size):
    """Each lane is followed to where it comes from; every vector of each round is a shuffle of two."""
    rows = [vector(size, row, dtype) for row in range(size)]

    def origin(made: UOp, lane: int) -> tuple[int, int]:
        while made not in rows:
            assert made.op is Op.GEP
            lane = made.arg[lane]
            made, lane = made.src[0].src[lane // size], lane % size
        return rows.index(made), lane

    columns = transpose(rows)
    assert [[origin(each, lane) for lane in range(size)] for each in columns] == [
        [(row, column) for row in range(size)] for column in range(size)
    ]
    shuffles = {each for each in toposort(columns) if each.op is Op.GEP}
    assert len(shuffles) == size * (size.bit_length() - 1)
