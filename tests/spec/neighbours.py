"""Neighbours of legal graphs: one node has a source less, more, or another one, another dtype, or another member in its argument.

What `spec` says of each is counted by operation and complaint, as lines to read: `accepted` stands where it says nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from eqsat.dtype import AddrSpace, DType, PtrDType, bool_, float32, float64, index, int32, void
from eqsat.errors import EqsatError, SpecError
from eqsat.ops import ALU, TABLE, AxisType, Op, Stage
from eqsat.spec import verify
from eqsat.uop import UOp, rewrite, toposort

Graph = UOp | Sequence[UOp]
DTYPES: tuple[DType | PtrDType, ...] = (
    void, bool_, index, int32, float64, float32.vec(2), float32.vec(4), PtrDType(float32, AddrSpace.GLOBAL, 8),
    PtrDType(float32, AddrSpace.REG, 4),
)  # fmt: skip
MEMBERS: tuple[Any, ...] = (None, -1, 0, 1, True, "x", ())
NAMES = (
    (re.compile(r"\b(float|int|uint|bfloat)\d+(×\d+|x\d+|\*\w+)?(\[\d+\])?|\b(bool|index|void)\b(x\d+)?"), "dtype"),
    (re.compile(r"\b[A-Z][A-Z_]{2,}\b(, [A-Z][A-Z_]{2,}\b)*"), "OP"),
    (re.compile(r"-?\d+"), "#"),
)  # fmt: skip


@cache
def sources(stage: Stage) -> tuple[UOp, ...]:
    """What may stand in place of a source: a value of each kind, ranges, memory, and a statement."""
    buffer = UOp.param(0, 8, float32)
    common = (
        UOp.const(float32, 1), UOp.const(index, 1), UOp.const(bool_, True), UOp(Op.VCONST, float32.vec(2), (), (1.0, 2.0)), buffer,
        UOp.range(8, 77, AxisType.REDUCE), UOp.range(4, 78), UOp(Op.BARRIER, void), UOp.variable("n", 0, 3),
    )  # fmt: skip
    if stage in (Stage.ARRAY, Stage.PROGRAM):
        return (
            *common[:3], buffer, UOp.param(7, 8, int32), buffer.reshape((2, 4)), UOp(Op.DEVICE, void, (), "CPU"), common[6],
            UOp(Op.MSTACK, float32, (buffer, buffer)), UOp(Op.TUPLE, void, (buffer,)),
        )  # fmt: skip
    where = common[6]
    return (
        *common,
        UOp(Op.INDEX, float32, (buffer, where)),
        UOp(Op.INDEX, float32, (buffer, where, where < 3)),
    )


def neighbours(node: UOp, stage: Stage) -> Iterator[tuple[Any, tuple[UOp, ...], Any]]:
    """Dtypes, sources and arguments that differ from those of a node in one thing."""
    dtype, src, arg = node.dtype, node.src, node.arg
    for other in DTYPES:
        if other != dtype:
            yield other, src, arg
    for place, source in enumerate(src):
        before, after = src[:place], src[place + 1 :]
        yield dtype, (*before, *after), arg
        yield dtype, (*before, source, source, *after), arg
        yield dtype, (*before, *after[:1], source, *after[1:]), arg
        for other in sources(stage):
            if other is not source:
                yield dtype, (*before, other, *after), arg
    for other in sources(stage):
        yield dtype, (*src, other), arg
    for other in arguments(arg):
        yield dtype, src, other


def arguments(arg: Any) -> Iterator[Any]:
    """Arguments that differ from one in a number, in a member, or in how many there are."""
    if isinstance(arg, tuple):
        yield arg[:-1]
        yield (*arg, *arg[-1:])
        yield arg[::-1]
        for place, member in enumerate(arg):
            for other in arguments(member):
                yield (*arg[:place], other, *arg[place + 1 :])
        return
    if isinstance(arg, int) and not isinstance(arg, bool):
        yield from (arg - 1, arg + 1, 2 * arg, -arg)
    if isinstance(arg, Op):
        yield from (other for other in (Op.ADD, Op.MAX, Op.SUB) if other is not arg)
    if isinstance(arg, AxisType):
        yield from (other for other in AxisType if other is not arg)
    yield from (other for other in MEMBERS if other.__class__ is not arg.__class__ or other != arg)


def verdicts(graph: Graph, node: UOp, stage: Stage) -> Counter[tuple[str, str]]:
    """What `spec` says of a graph with a neighbour in place of one of its nodes, by operation and complaint."""
    return Counter((_kind(node.op), verdict(graph, node, other, stage)) for other in neighbours(node, stage))


def verdict(graph: Graph, node: UOp, other: tuple[Any, tuple[UOp, ...], Any], stage: Stage) -> str:
    """What `spec`, or the constructor, says of a graph with one node replaced."""
    try:
        verify(_replaced(graph, node, UOp(node.op, *other)), stage)
    except SpecError as error:
        return _general(str(error).partition(" is not legal at ")[2].partition(": ")[2] or str(error))
    except EqsatError:
        return "not built"
    return "accepted"


def _kind(op: Op) -> str:
    """An operation, or the rule of dtypes of those that are alike."""
    return f"{TABLE[op].category.value} of {TABLE[op].dtype.value}" if op in ALU else op.name


def _replaced(graph: Graph, node: UOp, made: UOp) -> Graph:
    """The graph with one node replaced; instructions keep their places, and what is new comes before its use."""
    if isinstance(graph, UOp) and graph.op is not Op.LINEAR:
        return rewrite([graph], {node: made})[0]
    instructions = list(graph.src if isinstance(graph, UOp) else graph)
    changed = rewrite(instructions, {node: made})
    listed = list(dict.fromkeys(each for root in changed for each in (*toposort([root])[:-1], root)))
    return UOp(Op.LINEAR, void, tuple(listed)) if isinstance(graph, UOp) else listed


def _general(text: str) -> str:
    """A complaint without what it is about: names of operations, dtypes, numbers."""
    for pattern, name in NAMES:
        text = pattern.sub(name, text)
    return re.split("[,;:]", text)[0].strip()
