"""Vectors are computed in 16 bits only where bounds say that nothing is lost, and results are NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

import eqsat as eq
from eqsat.codegen import expand
from eqsat.codegen.expansion.narrowing import narrow
from eqsat.dtype import index, int16, int32, uint8, void
from eqsat.integers.narrowing import OPERATIONS
from eqsat.ops import DIVISIONS, AxisType, KernelInfo, Op
from eqsat.uop import UOp
from tests.codegen.device import check
from tests.codegen.kernels import kernel, load, store

Terms = Callable[[Any, Any], Any]
NARROW = ("uint8", "int8", "uint16", "int16")
WIDE = ("int32", "uint32", "int64")
EXPRESSIONS = 10  # of each program
SIZE = 16 * 9 + 5


def _arrays(narrow: str, seed: int) -> list[np.ndarray]:
    chance, ends = np.random.default_rng(seed), np.iinfo(narrow)
    arrays = [chance.integers(ends.min, ends.max, SIZE, narrow, endpoint=True) for _ in range(2)]
    for array, edges in zip(
        arrays, ([ends.min, ends.max, ends.min, ends.max], [ends.min, ends.max, ends.max, 0]), strict=True
    ):
        array[:4] = edges
    return arrays


def _drawn(chance: Random, wide: str, depth: int) -> Terms:
    """A term of two arrays; constants fit every dtype in `WIDE`."""
    if depth == 0:
        position = chance.randrange(2)
        return lambda a, b: (a, b)[position]
    one, other = _drawn(chance, wide, depth - 1), _drawn(chance, wide, chance.randrange(depth))
    constant = chance.choice((1, 3, 77, 150, 255, 257))
    steps: list[Terms] = [
        lambda a, b: one(a, b) + other(a, b),
        lambda a, b: one(a, b) * other(a, b),
        lambda a, b: one(a, b) - other(a, b),
        lambda a, b: one(a, b) * constant,
        lambda a, b: constant - one(a, b),
        lambda a, b: one(a, b) // constant,
        lambda a, b: one(a, b) % constant,
        lambda a, b: one(a, b) & constant,
        lambda a, b: one(a, b) ^ other(a, b),
        lambda a, b: one(a, b) >> (constant & 7),
        lambda a, b: one(a, b) << (constant & 3),
    ]
    return chance.choice(steps)


@pytest.mark.parametrize("wide", WIDE)
@pytest.mark.parametrize("narrow", NARROW)
def test_drawn_terms_have_the_values_of_numpy(narrow: str, wide: str) -> None:
    seed = NARROW.index(narrow) * len(WIDE) + WIDE.index(wide)
    chance = Random(seed)
    terms = [_drawn(chance, wide, 1 + number % 4) for number in range(EXPRESSIONS)]
    arrays = _arrays(narrow, seed)
    for number, term in enumerate(terms):
        found = eq.jit(
            lambda a, b, term=term: term(a.astype(getattr(eq, wide)), b.astype(getattr(eq, wide)))
        )(*arrays)
        with np.errstate(over="ignore"):
            expected = term(*(array.astype(wide) for array in arrays))
        np.testing.assert_array_equal(found, expected, err_msg=f"{number} of {narrow} in {wide}")


@pytest.mark.parametrize(
    ("narrow", "terms", "in_16_bits"),
    [
        ("uint8", lambda a, b: a * b, True),
        ("uint8", lambda a, b: (a * b + 510) >> 8, True),
        ("uint8", lambda a, b: (a * b + 511) >> 8, False),
        ("uint8", lambda a, b: (a - b) * 128, True),
        ("uint8", lambda a, b: (a * b + a * b) // 255, False),
        ("uint16", lambda a, b: a + b, False),
        ("uint16", lambda a, b: a // 3, True),
        ("int8", lambda a, b: (a * b * 2) // 3, False),
        ("int8", lambda a, b: a * b + a, True),
        ("int16", lambda a, b: a * b, False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("result", ["uint8", "int16", "int32", "float32"])
def test_lanes_have_16_bits_where_that_is_enough(
    narrow: str, terms: Terms, in_16_bits: bool, result: str
) -> None:
    spec = eq.spec((4096,), getattr(eq, narrow))
    program = eq.compile(
        eq.trace(
            lambda a, b: terms(a.astype(eq.int32), b.astype(eq.int32)).astype(getattr(eq, result)), spec, spec
        )
    )
    wide = "convert_int" in program.kernels[0].source
    assert wide != (in_16_bits and result in ("uint8", "int16"))


@pytest.mark.parametrize(
    "terms",
    [
        lambda a, b: ((a & 255) + (b & 255)) >> 1,  # operands that are wide
        lambda a, b: (a.astype(eq.uint8).astype(eq.int32) * 3) >> (b & 15),  # another
        lambda a, b: (
            (a.astype(eq.uint8).astype(eq.int32) * 3) // a.astype(eq.uint8).astype(eq.int32)
        ),  # no constant
    ],
)
def test_what_is_computed_of_wide_values_stays_wide(terms: Terms) -> None:
    spec = eq.spec((4096,), eq.int32)
    program = eq.compile(eq.trace(lambda a, b: terms(a, b).astype(eq.uint8), spec, spec))
    assert "convert_ushort" not in program.kernels[0].source
    assert "convert_short" not in program.kernels[0].source


@pytest.mark.parametrize("op", sorted(OPERATIONS, key=lambda op: op.name), ids=lambda op: op.name)
def test_every_operation_whose_bounds_are_known_is_computed_in_16_bits(op: Op) -> None:
    lanes = UOp.range(8, 0, AxisType.UPCAST)

    def given(slot: int) -> UOp:
        return load(UOp.param(slot, 8, uint8), lanes).cast(int32)

    other = UOp.const(int32, 3) if op in (*DIVISIONS, Op.SHR) else given(2)
    stored = store(UOp.param(0, 8, int16), lanes, given(1).alu(op, other).cast(int16), lanes)
    sink = kernel("narrowed", stored)
    widths = {node.dtype.scalar.bits for node in narrow(expand(sink)).toposort() if node.op is op}
    assert widths == {16}
    check(sink, {1: np.arange(8) * 30, 2: np.arange(8)[::-1] * 25})


def test_value_with_a_wide_reader_stays_wide() -> None:
    spec = eq.spec((4096,), eq.uint8)

    def both(a: Any) -> Any:
        square = a.astype(eq.int32) * a.astype(eq.int32)
        return (square >> 8).astype(eq.uint8), square

    program = eq.compile(eq.trace(both, spec))
    assert all("convert_ushort" not in kernel.source for kernel in program.kernels)
    drawn = np.arange(4096).astype(np.uint8)
    high, square = program(drawn)
    np.testing.assert_array_equal(square, drawn.astype(np.int32) ** 2)
    np.testing.assert_array_equal(high, drawn.astype(np.int32) ** 2 >> 8)


def test_widest_values_survive() -> None:
    """At the ends of 16 bits, with sign and without: one more does not fit."""
    a = np.repeat(np.array([0, 127, 128, 254, 255], np.uint8), 5)
    b = np.tile(np.array([0, 127, 128, 254, 255], np.uint8), 5)
    for constant in (510, 511, 65535 - 65025, 65536 - 65025):
        found = eq.jit(lambda a, b, constant=constant: a.astype(eq.int32) * b.astype(eq.int32) + constant)(
            a, b
        )
        np.testing.assert_array_equal(found, a.astype(np.int32) * b.astype(np.int32) + constant)
    for constant in (128, 129):
        found = eq.jit(lambda a, b, constant=constant: (a.astype(eq.int32) - b.astype(eq.int32)) * constant)(
            a, b
        )
        np.testing.assert_array_equal(found, (a.astype(np.int32) - b.astype(np.int32)) * constant)


@pytest.mark.parametrize("size", [3, 16, 17, 1000])
@pytest.mark.parametrize("wide", ["int32", "float32", "float64", "int64"])
def test_bytes_beside_wider_types(wide: str, size: int) -> None:
    """Registers hold fewer lanes of one than of the other."""
    bytes_ = np.random.default_rng(size).integers(0, 256, (5, size), np.uint8)
    sums, scaled, back = eq.jit(
        lambda a: (
            a.astype(getattr(eq, wide)).sum(axis=1),
            a.astype(getattr(eq, wide)) * 3,
            (a.astype(getattr(eq, wide)) + 1 > 128),
        )
    )(bytes_)
    np.testing.assert_array_equal(sums, bytes_.astype(wide).sum(axis=1))
    np.testing.assert_array_equal(scaled, bytes_.astype(wide) * 3)
    np.testing.assert_array_equal(back, bytes_.astype(wide) + 1 > 128)


def bytes_with(op: Op, operand: int) -> UOp:
    """A kernel that converts four bytes to int32, computes, and converts back."""
    place = UOp.const(index, 0)
    load = UOp(Op.LOAD, uint8.vec(4), (UOp(Op.INDEX, uint8, (UOp.param(1, 4, uint8), place)),))
    operands = UOp(Op.VCONST, int32.vec(4), (), (operand,) * 4)
    made = UOp(op, int32.vec(4), (load.cast(int32.vec(4)), operands)).cast(uint8.vec(4))
    target = UOp(Op.INDEX, uint8, (UOp.param(0, 4, uint8), place))
    return UOp.sink(UOp(Op.STORE, void, (target, made)), arg=KernelInfo("computed_bytes"))


@pytest.mark.parametrize(
    ("amount", "fits"), [(-1, False), (0, True), (14, True), (15, True), (16, False), (31, False)]
)
def test_shifts_by_16_bits_or_more_stay_wide(amount: int, fits: bool) -> None:
    sink = bytes_with(Op.SHR, amount)
    assert (narrow(sink) is not sink) == fits


@pytest.mark.parametrize(
    "op", [Op.ADD, Op.SUB, Op.MUL, Op.MIN, Op.MAX, Op.IDIV, Op.MOD, Op.FLOORDIV, Op.FLOORMOD]
)
def test_arithmetic_on_bytes_stays_wide_only_where_it_must(op: Op) -> None:
    sink, large = bytes_with(op, 3), bytes_with(op, 1 << 17)
    assert narrow(sink) is not sink
    assert narrow(large) is large
