"""What the rules about loads and vectors make of kernels' graphs: name, start, goal, by saturation and extraction."""

import numpy as np
import pytest

import eqsat as eq
from eqsat.dtype import bool_, float32, void
from eqsat.egraph.saturate import saturate
from eqsat.errors import SpecError
from eqsat.extract import GreedyDag, OperationCount, Problem
from eqsat.ops import KernelInfo, Op, Stage
from eqsat.reference import evaluate_kernel
from eqsat.rules.library import LIBRARY
from eqsat.spec import verify
from eqsat.uop import UOp

P, Q = UOp.param(0, 64, float32), UOp.param(1, 64, float32)
K, J = UOp.variable("i", 0, 63), UOp.variable("j", 0, 63)
G, H = UOp.variable("g", 0, 1, bool_), UOp.variable("h", 0, 1, bool_)
X, Y = UOp.variable("x", 0, 9, float32), UOp.variable("y", 0, 9, float32)
ZERO, ONE = UOp.const(float32, 0.0), UOp.const(float32, 1.0)


def load(buffer, position, gate=None, otherwise=None, lanes=1):
    gates = () if gate is None else (gate,)
    address = UOp(Op.INDEX, float32, (buffer, position, *gates))
    return UOp(Op.LOAD, float32.vec(lanes), (address,) if gate is None else (address, otherwise))


def vector(*lanes):
    return UOp(Op.VECTORIZE, float32.vec(len(lanes)), lanes)


def lanes_of(value, *lanes):
    return UOp(Op.GEP, float32.vec(len(lanes)), (value,), lanes)


def best(start, rules=LIBRARY):
    snapshot = saturate([start], rules).snapshot
    return snapshot.build(GreedyDag().extract(Problem.from_snapshot(snapshot, OperationCount())).choice)[0]


TRUE, FALSE = UOp.const(bool_, True), UOp.const(bool_, False)
A, B, C, D = (load(P, J * 4 + lane) if lane else load(P, J * 4) for lane in (0, 9, 17, 3))
V = load(P, J * 4, lanes=4)
W = load(Q, J * 4, lanes=4)

