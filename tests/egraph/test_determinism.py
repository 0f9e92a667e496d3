"""The same input, rules and budget give the same e-graph and the same result, in every process and whatever was saturated before.

`tests/golden/results.txt` holds results that every supported Python and egglog must give; `--regenerate-golden` writes it anew.
"""

import hashlib
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

import eqsat as eq
from eqsat.dtype import float32, int32
from eqsat.egraph.saturate import saturate
from eqsat.egraph.search.budget import Budget
from eqsat.graph_files.serialize import to_json
from eqsat.ops import Op
from eqsat.rules.library import INDEX_LIBRARY, LIBRARY
from eqsat.uop import UOp
from tests.drawn import drawn as drawn_expression

GOLDEN = Path(__file__).parents[1] / "golden" / "results.txt"
EXPRESSIONS = 24
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


@pytest.fixture(scope="module")
def own_fingerprints():
    """Those of this process."""
    return fingerprints()


@pytest.fixture(scope="module", params=["0", "1", "4294967295"])
def process(request):
    """The fingerprints, and the lines of `results` in an order of its own, that a process with another hash seed prints."""
    shuffled = random.Random(request.param).sample(names(), len(names()))
    program = (
        "from tests.egraph.test_determinism import fingerprints, results; "
        f"print(*fingerprints()); print(*results({shuffled}).values(), sep='\\n')"
    )
    environment = {**os.environ, "PYTHONHASHSEED": request.param}
    printed = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    first, *lines = printed.stdout.splitlines()
    return first.split(), lines


def test_history_does_not_matter(own_fingerprints):
    for seed in range(40):
        saturate([drawn(float32 if seed % 2 else int32, 5 + seed, seed + 100)], INDEX_LIBRARY)
    assert fingerprints() == own_fingerprints


def test_processes_agree(process, own_fingerprints):
    assert process[0] == own_fingerprints


def layer_norm(x):
    centred = x - eq.sum(x, axis=-1, keepdims=True) / 64
    return centred / eq.sqrt(eq.sum(centred * centred, axis=-1, keepdims=True) / 64 + 1e-5)


def programs():
    row, matrix = eq.spec((8, 64), eq.float32), eq.spec((64, 64), eq.float32)
    return {
        "layer norm": eq.trace(layer_norm, row),
        "product": eq.trace(lambda x, y: eq.maximum(x @ y * 2 + x, 0), row, matrix),
        "gather": eq.trace(lambda x: (x + 0).reshape((64, 8))[::2].T * 1, row),
    }


def results(names):
    """What becomes of expressions (by number) and programs (by name), a line of JSON for each."""
    graphs, plan = programs(), eq.Plan(cost=eq.LoopAware())  # whose results are those of every machine
    found = {}
    for name in names:
        scalar = name.isdecimal()
        result = (
            eq.simplify(drawn_expression(int(name), 40)) if scalar else eq.optimize(graphs[name], plan).uop
        )
        found[name] = f"{name}: {json.dumps(to_json([result]))}"
    return found


def names():
    return [*map(str, range(EXPRESSIONS)), *programs()]


def test_results_are_the_same_in_every_process_and_order(process, request):
    found = sorted(process[1])
    if request.config.getoption("--regenerate-golden", default=False):
        GOLDEN.write_text("\n".join(found) + "\n")
    assert found == GOLDEN.read_text().splitlines(), (
        "results differ; if the change is meant, run with --regenerate-golden"
    )


def test_the_order_of_roots_is_theirs():
    roots, splits = tiled()
    there = saturate(roots, INDEX_LIBRARY, equalities=splits).snapshot
    back = saturate(roots[::-1], INDEX_LIBRARY, equalities=splits).snapshot
    assert there.root_classes.tolist() == back.root_classes.tolist()[::-1]
    assert [(term.op, term.arg) for term in there.terms] == [(term.op, term.arg) for term in back.terms]
