"""Nonsense in place of each field of an operation: arguments, dtypes and sources that no outsider was told to leave out.

`python -m tests.forms.nonsense [SEED] [SHARE]` tries a share of all (by default the whole) and prints what is no typed error of eqsat, or
one that names no operation.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import eqsat as eq
from eqsat import codegen
from eqsat.dtype import AddrSpace, PtrDType, bool_, float32, float64, index, int8, int32, void
from eqsat.errors import EqsatError
from eqsat.graph_files.serialize import from_json, to_json
from eqsat.ops import AxisType, KernelInfo, Op, Stage, View
from eqsat.reference import evaluate, run_linear
from eqsat.reference.evaluate import evaluate_kernel
from eqsat.spec import verify
from eqsat.uop import UOp, rewrite, toposort
from tests.forms.form import Runs, argument, at, f, i, local, node, register
from tests.forms.running import buffers_of

X = UOp.param(0, 6, float32)
NO_TEXT: Any = None
NAN = float("nan")
NUMBERS: list[Any] = [
    None, -5, 0, 3, True, 1.5, NAN, float("inf"), 1 << 70, 2**31, np.int64(3), np.float32(1.0), "banana", "nonsense", "",
    "{9}", "a b", b"x",
]  # fmt: skip
TUPLES: list[Any] = [
    (), (1,), (-1, 2), (1, 2, 3), (1.5, 2), (True, False), ("a", "b"), (None, None), (1 << 70, 1 << 70), (0,) * 1000,
    ((0, 1),), ((0, -1),), ((NAN, 1),), ((),), (("a", 1),), ("n", 5, 1), ("", 0, 1), ("n", 0.5, 1), ("n", None, None),
    ("n", False, True), (None, (True,)), (0, (True, True)), ("a", (True,)), (X,),
]  # fmt: skip
OPERATIONS: list[Any] = [
    Op.ADD, Op.SIN, (Op.ADD,), (Op.ADD, (0,)), (Op.SIN, (0,)), (Op.MAX, (7,)), (Op.ADD, None), (Op.ADD, ("a",)),
    (Op.MAX, (0, 1)), AxisType.LOOP, (0, AxisType.LOOP), (0, "loop"), Stage.ARRAY,
]  # fmt: skip
OBJECTS: list[Any] = [
    KernelInfo("k"), KernelInfo(NO_TEXT), KernelInfo("k", -1, 0), KernelInfo("k", NO_TEXT), KernelInfo(""), View((2,), (1,)),
    View(NO_TEXT, NO_TEXT), View((NO_TEXT,), (1,)), View((2,), (NO_TEXT,)), View((2,), (1,), 10**6), View((2,), (1,), 0, ((0, 9),)), float32,
    object(), [1], {"a": 1}, np.array([1]), X, lambda: 0,
]  # fmt: skip
ARGUMENTS = NUMBERS + TUPLES + OPERATIONS + OBJECTS
DTYPES: list[Any] = [
    None, "float32", "banana", 3, np.float32, void, float32.vec(3), float32.vec(4), PtrDType(float32, AddrSpace.GLOBAL, 4),
    PtrDType(float32, AddrSpace.LOCAL, -4), index, bool_, int8, float64, index.vec(4), bool_.vec(2),
]  # fmt: skip
SOURCES: list[Any] = [
    X, f(1.0), i(1), UOp.const(bool_, True), UOp.sink(), node(Op.NOOP, void, UOp.sink()), node(Op.DEVICE, void, arg="HOST"), UOp.range(4, 77),
    UOp.range(4, 78, AxisType.REDUCE), UOp.variable("zz", 0, 3), node(Op.BARRIER, void), argument(9, 4), local(4, "zz"), register(4, 9),
    at(X, i(1)), node(Op.VCONST, float32.vec(4), arg=(1.0,) * 4), node(Op.TUPLE, void, X), node(Op.NAME, void, arg="n"), node(Op.LINEAR, void),
    node(Op.SOURCE, void, arg="s"), f(1.0).broadcast((6,)), UOp.const(int32, 1).broadcast((6,)), None, 3, "banana", float32, np.zeros(3), [X], (X,),
]  # fmt: skip
_NAMES = {op.name for op in Op}
Build = Callable[[], UOp]
Finding = tuple[str, str, str]


def mutants(given: UOp) -> Iterator[tuple[str, Build]]:
    """The node with another argument, dtype or sources, each under a title."""
    op, dtype, src, arg = given.op, given.dtype, given.src, given.arg
    for other in [*ARGUMENTS, *_bent(arg)]:
        yield f"argument {other!r:.80}", lambda other=other: UOp(op, dtype, src, other)
    for other in DTYPES:
        yield f"dtype {other!r}", lambda other=other: UOp(op, other, src, arg)
    for place in range(len(src)):
        before, after = src[:place], src[place + 1 :]
        yield f"no source {place}", lambda before=before, after=after: UOp(op, dtype, before + after, arg)
        for other in SOURCES:
            yield (
                f"source {place} {other!r:.80}",
                lambda before=before, after=after, other=other: UOp(op, dtype, (*before, other, *after), arg),
            )
    for other in SOURCES:
        yield f"one more source {other!r:.80}", lambda other=other: UOp(op, dtype, (*src, other), arg)
    for title, other in {"none": (), "reversed": src[::-1], "twice": src * 2}.items():
        yield f"sources {title}", lambda other=other: UOp(op, dtype, other, arg)
    wrong: list[Any] = [list(src), None]
    for other in wrong:
        yield f"sources {type(other)}", lambda other=other: UOp(op, dtype, other, arg)
    strange: Any = op.name
    yield "a name for an operation", lambda: UOp(strange, dtype, src, arg)


def _bent(arg: Any) -> Iterator[Any]:
    """An argument with a member too few, too many, or another one."""
    if isinstance(arg, tuple):
        members: tuple[Any, ...] = arg
        yield members[:-1]
        yield (*members, 1)
        for place, member in enumerate(members):
            for other in (None, -1, True, 1.5, "x", (), NAN, 1 << 70, 0, 10**6, *_bent(member)):
                yield (*members[:place], other, *members[place + 1 :])


def findings(form: Runs, given: UOp, share: float, drawn: random.Random) -> Iterator[Finding]:
    """What is wrong with errors, of the mutants of one node in a form."""
    for title, build in mutants(given):
        if drawn.random() > share:
            continue
        yield from _of_mutant(form, given, title, build, drawn.random() < share / 4)


def _of_mutant(form: Runs, given: UOp, title: str, build: Build, whole: bool) -> Iterator[Finding]:
    told = f"{form.stage.value}: {given.op.name} with {title}"
    made, wrong = attempt(build)
    yield from ((told, "UOp", each) for each in wrong)
    if made is None:
        return
    graph, wrong = attempt(lambda: replaced(form, given, made))
    yield from ((told, "UOp around", each) for each in wrong)
    for stage in Stage:
        yield from ((told, f"verify {stage.value}", each) for each in attempt(lambda stage=stage: verify(made, stage))[1])  # fmt: skip
    if graph is None:
        return
    steps: list[tuple[str, Callable[[], object]]] = [
        ("verify", lambda: verify(graph, form.stage)),
        ("json", lambda: from_json(json.loads(json.dumps(to_json([graph]))), allow_custom=True)),
        ("text", lambda: (repr(made), graph.pretty())),
    ]
    if whole:
        steps += _uses(form, graph)
    for name, step in steps:
        yield from ((told, name, each) for each in attempt(step)[1])


def _uses(form: Runs, graph: UOp) -> list[tuple[str, Callable[[], object]]]:
    if form.stage in (Stage.ARRAY, Stage.PROGRAM):
        return [
            ("compile", lambda: eq.compile(graph)),
            ("evaluate", lambda: evaluate(graph, dict(form.inputs))),
        ]
    buffers, variables = buffers_of(form), {"size": 4, "zz": 1}
    if form.stage is Stage.LINEAR:
        return [
            ("render", lambda: codegen.render(graph)),
            ("run_linear", lambda: run_linear(graph, buffers, (8,), (4,), variables)),
        ]
    render = (
        codegen.render if form.stage is Stage.KERNEL else lambda sink: codegen.render(codegen.linearize(sink))
    )
    return [
        ("render", lambda: render(graph)),
        ("evaluate_kernel", lambda: evaluate_kernel(graph, buffers, variables)),
    ]


def replaced(form: Runs, given: UOp, made: UOp) -> UOp:
    """The graph of a form with one node replaced; instructions of a LINEAR keep their places."""
    if form.stage is not Stage.LINEAR or given is form.graph:
        return rewrite([form.graph], {given: made})[0]
    done: dict[UOp, UOp] = {}
    for each in form.graph.src:
        done[each] = (
            made if each is given else each.with_src(tuple(done.get(source, source) for source in each.src))
        )
    return form.graph.with_src(tuple(done[each] for each in form.graph.src))


def attempt(step: Callable[[], Any]) -> tuple[Any, list[str]]:
    """The result of a step if it has one, and what is wrong with the error that it raised, if anything."""
    try:
        return step(), []
    except EqsatError as error:
        text = str(error)
        named = any(word in _NAMES for word in re.findall(r"[A-Z][A-Z0-9_]+", text)) or "variable" in text
        return None, [] if named and len(text) < 3000 else [f"names no operation: {text[:200]}"]
    except Exception as error:  # noqa: BLE001  what this looks for
        return None, [f"{type(error).__name__}: {error}"]


def one_of_each(forms: list[Any]) -> list[tuple[Runs, UOp]]:
    """A node of each operation at each stage, with a form that has it."""
    found: dict[tuple[Op, Stage], tuple[Runs, UOp]] = {}
    for form in forms:
        for each in toposort([form.graph]) if isinstance(form, Runs) else ():
            found.setdefault((each.op, form.stage), (form, each))
    return list(found.values())


if __name__ == "__main__":
    from tests.forms.test_forms import FORMS

    seed, share = int((*sys.argv[1:], 0)[0]), float((*sys.argv[2:], 1.0)[0])
    for form, given in one_of_each(FORMS):
        for finding in findings(form, given, share, random.Random(seed)):
            print(*finding, sep=" | ")  # noqa: T201  a command
