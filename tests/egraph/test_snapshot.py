"""Snapshots: flat arrays in structural order, and the graphs rebuilt from them."""

import numpy as np
import pytest

from eqsat.dtype import bool_, float32, index, int32
from eqsat.egraph.saturate import saturate
from eqsat.egraph.snapshot.snapshot import UNKNOWN_HI, UNKNOWN_LO
from eqsat.egraph.snapshot.without import without
from eqsat.errors import ExtractionError
from eqsat.ops import AxisType, Op
from eqsat.reference import evaluate
from eqsat.rules.language.rule import RuleSet
from eqsat.rules.library import INDEX_LIBRARY, LIBRARY
from eqsat.uop import UOp

NO_RULES = RuleSet()
A, B = (UOp.param(slot, 12, float32).reshape((3, 4)) for slot in range(2))
FIRST, SECOND = UOp.variable("i", 0, 15), UOp.variable("j", -3, 3)


def first_nodes(snapshot):
    """The first node of each class: without rules, the only one."""
    return snapshot.class_start[:-1]


def rebuilt(*roots):
    snapshot = saturate(roots, NO_RULES).snapshot
    return snapshot.build(first_nodes(snapshot))


GRAPHS = {
    "arithmetic": A * B + A.alu(Op.EXP2) / B,
    "movement": A.permute((1, 0)).pad(((1, 0), (0, 2))).flip((True, False)).shrink(((0, 3), (1, 4))),
    "reduction": A.reduce_axis(Op.MAX, (1,)).reshape((3, 1)).expand((3, 4)),
    "constants": UOp.full((3, 4), float32, -0.0) * A + UOp.full((3, 4), float32, float("nan")),
    "comparison": (A < B).where(A, B).cast(int32).bitcast(float32),
    "iota": UOp.iota(7),
    "gather": UOp(Op.INDEX, float32, (UOp.param(0, 12, float32), UOp.iota(5))),
    "bools": (A < B) & (B < A) | A.ne(B),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_without_rules_comes_back(name):
    (found,) = rebuilt(GRAPHS[name])
    data = [np.arange(12, dtype=np.float32) - 5, np.arange(12, dtype=np.float32)[::-1].copy()]
    inputs = {parameter: data[parameter.arg[0]] for parameter in found.toposort() if parameter.op is Op.PARAM}
    np.testing.assert_array_equal(evaluate(found, inputs), evaluate(GRAPHS[name], inputs))
    assert (found.dtype, found.shape) == (GRAPHS[name].dtype, GRAPHS[name].shape)


def test_a_kernel_keeps_its_ranges():
    i, k = UOp.range(16, 0, AxisType.GLOBAL), UOp.range(4, 1, AxisType.REDUCE)
    x, y = UOp.param(0, 64, float32), UOp.param(1, 16, float32)
    total = UOp(
        Op.REDUCE, float32, (UOp(Op.LOAD, float32, (UOp(Op.INDEX, float32, (x, i * 4 + k)),)), k), Op.ADD
    )
    kernel = UOp.sink(UOp(Op.STORE, UOp.sink().dtype, (UOp(Op.INDEX, float32, (y, i)), total, i)))
    (found,) = rebuilt(kernel)
    assert {node for node in found.toposort() if node.op is Op.RANGE} == {i, k}
    assert [node.op for node in found.toposort() if node.op in (Op.REDUCE, Op.STORE)] == [Op.REDUCE, Op.STORE]


def test_classes_know_dtype_shape_and_bounds():
    snapshot = saturate([FIRST * 4 + SECOND, A, FIRST < SECOND, UOp.sink(A)], NO_RULES).snapshot
    number, array, condition, sink = snapshot.root_classes
    assert [str(snapshot.class_dtype[owner]) for owner in snapshot.root_classes] == [
        "index",
        "float32",
        "bool",
        "void",
    ]
    assert snapshot.class_shape[array] == (3, 4)
    assert snapshot.class_shape[sink] is None
    assert (snapshot.lo[number], snapshot.hi[number]) == (-3, 63)
    assert (snapshot.lo[array], snapshot.hi[array]) == (UNKNOWN_LO, UNKNOWN_HI)
    assert snapshot.class_dtype[condition] == bool_


def test_an_integer_sum_is_one_node():
    snapshot = saturate([FIRST + SECOND + FIRST * 3 + 5], NO_RULES).snapshot
    sums = [node for node, term in enumerate(snapshot.terms) if term.op is Op.ADD]
    assert max(len(snapshot.operands(node)) for node in sums) > 2
    (found,) = snapshot.build(
        [max(range(*snapshot.class_start[owner : owner + 2])) for owner in range(len(snapshot.lo))]
    )
    assert all(len(node.src) == 2 for node in found.toposort() if node.op is Op.ADD)
    assert evaluate(found, {"i": 7, "j": -2}) == 7 - 2 + 21 + 5


def test_operands_of_a_first_term_come_before_it():
    snapshot = saturate([GRAPHS["arithmetic"], FIRST // 4 * 4 + FIRST % 4], LIBRARY).snapshot
    for owner in range(len(snapshot.class_dtype)):
        nodes = range(snapshot.class_start[owner], snapshot.class_start[owner + 1])
        assert any(all(operand < owner for operand in snapshot.operands(node)) for node in nodes)


def test_a_class_without_a_choice_is_reported():
    snapshot = saturate([FIRST + SECOND], NO_RULES).snapshot
    with pytest.raises(ExtractionError, match="no node of class"):
        snapshot.build(np.full(len(snapshot.class_dtype), -1))


def test_a_cyclic_choice_is_reported():
    loop, outer, inner = UOp.range(64, 0), UOp.range(8, 1), UOp.range(8, 2)
    equalities = [(loop, outer * 8 + inner), (outer, loop // 8)]
    snapshot = saturate([loop], INDEX_LIBRARY, equalities=equalities).snapshot
    leaves = {Op.RANGE, Op.CONST}
    choice = [
        next(
            (
                node
                for node in range(*snapshot.class_start[owner : owner + 2])
                if snapshot.terms[node].op not in leaves
            ),
            snapshot.class_start[owner],
        )
        for owner in range(len(snapshot.class_dtype))
    ]
    with pytest.raises(ExtractionError, match="cyclic"):
        snapshot.build(choice)


def test_deep_and_wide_graphs_are_walked_without_recursion():
    value = A
    for number in range(3000):
        value = value.alu(Op.SQRT) if number % 2 else value * B
    (found,) = rebuilt(value)
    assert len(found.toposort()) == len(value.toposort())


def test_index_expressions_of_arrays_have_bounds():
    iota = UOp.iota(64)
    snapshot = saturate([(iota * 2).reshape((8, 8)).pad(((1, 0), (0, 0)))], NO_RULES).snapshot
    assert snapshot.class_dtype[snapshot.root_classes[0]] == index


@pytest.mark.parametrize("name", GRAPHS)
def test_a_snapshot_without_nothing_is_as_it_was(name):
    snapshot = saturate([GRAPHS[name]], LIBRARY).snapshot
    found = without(snapshot, [])
    assert found.terms == snapshot.terms
    assert [found.operands(n) for n in range(len(found.terms))] == [
        snapshot.operands(n) for n in range(len(snapshot.terms))
    ]
    for column in ("node_class", "class_start", "root_classes", "lo", "hi"):
        np.testing.assert_array_equal(getattr(found, column), getattr(snapshot, column))
    assert (found.class_dtype, found.class_shape) == (snapshot.class_dtype, snapshot.class_shape)


def test_what_only_a_node_reaches_goes_with_it():
    """Of a value with several e-nodes; the rest is numbered by the height of its terms, as ever."""
    programs = [(A + 0.0) * B.alu(Op.EXP2) * 2.0, B * A.alu(Op.EXP2)]
    snapshot = saturate(programs, LIBRARY).snapshot
    first = int(snapshot.root_classes[0])
    _, *others = range(*snapshot.class_start[first : first + 2])
    found = without(snapshot, others)
    assert others
    assert len(found.terms) < len(snapshot.terms)
    assert all(max(found.operands(n), default=-1) < found.node_class[n] for n in first_nodes(found))
    data = {slot: np.arange(12, dtype=np.float32) / 4 for slot in range(2)}
    for built, expected in zip(
        evaluate(found.build(first_nodes(found)), data), evaluate(programs, data), strict=True
    ):
        np.testing.assert_allclose(built, expected, rtol=1e-6)
