"""The older forms of instructions and kernels: each is gone, though it is the only one, and the rest means what it did."""

from __future__ import annotations

import numpy as np
import pytest

from eqsat.codegen.linearization.older_forms import modernize
from eqsat.dtype import AddrSpace, float32, index, void
from eqsat.errors import CodegenError
from eqsat.ops import AxisType, BufferizeOpts, Op, Stage
from eqsat.reference import evaluate
from eqsat.spec import verify
from eqsat.uop import UOp
from tests.codegen.device import check
from tests.codegen.test_parts_alone import run
from tests.forms.form import after, argument, at, f, i, kernel, load, node, program, store

FOUR, PAIR = float32.vec(4), float32.vec(2)
ONE_BY_ONE = ("any", (1, 1, 1), float32, float32, "HOST", 1, (), (), (1, 1))
BOUND = node(Op.RANGE, index, i(1), i(3), arg=0)
IN_BOUND = store(at(argument(0, 8), BOUND), load(at(argument(1, 8), i(3))))
LOOP, ELEMENT, OTHER = UOp.range(3, 0), load(at(argument(1, 8), i(3))), load(at(argument(1, 8), i(5)))
NEVER = ELEMENT < 1.0
JOINED = node(
    Op.CAT, FOUR, load(at(argument(1, 8), i(0)), dtype=PAIR), load(at(argument(1, 8), i(4)), dtype=PAIR)
)
FIRST, IN_LOOP = store(at(argument(0, 8), i(0)), ELEMENT), store(at(argument(0, 8), LOOP), ELEMENT)
APART = node(Op.PTRCAT, PAIR, at(argument(1, 8), i(5)), at(argument(1, 8), i(3)))
ALONE = {
    "DEFINE_ACC": ([store(at(argument(0, 8), i(0)), node(Op.DEFINE_ACC, float32, f(3.0), arg=0))], [3]),
    "ENDRANGE": ([LOOP, IN_LOOP, node(Op.ENDRANGE, void, LOOP)], [3, 3, 3]),
    "PTRCAT": ([store(at(argument(0, 8), i(0)), load(APART))], [5, 3]),
    "CAT": ([store(at(argument(0, 8), i(0)), JOINED)], [0, 1, 4, 5]),
    "WMMA": ([store(at(argument(0, 8), i(0)), node(Op.WMMA, float32, ELEMENT, OTHER, f(1.0), arg=ONE_BY_ONE))], [16]),
    "RANGE": ([BOUND, IN_BOUND, node(Op.END, void, IN_BOUND, BOUND)], [0, 3, 3]),
    "LOAD of a buffer": ([store(at(argument(0, 8), i(0)), load(argument(1, 8), at(argument(1, 8), i(3)), dtype=float32))], [3]),
    "LOAD after a BARRIER": ([store(at(argument(0, 8), i(0)), load(at(argument(1, 8), i(3)), node(Op.BARRIER, void)))], [3]),
    "LOAD under a gate": ([store(at(argument(0, 8), i(0)), load(at(argument(1, 8), i(3)), f(7.0), NEVER))], [7]),
    "STORE under a gate": ([FIRST, store(at(argument(0, 8), i(0)), f(9.0), NEVER)], [3]),
}  # fmt: skip


@pytest.mark.parametrize("name", ALONE)
def test_an_older_form_is_gone_though_it_is_the_only_one(name):
    instructions, expected = ALONE[name]
    linear = program(*instructions)
    verify(linear, Stage.LINEAR)
    made = modernize(linear)
    verify(made, Stage.LINEAR)
    assert modernize(made) is made, "nothing older is left"
    found = run(linear, {1: np.arange(8, dtype=np.float32)})
    assert found.tolist() == [*expected, *[0] * (8 - len(expected))]


def test_a_loop_lies_in_an_older_one_and_not_in_its_count():
    inner = node(Op.RANGE, index, i(2), BOUND, arg=(1, AxisType.LOOP))
    stored = store(at(argument(0, 8), BOUND * i(2) + inner), ELEMENT)
    linear = program(BOUND, inner, stored, node(Op.END, void, stored, inner, BOUND))
    verify(linear, Stage.LINEAR)
    made = modernize(linear)
    verify(made, Stage.LINEAR)
    assert run(linear, {1: np.arange(8, dtype=np.float32)}).tolist() == [0, 0, 3, 3, 3, 3, 0, 0]


def test_an_accumulator_is_read_anew_in_a_loop_and_after_it():
    loop, total = UOp.range(3, 0), node(Op.DEFINE_ACC, float32, f(2.0), arg=0)
    before = store(at(argument(0, 8), i(7)), total + f(1.0))
    grown = node(Op.ASSIGN, float32, total, total * f(2.0))
    stored = store(at(argument(0, 8), loop), grown)
    ended = node(Op.END, stored.dtype, stored, loop)
    linear = program(before, loop, stored, ended, store(at(argument(0, 8), i(6)), total - f(1.0)))
    verify(modernize(linear), Stage.LINEAR)
    assert run(linear, {}).tolist() == [4, 8, 16, 0, 0, 0, 15, 3]