CASES = {
    "an open gate": (load(P, K, TRUE, ZERO), load(P, K)),
    "a gate that bounds open": (load(P, K, K < 64, ZERO), load(P, K)),
    "a closed gate": (load(P, K, FALSE, ONE), ONE),
    "a choice of a load": (G.where(load(P, K), ZERO), load(P, K, G, ZERO)),
    "a choice of a gated load": (G.where(load(P, K, H, ZERO), ZERO), load(P, K, G & H, ZERO)),
    "a choice of loads": (G.where(load(P, K), load(P, J)), load(P, G.where(K, J))),
    "an element or another": (load(P, K, G, load(P, J)), load(P, G.where(K, J))),
    "an implied gate": (G.where(load(P, K, G, ZERO), ONE), load(P, K, G, ONE)),
    "an index that knows the gate": (load(P, G.where(K, J), G & H, ZERO), load(P, K, G & H, ZERO)),
    "an alternative that knows the gate": (load(P, K, G, G.where(X, Y)), load(P, K, G, Y)),
    "a load behind its own gate": (load(P, K, G, load(Q, J, G, ONE)), load(P, K, G, ONE)),
    "a remainder within the gate": (load(P, K * J % 64, (K * J < 64) & (K * J > -1) & G, ZERO), load(P, K * J, (K * J < 64) & G, ZERO)),
    "a lane of a vector": (lanes_of(vector(A, B, C, D), 2), C),
    "a lane of a broadcast": (lanes_of(vector(X, X, X, X), 3), X),
    "lanes of lanes": (lanes_of(lanes_of(V, 3, 2, 1, 0), 0, 1), lanes_of(V, 3, 2)),
    "a vector of its lanes": (vector(*(lanes_of(V, lane) for lane in range(4))), V),
    "a shuffled vector": (vector(*(lanes_of(V, lane) for lane in (2, 0, 3, 1))), lanes_of(V, 2, 0, 3, 1)),
    "halves of two vectors": (lanes_of(UOp(Op.CAT, float32.vec(8), (V, W)), 4, 5), lanes_of(W, 0, 1)),
    "a lane of a sum": (lanes_of(vector(A, B).alu(Op.SUB, vector(C, D)), 1), B.alu(Op.SUB, D)),
    "a lane of a root": (lanes_of(vector(A, B).alu(Op.SQRT), 0), A.alu(Op.SQRT)),
    "roots lane by lane": (vector(*(lane.alu(Op.SQRT) for lane in (A, B, C, D))), vector(A, B, C, D).alu(Op.SQRT)),
    "neighbours": (vector(*(load(P, J * 4 + lane) if lane else load(P, J * 4) for lane in range(4))), V),
    "distances lane by lane": (
        vector(*(load(P, J * 4 + lane).alu(Op.SUB, load(Q, J * 4 + lane)) for lane in range(1, 5))),
        load(P, J * 4 + 1, lanes=4).alu(Op.SUB, load(Q, J * 4 + 1, lanes=4)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_start_becomes_goal(name):
    start, goal = CASES[name]
    found, wanted = best(start), best(goal)
    assert found is wanted
    assert len(found.toposort()) <= len(goal.toposort())


def test_operands_that_commute_are_paired_in_vectors_of_four():
    sums = vector(*(load(P, J * 4 + lane) + load(Q, J * 4 + lane) for lane in range(1, 5)))
    found = best(sums)
    assert (found.op, found.dtype) == (Op.ADD, float32.vec(4))
    assert {source.op for source in found.src} == {Op.LOAD}


def test_sixteen_neighbours_are_one_load():
    found = best(vector(*(load(P, J * 2 + lane) for lane in range(16))))
    assert (found.op, found.dtype, found.src[0].src[1].op) == (Op.LOAD, float32.vec(16), Op.MUL)


def test_elements_apart_stay_apart():
    apart = vector(load(P, J * 4), load(P, J * 4 + 2))
    assert best(apart).op is Op.VECTORIZE


def test_a_gate_that_keeps_a_load_within_its_buffer_stays():
    gated = load(P, K + J, K + J < 64, ZERO)
    assert best(gated).src[0].src[2].op is Op.CMPLT


def expanded_kernel():
    """Copies four elements at a time, in each of 16 iterations, all behind gates that hold, one lane after the other."""
    loop = UOp.range(16, 0)
    position = [loop * 4 + lane if lane else loop * 4 for lane in range(4)]
    lanes = [load(P, place, place < 64, ZERO).alu(Op.SQRT) for place in position]
    address = UOp(Op.INDEX, float32, (Q, position[0]))
    return UOp.sink(UOp(Op.STORE, void, (address, vector(*lanes), loop)), arg=KernelInfo("copy"))


@pytest.mark.parametrize("improve", [eq.simplify, lambda kernel: eq.optimize(kernel).uop])
def test_a_kernel_loads_and_computes_vectors(improve):
    kernel = expanded_kernel()
    improved = improve(kernel)
    verify(improved, Stage.EXPANDED)
    operations = [node.op for node in improved.toposort()]
    assert operations.count(Op.LOAD) == operations.count(Op.SQRT) == 1
    assert Op.VECTORIZE not in operations
    results = []
    for sink in (kernel, improved):
        buffers = [np.arange(64, dtype=np.float32), np.zeros(64, np.float32)]
        evaluate_kernel(sink, buffers)
        results.append(buffers[1])
    np.testing.assert_array_equal(*results)


def test_what_is_legal_nowhere_is_refused():
    with pytest.raises(SpecError):
        eq.simplify(UOp.sink(vector(A, B), P.reshape((8, 8))))


@pytest.mark.parametrize("mark", [Op.DETACH, Op.PRECAST, Op.NOOP, Op.CONTIGUOUS_BACKWARD])
def test_marks_without_meaning_go(mark):
    graph = UOp.sink(UOp(mark, float32, (P.alu(Op.SQRT),)).alu(Op.EXP2))
    assert eq.optimize(graph).uop is UOp.sink(P.alu(Op.SQRT).alu(Op.EXP2))


def test_what_is_stored_is_not_stored_again():
    def stored(value):
        return UOp(Op.CONTIGUOUS, float32, (value,))

    twice = stored(stored(P.alu(Op.SQRT)).reshape((8, 8)))
    assert eq.optimize(UOp.sink(twice)).uop is UOp.sink(stored(P.alu(Op.SQRT)).reshape((8, 8)))
