"""Every operation of both seeds has a row, a rule, a meaning or a documented lowering, and an example that shows it."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from eqsat.codegen import linearize
from eqsat.codegen.expansion.dependence import Dependence
from eqsat.dtype import ALL, AddrSpace, PtrDType, float32, index, void
from eqsat.errors import CodegenError, EvaluationError
from eqsat.ops import ALU, REDUCE_OPS, TABLE, AxisType, DTypeRule, KernelInfo, Op, Stage, identity_element
from eqsat.reference import INSTRUCTIONS, MEANING, compute, constant, evaluate, lowering, run_linear
from eqsat.spec import STRUCTURE, verify
from eqsat.spec.sources import ARGUED
from eqsat.uop import UOp, toposort
from tests import seeds
from tests.examples import EXAMPLES, Documented, Evaluated, Executed

RECORDED = seeds.recorded()
ENGINE = {Op.CALL, Op.FUNCTION, Op.LINEAR}  # given their meaning by the loop of the evaluator, not by a row


@pytest.mark.parametrize("number", sorted(RECORDED))
def test_recorded_names_are_those_of_the_seed(number):
    texts = sorted(seeds.SEEDS.glob(f"{number}_*.txt")) if seeds.SEEDS.is_dir() else []
    for text in texts:
        assert seeds.parse(number, text.read_text()) == RECORDED[number]
    assert RECORDED[number]


@pytest.mark.parametrize("number", sorted(RECORDED))
def test_every_operation_of_a_seed_has_a_row_that_cites_it(number):
    for name in RECORDED[number]:
        assert TABLE[Op[name]].seeds in (number, "both"), name


@pytest.mark.parametrize("op", Op, ids=lambda op: op.name)
def test_row_is_complete(op):
    info = TABLE[op]
    assert info.doc
    assert info.stages or info.lowering
    assert info.seeds in ("000", "001", "both", "design")
    assert info.arity[1] is None or info.arity[0] <= info.arity[1]


@pytest.mark.parametrize("op", Op, ids=lambda op: op.name)
def test_operation_has_a_meaning_or_a_documented_lowering(op):
    assert op in MEANING or op in INSTRUCTIONS or op in ENGINE or lowering(op), op


VARYING = (Op.DEFINE_VAR, Op.RANGE)  # their examples have many values of one scalar


@pytest.mark.parametrize("op", [op for op in Op if TABLE[op].stages], ids=lambda op: op.name)
def test_example_is_legal_and_means_what_it_says(op):
    example = EXAMPLES[op]
    roots = example.instructions if isinstance(example, Executed) else [example.root]
    assert op is Op.LINEAR or any(node.op is op for node in toposort(roots))
    match example:
        case Evaluated(root, expected, bindings, stage):
            verify(root, stage)
            check_value(root, expected, bindings)
            if stage is Stage.ARRAY and not isinstance(expected, tuple) and op not in VARYING:
                assert root.shape == np.shape(expected)
        case Executed(instructions, expected, inputs, global_size, local_size):
            verify(instructions, Stage.LINEAR)
            output = np.zeros(len(expected), np.float32)
            run_linear(
                UOp(Op.LINEAR, roots[-1].dtype, tuple(instructions)),
                [output, *inputs],
                global_size,
                local_size,
            )
            np.testing.assert_array_equal(output, expected)
        case Documented(root, words, stage):
            verify(root, stage)
            assert words in lowering(op)
            if op is not Op.NAME:
                with pytest.raises(EvaluationError, match=words):
                    evaluate(root)


def check_value(root, expected, bindings):
    if not isinstance(expected, tuple):
        np.testing.assert_allclose(evaluate(root, bindings), expected, rtol=1e-6)
        return
    pairs = [(source, value) for source, value in zip(root.src, expected, strict=False) if value is not None]
    results = evaluate([source for source, _ in pairs] if root.op is Op.SINK else root, bindings)
    for result, value in zip(
        results, expected if root.op is not Op.SINK else [v for _, v in pairs], strict=True
    ):
        np.testing.assert_allclose(result, value)


IDENTITIES = [op for op in Op if TABLE[op].identity is not None]
SUITS = {
    DTypeRule.BITS: lambda dtype: not dtype.is_float,
    DTypeRule.INTEGRAL: lambda dtype: dtype.is_int,
    DTypeRule.FLOAT: lambda dtype: dtype.is_float,
}


def test_what_reduces_has_an_identity_element():
    assert set(IDENTITIES) >= REDUCE_OPS


@pytest.mark.parametrize("op", IDENTITIES, ids=lambda op: op.name)
def test_identity_element_changes_nothing(op):
    suits = SUITS.get(TABLE[op].dtype, lambda dtype: True)
    for dtype in filter(suits, ALL):
        value = constant(1, dtype) if not dtype.is_bool else np.array(True)
        for operand in (value, constant(identity_element(op, dtype), dtype)):
            assert compute(op, dtype, operand, constant(identity_element(op, dtype), dtype)) == operand


def test_every_operation_is_checked_by_a_rule():
    unruled = {op for op in Op if TABLE[op].dtype is DTypeRule.ANY and op not in STRUCTURE}
    assert not unruled


@pytest.mark.parametrize("op", sorted(ARGUED, key=lambda op: op.name), ids=lambda op: op.name)
def test_an_argument_that_is_read_is_checked(op):
    assert op in STRUCTURE


def test_arithmetic_has_one_meaning_for_graphs_and_programs():
    assert set(ALU) <= set(MEANING)
    assert set(ALU) <= set(INSTRUCTIONS)


def test_pointers_are_no_elements():
    pointer = UOp(Op.DEFINE_GLOBAL, PtrDType(EXAMPLES[Op.SQRT].root.dtype, AddrSpace.GLOBAL, 1), (), 0)
    with pytest.raises(EvaluationError, match="LOAD from it"):
        evaluate(UOp(Op.ADD, pointer.dtype, (pointer, pointer)), {0: np.zeros(1, np.float32)})


def patch_row(monkeypatch, op, **changes):
    """Changes the row of an operation wherever it is read: in the table, and as `Op.info`."""
    row = replace(op.info, **changes)
    monkeypatch.setitem(TABLE, op, row)
    monkeypatch.setattr(op, "info", row)


ENDING = [op for op in Op if TABLE[op].range_start is not None]


@pytest.mark.parametrize("op", ENDING, ids=lambda op: op.name)
def test_where_ranges_end_is_read_from_the_row(op, monkeypatch):
    start = TABLE[op].range_start
    before = (UOp.const(float32, 1.0),) * start

    def node(number):
        bound = UOp.range(3, number)
        return UOp(op, float32, (*before, bound)), bound

    ended, _ = node(70)
    assert not ended.ranges
    patch_row(monkeypatch, op, range_start=None)
    open_still, bound = node(71)
    assert open_still.ranges == {bound}
    patch_row(monkeypatch, op, range_start=start + 1)
    open_still, bound = node(72)
    assert open_still.ranges == {bound}


# These have no copies of values
EXPANDABLE = [op for op in Op if TABLE[op].expandable and op not in (Op.STORE, Op.END, Op.AFTER)]


@pytest.mark.parametrize("op", EXPANDABLE, ids=lambda op: op.name)
def test_copies_and_lanes_pass_through_what_the_row_says(op, monkeypatch):
    """A value above an UNROLL range varies with it, unless its row says that it cannot."""
    bound = UOp.range(4, 0, AxisType.UNROLL)
    others = (UOp.const(index, 0),) * (TABLE[op].arity[0] - 1)
    varies = UOp(op, float32, (bound, *others), () if op in (Op.UNROLL, Op.CONTRACT) else None)
    order = toposort([varies])
    assert bound in Dependence.of(order).copies[varies]
    patch_row(monkeypatch, op, expandable=False)
    with pytest.raises(CodegenError, match=f"do not pass through {op.name}; make them LOOP"):
        Dependence.of(order)


def test_axis_types_nest_as_the_seed_has_them():
    """The priorities that seed 001 prints; types of one priority nest by number."""
    order = [
        {AxisType.PLACEHOLDER}, {AxisType.LOOP}, {AxisType.GLOBAL, AxisType.THREAD}, {AxisType.WARP},
        {AxisType.LOCAL, AxisType.GROUP_REDUCE}, {AxisType.UPCAST, AxisType.SCAN}, {AxisType.REDUCE}, {AxisType.UNROLL},
    ]  # fmt: skip
    assert set().union(*order) == set(AxisType)
    for outer, inner in itertools.pairwise(order):
        assert max(axis.priority for axis in outer) < min(axis.priority for axis in inner)
    assert all(len({axis.priority for axis in together}) == 1 for together in order)


def test_loops_nest_by_the_priorities_of_their_rows(monkeypatch):
    def nested():
        bounds = [
            UOp.range(2, number, axis)
            for number, axis in enumerate((AxisType.SCAN, AxisType.LOOP, AxisType.PLACEHOLDER))
        ]
        place = (bounds[0] * 2 + bounds[1]) * 2 + bounds[2]
        address = UOp(Op.INDEX, index, (UOp.param(0, 8, index), place))
        kernel = UOp.sink(UOp(Op.STORE, void, (address, place, *bounds)), arg=KernelInfo("nest"))
        return [node.arg[1] for node in linearize(kernel).src if node.op is Op.RANGE]

    assert nested() == [AxisType.PLACEHOLDER, AxisType.LOOP, AxisType.SCAN]
    monkeypatch.setattr(AxisType, "priority", property(lambda axis: -axis.value[1]))
    assert nested() == [AxisType.SCAN, AxisType.LOOP, AxisType.PLACEHOLDER]


RANGES_END = {
    Op.BUFFERIZE: 1,
    Op.REDUCE: 1,
    Op.STORE: 2,
    Op.WMMA: 3,
    Op.END: 1,
    Op.CALL: 1,
    Op.FUNCTION: 1,
}  # of seed 001, "Range-Ending Operations"
OURS = {Op.ARGREDUCE: 2, Op.ENDRANGE: 0}  # a reduction of pairs; seed 000 ends one RANGE at a time


def test_ranges_end_where_the_seed_says():
    assert {op: TABLE[op].range_start for op in ENDING} == RANGES_END | OURS


def test_copies_pass_through_what_the_seed_says():
    """Seed 001, "Expandable Operations": arithmetic, conversions, vectors, memory, END, AFTER, BUFFERIZE and WMMA."""
    named = {
        Op.CAST, Op.BITCAST, Op.GEP, Op.VECTORIZE, Op.LOAD, Op.STORE, Op.INDEX, Op.POINTER_INDEX, Op.REDUCE, Op.END, Op.AFTER,
        Op.BUFFERIZE, Op.WMMA,
    }  # fmt: skip
    ours = {
        Op.SCAN,
        Op.CARRY,
        Op.RECUR,
        Op.ARGREDUCE,
        Op.CUSTOM,
        Op.CUSTOMI,
        Op.CAT,
        Op.PTRCAT,
        Op.UNROLL,
        Op.CONTRACT,
    }
    assert {op for op in Op if TABLE[op].expandable} == ALU | named | ours