@pytest.mark.parametrize("taken", [True, False])
def test_an_accumulator_is_read_anew_after_a_condition(taken):
    total = node(Op.DEFINE_ACC, float32, f(2.0), arg=0)
    before = store(at(argument(0, 8), i(0)), total + f(1.0))
    begin = node(Op.IF, void, load(at(argument(1, 8), i(0))) < f(1.0))
    inside = store(at(argument(0, 8), i(1)), node(Op.ASSIGN, float32, total, total * f(4.0)))
    after_it = store(at(argument(0, 8), i(2)), total - f(1.0))
    linear = program(before, begin, inside, node(Op.ENDIF, void, begin), after_it)
    verify(modernize(linear), Stage.LINEAR)
    given = np.full(8, 0.0 if taken else 1.0, np.float32)
    assert run(linear, {1: given})[:3].tolist() == ([3, 8, 7] if taken else [3, 0, 1])


@pytest.mark.parametrize(
    ("start", "end"), [(i(1), i(4)), (UOp.variable("n", 1, 3), i(4)), (i(1), UOp.variable("n", 4, 5))]
)
def test_a_loop_counts_from_its_start_whichever_end_is_a_number(start, end):
    bound = node(Op.RANGE, index, start, end, arg=0)
    stored = store(at(argument(0, 8), bound), f(2.0))
    linear = program(bound, stored, node(Op.END, void, stored, bound))
    made = modernize(linear)
    verify(made, Stage.LINEAR)
    (extent,) = (each.src[0] for each in made.src if each.op is Op.RANGE)
    values = {each: i(4 if end.op is Op.DEFINE_VAR else 1) for each in made.src if each.op is Op.DEFINE_VAR}
    assert evaluate(extent.substitute(values)) == 3


@pytest.mark.parametrize("joined", [False, True])
def test_what_is_read_after_a_store_waits_for_what_that_has_become(joined):
    """The store has a gate of its own, so it becomes another one; addresses side by side wait each by itself."""
    stored = store(at(argument(0, 8), i(5)), f(9.0), ELEMENT < 4.0)
    places = [at(argument(0, 8), i(5)), at(argument(0, 8), i(3))]
    address = node(Op.PTRCAT, PAIR, *places) if joined else places[0]
    loaded = load(after(address, stored))
    first = store(at(argument(0, 8), i(3)), f(8.0))
    linear = program(first, stored, store(at(argument(0, 8), i(0)), loaded))
    made = modernize(linear)
    verify(made, Stage.LINEAR)
    waits = [each for each in made.src if each.op is Op.AFTER and each.src[1].op is Op.STORE]
    assert len(waits) == (2 if joined else 1)
    found = run(linear, {1: np.arange(8, dtype=np.float32)})
    assert found.tolist() == [9, 8 if joined else 0, 0, 8, 0, 9, 0, 0]


def test_axes_of_local_memory_and_of_arguments_lie_in_rows():
    """Also where an axis has two elements."""
    ranges = UOp.range(3, 0, AxisType.LOCAL), UOp.range(2, 1, AxisType.LOCAL), UOp.range(2, 2, AxisType.LOCAL)
    a, b, c = ranges
    shaped = node(Op.RESHAPE, float32, UOp.param(1, 12, float32), arg=(3, 2, 2))
    kept = node(
        Op.BUFFERIZE, float32, load(at(shaped, a, b, c)), *ranges, arg=BufferizeOpts(None, AddrSpace.LOCAL)
    )
    graph = kernel(
        store(
            at(UOp.param(0, 12, float32), a * 4 + b * 2 + c), load(at(kept, i(2) - a, b, i(1) - c)), *ranges
        )
    )
    values = np.arange(12, dtype=np.float32)
    expected = values.reshape(3, 2, 2)[::-1, :, ::-1].reshape(-1)
    assert check(graph, {1: values})[0].tolist() == expected.tolist()


@pytest.mark.parametrize(("items", "fills"), [(1, False), (2, True), (3, False), (4, True)])
def test_threads_of_a_product_fill_the_groups_of_a_launch(items, fills):
    item = node(Op.SPECIAL, index, i(items), arg="lid0")
    values = [load(at(argument(number, 8), item)) for number in (1, 2, 3)]
    arg = ("any", (1, 2, 1), float32, float32, "OTHER", 2, (), (), (1, 1))
    linear = program(store(at(argument(0, 8), item), node(Op.WMMA, float32, *values, arg=arg)))
    if fills:
        assert any(each.op is Op.DEFINE_LOCAL for each in modernize(linear).src)
    else:
        with pytest.raises(CodegenError, match=f"by 2 threads, and groups have {items} work-items"):
            modernize(linear)
