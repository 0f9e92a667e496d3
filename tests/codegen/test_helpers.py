"""Every function that a source calls is there, once, before it is called; and it is there only if it is called."""

import re

import numpy as np
import pytest

from eqsat.codegen import OPENCL_CPU, OPENCL_GPU, OPENCL_NVIDIA, C, render, with_sub_groups, with_tiles
from eqsat.dtype import bfloat16, bool_, float16, float32, float64, int8, int32, int64, uint16
from eqsat.ops import BINARY, ELEMENTARY, TERNARY, UNARY, Op
from eqsat.uop import UOp
from tests.codegen.device import check
from tests.codegen.kernels import elementwise

CALLED = re.compile(r"\b([a-z]\w*_(?:bool|half|float|double|u?(?:char|short|int|long))\d*)\(")
DEFINED = re.compile(r"^(?:static )?inline \w+ (\w+)\(", re.MULTILINE)
OF_THE_LANGUAGE = re.compile(r"(?:convert|as|vload|vstore|sub_group)_.*")
INTEGERS = (
    Op.POW,
    Op.IDIV,
    Op.MOD,
    Op.FLOORDIV,
    Op.FLOORMOD,
    Op.MAX,
    Op.MIN,
    Op.SHL,
    Op.SHR,
    Op.NEG,
    Op.MULACC,
)
PLAIN = (OPENCL_CPU, OPENCL_GPU, OPENCL_NVIDIA, with_tiles(OPENCL_CPU))
OPENCL = (*PLAIN, *(with_sub_groups(dialect, 8) for dialect in PLAIN))
FLOATS = sorted(ELEMENTARY | {Op.MAX, Op.MIN, Op.MULACC, Op.SQRT}, key=lambda op: op.name)


def graph(op, dtype, lanes):
    count = 1 if op in UNARY else 2 if op in BINARY else 3
    assert count < 3 or op in TERNARY
    return elementwise([lambda *values: UOp(op, dtype, values)], (dtype,) * count, 16, lanes)


def agree(source):
    calls = CALLED.findall(source)
    defined = DEFINED.findall(source)
    calls = [each for each in calls if each in defined or not OF_THE_LANGUAGE.fullmatch(each)]
    helpers = [each for each in defined if CALLED.fullmatch(f"{each}(")]
    assert len(set(defined)) == len(defined)
    assert set(calls) == set(helpers), "those that are called"
    for name in helpers:
        first = re.search(rf"\b{name}\(", source)
        place = first.start() if first else -1
        assert source[place:].startswith(f"{name}(const"), "the definition comes first"


@pytest.mark.parametrize("op", INTEGERS, ids=lambda op: op.name)
@pytest.mark.parametrize("dtype", [int8, uint16, int32, int64], ids=str)
def test_functions_of_integers_are_defined(op, dtype):
    agree(render(graph(op, dtype, 1), C).source)
    for lanes in (1, 4):
        agree(render(graph(op, dtype, lanes), OPENCL_CPU).source)


@pytest.mark.parametrize("op", FLOATS, ids=lambda op: op.name)
def test_functions_of_floats_are_defined(op):
    for dtype in (float32, float64):
        agree(render(graph(op, dtype, 1), C).source)
        for lanes in (1, 4):
            agree(render(graph(op, dtype, lanes), OPENCL_CPU).source)


@pytest.mark.parametrize("dialect", OPENCL, ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("lanes", [1, 4, 16])
def test_conversions_of_narrow_floats_are_defined(dialect, lanes):
    for narrow in (float16, bfloat16):
        agree(render(graph(Op.ADD, narrow, lanes), dialect).source)
        for wide in (float32, float64, int32):
            for before, after in ((narrow, wide), (wide, narrow)):
                terms = [lambda value, after=after: value.cast(after)]
                agree(render(elementwise(terms, (before,), 16, lanes), dialect).source)


@pytest.mark.parametrize("op", [Op.POW, Op.MAX, Op.MIN, Op.MULACC, Op.NEG, Op.SHR], ids=lambda op: op.name)
@pytest.mark.parametrize("lanes", [1, 4])
def test_integers_are_computed_as_the_reference_says(op, lanes):
    values = np.array([-3, -1, 0, 1, 2, 7, 31, 100, 127, -128, 5, 6, -9, 8, 3, -2])
    count = 1 if op in UNARY else 2 if op in BINARY else 3
    for dtype in (int8, int32):
        check(graph(op, dtype, lanes), {1 + place: np.roll(values, place) for place in range(count)})


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (float64, float32),
        (float32, int32),
        (float64, int8),
        (float32, int64),
        (int64, float32),
        (float64, float16),
        (float32, bfloat16),
        (float64, bfloat16),
    ],
    ids=str,
)
def test_conversions_are_those_of_the_reference(before, after, lanes):
    values = np.array(
        [-3.7, -0.5, 0.0, 1e-3, 2.5, 7, 1e10, -1e10, 3e38, -129.5, 127.5, 128, 0.1, 2**31, -(2**31), 1e19]
    )
    values = values if before.is_float else values.clip(-9e18, 9e18).astype(np.int64)
    found = elementwise(
        [lambda value: value.cast(after), lambda value: value.cast(bool_)], (before,), 16, lanes
    )
    check(found, {2: values})


@pytest.mark.parametrize("lanes", [1, 4])
def test_division_by_constants_that_trap_in_c(lanes: int) -> None:
    """By 0 it is 0, and the least integer by -1 is itself."""
    divisions = (Op.IDIV, Op.MOD, Op.FLOORDIV, Op.FLOORMOD)
    terms = [
        lambda x, op=op, divisor=divisor: x.alu(op, UOp.const(int32, divisor))
        for op in divisions
        for divisor in (0, -1, 1)
    ]
    least = np.iinfo(np.int32).min
    graph = elementwise(terms, (int32,), 4, lanes)
    source = render(graph).source
    assert not re.search(r"[/%] \(?(?:int4\)\()?(?:0|-1)\b", source), "an operator of C would trap"
    found = check(graph, {len(terms): np.array([least, -7, 0, 9], np.int32)})
    assert [row.tolist() for row in found[:3]] == [[0] * 4, [least, 7, 0, -9], [least, -7, 0, 9]]
