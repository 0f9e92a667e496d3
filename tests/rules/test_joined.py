"""Reductions of joined arrays: each part is reduced by itself, whatever joins them."""

import numpy as np
import pytest

import eqsat as eq
from eqsat.extract.costs.protocol import Node
from eqsat.ops import Op

JOINING = frozenset({Op.WHERE, Op.PAD})

A = np.arange(12, dtype=np.float32).reshape(3, 4) - 5
WIDE = np.arange(48 * 512, dtype=np.float32).reshape(48, 512) % 1009
SPECIAL = -WIDE[:7]
SPECIAL[:, :6] = [np.nan, 1, -0.0, np.inf, -np.inf, 9]


class Joins:
    """Counts what joins arrays, above all, so that whatever else machines prefer is no matter."""

    name, unit = "joins", "operations"

    def cost(self, node: Node) -> float:
        return 1e3 if node.op in JOINING else 1.0


PROGRAMS = {
    "sum of a stack": (lambda a: eq.sum(eq.stack([a[:, k : k + 2] for k in range(3)], axis=0), axis=0), [A]),
    "mean of a stack": (lambda a: eq.mean(eq.stack([a[k] for k in range(3)], axis=1), axis=1), [A]),
    "sum of integers": (lambda a: eq.sum(eq.concat([a, a * 2], axis=1), axis=(0, 1)), [A.astype(np.int32)]),
    "greatest": (lambda a, b: eq.max(eq.concat([a, b], axis=0), axis=0), [WIDE, SPECIAL]),
    "least": (lambda a, b: eq.min(eq.concat([b, a], axis=0), axis=0), [WIDE, SPECIAL]),
    "greatest of integers": (lambda a: eq.max(eq.concat([a, -a], axis=1), axis=1), [A.astype(np.int8)]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_parts_are_reduced_by_themselves(name):
    program, inputs = PROGRAMS[name]
    graph = eq.trace(program, *(eq.spec(each.shape, eq.asarray(each).dtype) for each in inputs))
    best = eq.optimize(graph, eq.Plan(cost=Joins())).uop
    assert not {node.op for node in best.toposort()} & JOINING
    given = dict(enumerate(inputs))
    np.testing.assert_array_equal(*(eq.evaluate(each, given)[0] for each in (best, graph)))


def test_what_is_joined_along_another_axis_stays_joined():
    graph = eq.trace(
        lambda a, b: eq.sum(eq.concat([a, b], axis=0), axis=1),
        eq.spec((3, 4), eq.float32),
        eq.spec((2, 4), eq.float32),
    )
    assert Op.WHERE in {node.op for node in eq.optimize(graph).uop.toposort()}
