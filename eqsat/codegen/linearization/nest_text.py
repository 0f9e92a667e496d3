"""Prints the loops of a scheduled kernel for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from graphlib import TopologicalSorter

from eqsat.codegen.expansion.dependence import nesting
from eqsat.codegen.expansion.groups import lanes_reduced, unshared
from eqsat.codegen.linearization.loops import ITEMS, LoopNest, ended_by, memory_of
from eqsat.ops import ABREAST, REDUCES, AxisType, Op
from eqsat.shape import extent_of
from eqsat.uop import UOp, toposort

WORDS = {
    AxisType.GLOBAL: ("parallel", "i"), AxisType.THREAD: ("parallel", "i"), AxisType.LOCAL: ("items of a group", "i"),
    AxisType.WARP: ("lanes of a sub-group", "i"), AxisType.GROUP_REDUCE: ("items of a group", "k"), AxisType.REDUCE: ("for", "k"),
    AxisType.SCAN: ("for", "k"), AxisType.UNROLL: ("unrolled", "c"), AxisType.UPCAST: ("vectorized", "v"),
}  # fmt: skip
INFIX = {Op.ADD: "+", Op.SUB: "-", Op.MUL: "*", Op.FDIV: "/", Op.CMPLT: "<", Op.CMPNE: "!=", Op.AND: "&", Op.OR: "|", Op.XOR: "^"}  # fmt: skip
COMBINING = {*REDUCES, Op.SCAN, Op.RECUR}
STATEMENTS = {*COMBINING, Op.STORE}
READING = {*COMBINING, Op.CARRY, Op.LOAD}
LONGEST = 100  # characters of a formula; a longer one is printed as `f` of the operands that it reads


def nest_text(sink: UOp) -> str:
    """The loop nest of a kernel whose axis types are chosen: a line for each loop, reduction, scan, recurrence and store.

    The name of an array is followed by the loops that its elements vary with. Reductions that share a loop stand in it together. Everything
    stands in the parallel loops, since each of their iterations does all of it. A kept value with a prime is that of the next iteration.
    """
    exchanged = frozenset(bound.arg[0] for bound in lanes_reduced(toposort([sink])))
    order = toposort([unshared(sink)])
    parallel = sorted(
        (node for node in order if node.op is Op.RANGE and node.arg[1] in (AxisType.GLOBAL, *ITEMS)),
        key=nesting,
    )
    nest, names = LoopNest.of(order), _Names(order, exchanged)
    whole = _Block()
    for node in order:
        if node.op in STATEMENTS:
            found = nest.block_of(node) if node.op is Op.STORE else nest.body_of(node)
            path = [*parallel, *(bound for bound in found if bound not in parallel)]
            needs = {each for each in toposort([node]) if each.op in STATEMENTS} - {node}
            abreast = names.abreast(node, path)
            statement = _Statement(node, needs, abreast, names.statement(node))
            whole.inside(path).parts.append(statement)
    return "\n".join(whole.lines(names.loop))


@dataclass
class _Statement:
    """One statement.

    Attributes:
        needs: the reductions and scans that it reads, and the stores to local memory before it.
        abreast: the ranges of its copies and lanes, which are printed above it.
    """

    node: UOp
    needs: set[UOp]
    abreast: list[UOp]
    text: str

    @property
    def statements(self) -> list[_Statement]:
        return [self]

    def lines(self, head: Callable[[UOp], str], indent: str = "") -> Iterable[str]:
        for depth, bound in enumerate(self.abreast):
            yield indent + "  " * depth + head(bound)
        for line in self.text.splitlines():
            yield indent + "  " * len(self.abreast) + line


@dataclass
class _Block:
    """The loops and statements inside the loop `bound`; for the whole kernel, `bound` is None."""

    bound: UOp | None = None
    parts: list[_Statement | _Block] = field(default_factory=list["_Statement | _Block"])

    @property
    def statements(self) -> list[_Statement]:
        return [statement for part in self.parts for statement in part.statements]

    def inside(self, path: Iterable[UOp]) -> _Block:
        """The block of the innermost loop of a path; missing blocks on the path are created."""
        block = self
        for bound in path:
            found = next(
                (part for part in block.parts if isinstance(part, _Block) and part.bound is bound), None
            )
            if found is None:
                found = _Block(bound)
                block.parts.append(found)
            block = found
        return block

    def ordered(self) -> list[_Statement | _Block]:
        """The parts, each after the parts that it needs."""
        makers = {
            statement.node: number for number, part in enumerate(self.parts) for statement in part.statements
        }
        needs = {
            number: {makers[need] for each in part.statements for need in each.needs if need in makers}
            - {number}
            for number, part in enumerate(self.parts)
        }
        return [self.parts[number] for number in TopologicalSorter(needs).static_order()]

    def lines(self, head: Callable[[UOp], str], indent: str = "") -> Iterable[str]:
        inner = indent
        if self.bound is not None:
            yield indent + head(self.bound)
            inner += "  "
        for part in self.ordered():
            yield from part.lines(head, inner)


class _Names:
    """Names of buffers, loops and reductions, numbered by kind, and the texts in which they occur."""

    def __init__(self, order: list[UOp], exchanged: frozenset[int]) -> None:
        """`exchanged` are the numbers of ranges of reductions that sub-groups share."""
        self._exchanged = exchanged
        self._counts: dict[str, int] = {}
        self._known: dict[UOp, str] = {}
        written = {memory_of(node.src[0]) for node in order if node.op is Op.STORE}
        params = sorted((node for node in order if node.op is Op.PARAM), key=lambda node: node.arg[0])
        for node in (*params, *(node for node in order if node.op in (Op.DEFINE_LOCAL, Op.DEFINE_REG))):
            kind = ("out" if node in written else "in") if node.op is Op.PARAM else "local"
            self._known[node] = self._numbered(kind)

    def loop(self, bound: UOp) -> str:
        """The line that opens a loop."""
        kind = AxisType.WARP if bound.arg[0] in self._exchanged else bound.arg[1]
        word = WORDS.get(kind, ("for", "i"))[0]
        return f"{word} {self._bound(bound)} in {extent_of(bound)}:"

    def abreast(self, statement: UOp, path: Sequence[UOp]) -> list[UOp]:
        """The copies and lanes of a statement, copies first; loops on the way to it are named first."""
        own = ended_by(statement) if statement.op in COMBINING else ()
        varies = {*statement.ranges, *own}
        if statement.op is Op.STORE:
            varies = {*statement.src[0].ranges, *statement.src[1].ranges, *statement.src[2:]}
        found = [bound for bound in varies if bound.arg[1] in ABREAST]
        found.sort(key=lambda bound: (bound.arg[1] is AxisType.UPCAST, nesting(bound)))
        for bound in (*path, *found):
            self._bound(bound)
        return found

    def statement(self, node: UOp) -> str:
        """A reduction, scan or store as an assignment."""
        if node.op is Op.STORE:
            return f"{self._element(node.src[0])} = {self._formula(node.src[1])}"
        if node.op is Op.RECUR:
            return self._recurrence(node)
        op: Op = node.arg if node.op is Op.REDUCE else node.arg[0]
        value = self._formula(node.src[0])
        if node.op is Op.ARGREDUCE:
            kind = f"arg{op.name.lower()}" if node.arg[1] else op.name.lower()
            name = self._known[node] = self._numbered(kind)
            return f"{name} = {kind}({name}, {value})"
        kind = "sum" if op is Op.ADD else "product" if op is Op.MUL else op.name.lower()
        name = self._known[node] = self._numbered(kind)
        return (
            f"{name} {INFIX[op]}= {value}" if op in INFIX else f"{name} = {op.name.lower()}({name}, {value})"
        )

    def _recurrence(self, node: UOp) -> str:
        """What a recurrence gives, and what its kept values are in the next iteration."""
        pairs = node.src[1 : 1 + 2 * node.arg]
        value = self._formula(node.src[0])
        names = [self._formula(kept) for kept in pairs[1::2]]
        following = [f"{name}' = {self._formula(each)}" for name, each in zip(names, pairs[::2], strict=True)]
        name = self._known[node] = self._numbered("recurrence")
        return "\n".join([f"{name} = {value}", *following])

    def _formula(self, node: UOp) -> str:
        text = self._short(node, {})
        if text is not None:
            return _bare(node, text)
        ends = {each for each in toposort([node]) if each.op in READING}
        read = dict.fromkeys(str(self._short(each, {})) for each in toposort([node], ends) if each in ends)
        return f"f({', '.join(read)})"

    def _short(self, node: UOp, known: dict[UOp, str | None]) -> str | None:
        """The value as a formula; None if that is too long. A shared value counts at each of its occurrences."""
        if node not in known:
            text = self._made(node, known)
            known[node] = text if text is not None and len(text) <= LONGEST else None
        return known[node]

    def _made(self, node: UOp, known: dict[UOp, str | None]) -> str | None:
        if node in self._known:
            return self._known[node]
        if node.op is Op.CONST:
            return f"{node.arg:.6g}" if isinstance(node.arg, float) else str(node.arg)
        if node.op is Op.CARRY:
            self._known[node] = self._numbered("kept")
            return self._known[node]
        if node.op is Op.LOAD:
            return self._element(node.src[0])
        if node.op is Op.DEFINE_VAR:
            return str(node.arg[0])
        if (
            node.dtype.scalar.is_bool
            and node.ranges
            and not any(each.op in READING for each in toposort([node]))
        ):
            return f"test[{self._listed(node)}]"  # a condition on indices
        parts = [part for source in node.src if (part := self._short(source, known)) is not None]
        if len(parts) < len(node.src):
            return None
        if node.op in INFIX:
            return f"({f' {INFIX[node.op]} '.join(parts)})"
        bare = [_bare(source, part) for source, part in zip(node.src, parts, strict=True)]
        return f"{node.op.name.lower()}({', '.join(bare)})"

    def _element(self, address: UOp) -> str:
        buffer = self._known.get(memory_of(address), "memory")
        place = address.src[1] if address.op is Op.INDEX else address
        return f"{buffer}[{self._listed(place)}]"

    def _listed(self, node: UOp) -> str:
        """The loops that a node varies with, then its copies and lanes."""
        bounds = sorted(node.ranges, key=_as_listed)
        return ", ".join(map(self._bound, bounds))

    def _bound(self, bound: UOp) -> str:
        if bound not in self._known:
            self._known[bound] = self._numbered(WORDS.get(bound.arg[1], ("for", "i"))[1])
        return self._known[bound]

    def _numbered(self, kind: str) -> str:
        number = self._counts.get(kind, 0)
        self._counts[kind] = number + 1
        return f"{kind}{number}"


def _bare(node: UOp, text: str) -> str:
    """The formula of a node without the parentheses around the whole."""
    return text[1:-1] if text.startswith("(") and node.op in INFIX else text


def _as_listed(bound: UOp) -> tuple[bool, bool, tuple[bool, int, int]]:
    """The sort key of ranges: loops in nesting order, then copies, then lanes."""
    return bound.arg[1] in ABREAST, bound.arg[1] is AxisType.UPCAST, nesting(bound)
