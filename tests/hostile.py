"""Reads mutated files in a process of its own, with little memory and little time for each, and tells what came of them.

`python -m tests.hostile KIND SEED COUNT DIRECTORY` prints one JSON document. KIND is `graph` or `egraph`.
"""

from __future__ import annotations

import contextlib
import json
import random
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import eqsat as eq
from eqsat.egraph.search.budget import Budget
from eqsat.errors import EqsatError
from eqsat.extract import Problem, extractor_named, load
from eqsat.graph_files.inputs import inputs_of, with_values
from eqsat.graph_files.reading import read_graph
from eqsat.graph_files.serialize import from_json, to_json
from eqsat.ops import Stage
from eqsat.show import Subject
from eqsat.show.page import page
from eqsat.spec import verify
from eqsat.specialization.dynamic_extents import greatest_values
from eqsat.specialization.specialize import at_capacity
from tests.examples import EXAMPLES, Evaluated
from tests.mutation import mutated
from tests.peak_memory import peak_bytes

SECONDS = 20.0  # of processor time for one file
ADDRESSES = 6 << 30  # bytes; libraries take two of them
PIPELINE = 7  # every so many legal graphs go through the whole pipeline
N, M = eq.dim("n", 1, 40), eq.dim("m", 2, 9)


class TooSlowError(BaseException):
    """A file took longer than it may; not an Exception, which somebody might catch."""


def graphs() -> list[bytes]:
    """Valid graph files: programs, and an example of every operation of the array stage."""

    def softmax(x: Any) -> Any:
        e = eq.exp(x - eq.max(x, axis=-1, keepdims=True))
        return e / eq.sum(e, axis=-1, keepdims=True)

    def moved(x: Any, y: Any) -> Any:
        return (
            eq.max(eq.pad(eq.matmul(x, y), ((1, 0), (0, 2))), axis=0),
            eq.sin(x[::2, 1:]),
            x.T,
            eq.where(y > 0, y, np.nan),
        )

    def indices() -> Any:
        i, j = eq.variable("i", 0, 1 << 20), eq.variable("j", -5, 15)
        return eq.UOp.sink((i * 64 + j) // 64 % 7, (i << 3) ^ j, i.alu(eq.Op.POW, eq.UOp.const(eq.index, 2)))

    examples = [
        each.root for each in EXAMPLES.values() if isinstance(each, Evaluated) and each.stage is Stage.ARRAY
    ]
    traced = [
        eq.trace(softmax, eq.spec((4, 8), eq.float32)),
        eq.trace(moved, eq.spec((3, 4), eq.float32), eq.spec((4, 2), eq.float32)),
        eq.trace(lambda x: eq.sum(x.astype(eq.int64) * 3, axis=0), eq.spec((5, 6), eq.int8)),
        eq.trace(lambda x, y: softmax(x) @ y, eq.spec((N, M), eq.float32), eq.spec((M, 3), eq.float32)),
        indices(),
    ]
    return [
        json.dumps(document).encode()
        for document in [*map(_as_file, traced * 6), *map(_as_file, examples)]
        if document
    ]


def _as_file(root: eq.UOp) -> Any:
    with contextlib.suppress(EqsatError):
        return to_json([root])


def egraphs() -> list[bytes]:
    """Valid e-graph files: of a graph, of random problems, and one with cycles."""
    drawn = np.random.default_rng(0)
    problems = [
        Problem.build([0, 0, 0, 4, 1, 2], [0, 1, 2, 3, 3, 1], [[], [], [], [0, 1], [0, 2], [3, 0]], roots=[3])
    ]
    best = eq.optimize(eq.variable("x", 0, 63) * 5 // 5 + eq.variable("y", 0, 3), eq.Plan())
    problems.append(best.subject("x").extraction.problem)
    for size in (10, 40):
        owners = [*range(size), *drawn.integers(0, size, size).tolist()]
        children = [drawn.integers(0, max(1, owner), min(owner, 3)).tolist() for owner in owners]
        problems.append(Problem.build(drawn.integers(0, 9, 2 * size), owners, children, roots=[size - 1]))
    return [json.dumps(problem.to_gym_json()).encode() for problem in problems]


def read_as_graph(path: Path, whole: bool) -> None:
    """All that happens to a graph file before anything is compiled; with `whole`, that too."""
    graph = read_graph(path)
    verify(at_capacity(graph), Stage.ARRAY)
    inputs = inputs_of(graph)
    with_values(inputs, greatest_values(graph.toposort()))
    assert from_json(json.loads(json.dumps(to_json([graph]), allow_nan=False))) == [graph]
    assert len(graph.pretty()) < 10_000_000
    if whole:
        best = eq.optimize(graph, eq.Plan(budget=Budget(nodes=2000, iterations=4, seconds=2.0)))
        eq.compile(best)


def read_as_egraph(path: Path, whole: bool) -> None:
    """What `extract` and `show` do with a file."""
    problem = load(path)
    for name in ("bottom-up", "greedy-dag", *(["portfolio"] if whole else [])):
        found = extractor_named(name, 1.0).extract(problem)
        found.validate()
    if whole:
        text = page(Subject(found, path.name))
        assert "<script>alert" not in text


KINDS: dict[str, tuple[Callable[[], list[bytes]], Callable[[Path, bool], None]]] = {
    "graph": (graphs, read_as_graph),
    "egraph": (egraphs, read_as_egraph),
}


def outcome(read: Callable[[Path, bool], None], path: Path, whole: bool) -> str:
    """What became of a file: `legal`, the name of a typed error, or what else went wrong."""
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        read(path, whole)
    except EqsatError as error:
        text = str(error)
        return (
            type(error).__name__
            if "\n" not in text.strip() and len(text) < 2000
            else f"long message: {text[:300]!r}"
        )
    except TooSlowError:
        return f"too slow: {traceback.format_exc()[-600:]}"
    except BaseException as error:  # noqa: BLE001  (whatever it is, it is a finding)
        return f"untyped {type(error).__name__}: {traceback.format_exc()[-900:]}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return "legal"


def main(kind: str, seed: str, count: int, directory: Path) -> None:
    """Draws the mutations, reads them, and prints counts and findings."""

    def expire(*_: Any) -> None:
        raise TooSlowError

    signal.signal(signal.SIGVTALRM, expire)
    documents, read = KINDS[kind][0](), KINDS[kind][1]
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    drawn = random.Random(f"{kind} {seed}")
    counts: dict[str, int] = {}
    findings: list[str] = []
    slowest, legal = 0.0, 0
    for number in range(count):
        path = directory / f"{number}.json"
        path.write_bytes(mutated(drawn.choice(documents), drawn))
        started = time.process_time()
        found = outcome(read, path, whole=legal % PIPELINE == 0)
        slowest = max(slowest, time.process_time() - started)
        legal += found == "legal"
        name = found.partition(":")[0]
        counts[name] = counts.get(name, 0) + 1
        if found != "legal" and not found.isidentifier():
            findings.append(f"{path}: {found}")
        else:
            path.unlink()
    peak = peak_bytes() >> 20
    sys.stdout.write(json.dumps({"counts": counts, "findings": findings, "slowest": slowest, "peak": peak}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]))
