"""The same input, rules and budget give the same e-graph, in every process and whatever was saturated before."""

import hashlib
import os
import random
import subprocess
import sys

import pytest

from eqsat.dtype import float32, int32
from eqsat.egraph.saturate import Budget, saturate
from eqsat.ops import Op
from eqsat.rules.library import INDEX_LIBRARY, LIBRARY
from eqsat.uop import UOp

TIGHT = Budget(nodes=3_000, iterations=8)


def drawn(dtype, count, seed):
    """A graph of elementwise operations in which values are shared."""
    chance = random.Random(seed)
    values = [UOp.param(slot, 8, dtype) for slot in range(3)]
    for _ in range(count):
        operand = chance.choice(values[-12:])
        if chance.random() < 0.3:
            operand = UOp.full((8,), dtype, chance.randrange(1, 5))
        values.append(values[-1].alu(chance.choice((Op.ADD, Op.MUL, Op.MAX)), operand))
    return values[-1]


def tiled():
    """A loop with several tilings, and what depends on it."""
    loop = UOp.range(56 * 56, 0)
    splits = [
        (loop, UOp.range(-(-56 * 56 // size), 2 * size) * size + UOp.range(size, 2 * size + 1))
        for size in (2, 4, 7, 8, 56)
    ]
    return [loop // 56, loop % 56, (loop % 56 < 50) & (loop // 56 > 3), loop // 56 * 64 + loop % 8], splits


def fingerprint(saturation):
    snapshot = saturation.snapshot
    arrays = (snapshot.node_class, snapshot.children, snapshot.root_classes, snapshot.lo, snapshot.hi)
    text = [
        repr(snapshot.terms),
        repr(snapshot.class_shape),
        repr(saturation.report.rules),
        *(str(array.tolist()) for array in arrays),
    ]
    return hashlib.sha256("".join(text).encode()).hexdigest()[:12]


def fingerprints():
    roots, splits = tiled()
    return [
        fingerprint(saturate(roots, INDEX_LIBRARY, equalities=splits)),
        *(
            fingerprint(saturate([drawn(dtype, 60, seed)], LIBRARY, TIGHT))
            for dtype in (float32, int32)
            for seed in range(2)
        ),
    ]


def test_history_does_not_matter():
    before = fingerprints()
    for seed in range(40):
        saturate([drawn(float32 if seed % 2 else int32, 5 + seed, seed + 100)], INDEX_LIBRARY)
    assert fingerprints() == before


@pytest.mark.parametrize("hash_seed", ["0", "1", "4294967295"])
def test_processes_agree(hash_seed):
    program = "from tests.egraph.test_determinism import fingerprints; print(*fingerprints())"
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    printed = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert printed.stdout.split() == fingerprints()


def test_the_order_of_roots_is_theirs():
    roots, splits = tiled()
    there = saturate(roots, INDEX_LIBRARY, equalities=splits).snapshot
    back = saturate(roots[::-1], INDEX_LIBRARY, equalities=splits).snapshot
    assert there.root_classes.tolist() == back.root_classes.tolist()[::-1]
    assert [(term.op, term.arg) for term in there.terms] == [(term.op, term.arg) for term in back.terms]
