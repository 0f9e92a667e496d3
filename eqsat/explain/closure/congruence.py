"""Proof-producing congruence closure over UOps: a union-find whose links carry justifications.

After R. Nieuwenhuis, A. Oliveras, "Proof-producing congruence closure" (2005). Every member of a class is one concrete term, and the links of
a class form a tree, so any two members are joined by one path of justified equalities.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from eqsat.egraph.tables.encode import operands_of
from eqsat.egraph.theories.terms.constants import constant_of
from eqsat.explain.steps import StepKind
from eqsat.integers.bounds import interval_of
from eqsat.integers.intervals import Interval
from eqsat.ops import COMMUTATIVE
from eqsat.rules.language.rule import Rule
from eqsat.uop import UOp

MOST_IMPROVEMENTS = 48  # times that bounds of one class improve; contradictory rules would do so for ever


@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """A lower or upper bound of all members of a class. It was computed for the member `term` from the facts of its sources."""

    term: UOp
    value: int
    sources: tuple[tuple[UOp, Fact], ...]


@dataclass(frozen=True, slots=True, eq=False)
class ByRule:
    """The two terms of a link are the sides of a rule. `facts` are the bounds that its guard may read."""

    rule: Rule
    bindings: Mapping[str, Any]
    facts: tuple[tuple[UOp, Fact], ...]


@dataclass(frozen=True, slots=True, eq=False)
class ByTheory:
    """The check of a theory accepts the two terms of a link, given facts."""

    name: str
    facts: tuple[tuple[UOp, Fact], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ByCongruence:
    """The two terms of a link are the same operation on equal operands."""


@dataclass(frozen=True, slots=True, eq=False)
class ByLemma:
    """The two terms of a link are equal by the lemma with this number, in a step of this kind."""

    kind: StepKind
    number: int


Written = tuple[str, tuple[Any, ...], tuple[UOp, ...]]  # table, columns that hold no terms, operands
Justification = ByRule | ByTheory | ByLemma | ByCongruence
CONGRUENCE = ByCongruence()


class CongruenceClosure:
    """Equivalence classes of terms, closed under congruence, with a justification for each link.

    Attributes:
        stamp: the `clock` at which each class last changed, by representative.
        visible: the terms that rules and theories read, with their table rows; other terms only serve as links.
        atoms: terms whose classes are variables that stand for sums.
        constants: the value of each class that contains a constant.
    """

    def __init__(self) -> None:
        self.parent: dict[UOp, UOp] = {}
        self.members: dict[UOp, list[UOp]] = {}
        # Next term towards the root, the two terms of the link in the stated order, and why they are equal
        self.links: dict[UOp, tuple[UOp, UOp, UOp, Justification]] = {}
        self.users: dict[UOp, list[UOp]] = {}
        self.table: dict[tuple[Any, ...], UOp] = {}
        self.number: dict[UOp, int] = {}
        self.size: dict[UOp, int] = {}
        self.constants: dict[UOp, bool | int | float] = {}
        self.facts: dict[UOp, tuple[Fact | None, Fact | None]] = {}
        self.improvements: dict[UOp, int] = {}
        self.visible: dict[UOp, list[Written]] = {}
        self.atoms: list[UOp] = []
        self.stamp: dict[UOp, int] = {}
        self.clock = 0
        self._pending: deque[tuple[UOp, UOp, Justification]] = deque()
        self._stale: deque[UOp] = deque()

    # terms and classes

    def find(self, term: UOp) -> UOp:
        """The representative of a term's class."""
        parent = self.parent
        root = term
        while parent[root] is not root:
            root = parent[root]
        while parent[term] is not root:
            parent[term], term = root, parent[term]
        return root

    def same(self, one: UOp, other: UOp) -> bool:
        """Whether two terms are known to be equal."""
        return self.find(one) is self.find(other)

    def add(self, term: UOp) -> UOp:
        """Adds a term and all its subterms. Returns the representative of its class."""
        stack = [term]
        while stack:
            node = stack[-1]
            if node in self.parent:
                stack.pop()
                continue
            missing = [source for source in node.src if source not in self.parent]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            self._create(node)
        self.close()
        return self.find(term)

    def _create(self, node: UOp) -> None:
        self.parent[node] = node
        self.members[node] = [node]
        self.users[node] = []
        self.number[node] = len(self.number)
        self.size[node] = min(1 << 40, 1 + sum(self.size[source] for source in node.src))
        self.stamp[node] = self.clock
        value = constant_of(node)
        if value is not None:
            self.constants[node] = value
        for operand in dict.fromkeys(operands_of(node)):
            self.users[self.find(operand)].append(node)
        self._stale.append(node)
        if node.src:
            self._enter(node)

    def _enter(self, node: UOp) -> None:
        """Looks for a term with the same operation on the same classes, and queues a merge with it."""
        key = self._key(node)
        other = self.table.setdefault(key, node)
        if other is not node and not self.same(other, node):
            self._pending.append((node, other, CONGRUENCE))

    def _key(self, node: UOp) -> tuple[Any, ...]:
        operands = operands_of(node)
        numbers = [self.number[self.find(operand)] for operand in operands]
        if node.op in COMMUTATIVE and len(numbers) == 2:
            numbers.sort()
        return (node.op, node.dtype, node.arg.__class__, node.arg, node.src[len(operands) :], *numbers)

    def merge(self, one: UOp, other: UOp, why: Justification) -> None:
        """Merges the classes of two known terms. `one` and `other` are the terms that `why` justifies, in this order."""
        self._pending.append((one, other, why))
        self.close()

    def close(self) -> None:
        """Merges congruent terms and updates bounds until nothing changes."""
        while self._pending or self._stale:
            while self._pending:
                self._unite(*self._pending.popleft())
            if self._stale:
                self._update_facts(self._stale.popleft())

    def _unite(self, one: UOp, other: UOp, why: Justification) -> None:
        if self.same(one, other):
            return
        if isinstance(why, ByCongruence) and (turned := self._turned(one, other)) is not None:
            if turned not in self.parent:
                self._create(turned)
            if not self.same(one, turned):
                self._unite(one, turned, ByTheory("commuted"))
            if not self.same(turned, other):
                self._unite(turned, other, CONGRUENCE)
            return
        keep, drop = self.find(one), self.find(other)
        if len(self.members[keep]) < len(self.members[drop]):
            keep, drop = drop, keep
        inner, outer = (one, other) if self.find(one) is drop else (other, one)
        self._link(inner, outer, (one, other, why))
        self.parent[drop] = keep
        self.members[keep] += self.members.pop(drop)
        self.stamp[keep] = self.clock
        if drop in self.constants:
            self.constants.setdefault(keep, self.constants[drop])
        kept, dropped = self.facts.get(keep), self.facts.pop(drop, (None, None))
        for end, fact in enumerate(dropped):
            if fact is not None:
                self._improve(keep, end, fact)
        if self.facts.get(keep) != kept:
            self._stale.extend(self.users[keep])
        users = self.users.pop(drop)
        if self.facts.get(keep) != dropped:
            self._stale.extend(users)
        for user in users:
            self._enter(user)
        self.users[keep] += users

    def _turned(self, one: UOp, other: UOp) -> UOp | None:
        """`one` with its two operands swapped, if only the swapped term is congruent to `other`."""
        if one.op not in COMMUTATIVE or len(one.src) != 2:
            return None
        pairs = zip(one.src, other.src, strict=True)
        return None if all(self.same(*pair) for pair in pairs) else one.with_src(one.src[::-1])

    def _link(self, inner: UOp, outer: UOp, why: tuple[UOp, UOp, Justification]) -> None:
        """Makes `inner` the root of its tree, and hangs it below `outer`."""
        node, target, reason = inner, outer, why
        while True:
            following = self.links.get(node)
            self.links[node] = (target, *reason)
            if following is None:
                return
            target, node, reason = node, following[0], following[1:]

    def path(self, one: UOp, other: UOp) -> list[tuple[UOp, UOp, Justification, bool]]:
        """The links from a term to an equal one: for each its two terms, its justification, and whether it is walked in the stated direction."""
        above = {one: 0}
        up: list[UOp] = [one]
        while up[-1] in self.links:
            up.append(self.links[up[-1]][0])
            above[up[-1]] = len(up) - 1
        down: list[UOp] = [other]
        while down[-1] not in above:
            down.append(self.links[down[-1]][0])
        walked = [*up[: above[down[-1]] + 1], *down[-2::-1]]
        found: list[tuple[UOp, UOp, Justification, bool]] = []
        for start, end in pairwise(walked):
            link = self.links.get(start)
            if link is None or link[0] is not end:
                link = self.links[end]
            found.append((start, end, link[3], link[1] is start))
        return found

    # bounds

    def bounds(self, term: UOp) -> tuple[int | None, int | None]:
        """The interval of a term's class."""
        low, high = self.facts.get(self.find(term), (None, None))
        return None if low is None else low.value, None if high is None else high.value

    def facts_of(self, terms: Iterable[UOp]) -> tuple[tuple[UOp, Fact], ...]:
        """The known bounds of some terms: pairs of a term and a fact about its class."""
        return tuple(
            (term, fact)
            for term in terms
            for fact in self.facts.get(self.find(term), (None, None))
            if fact is not None
        )

    def _update_facts(self, node: UOp) -> None:
        operands = node.src
        facts = [self.facts.get(self.find(operand), (None, None)) for operand in operands]
        intervals: list[Interval] = [
            (None if low is None else low.value, None if high is None else high.value) for low, high in facts
        ]
        found = interval_of(node, intervals)
        sources = self.facts_of(operands)
        owner = self.find(node)
        improved = False
        for end, value in enumerate(found):
            if value is not None:
                improved |= self._improve(owner, end, Fact(node, value, sources))
        if improved:
            self.stamp[owner] = self.clock
            self._stale.extend(self.users[owner])

    def narrow(self, term: UOp, ends: Interval) -> None:
        """Narrows the bounds of a term to those that assumptions give it."""
        owner = self.find(term)
        for end, value in enumerate(ends):
            if value is not None and self._improve(owner, end, Fact(term, value, ())):
                self.stamp[owner] = self.clock
                self._stale.extend(self.users[owner])
        self.close()

    def _improve(self, owner: UOp, end: int, fact: Fact) -> bool:
        known = self.facts.get(owner, (None, None))
        old = known[end]
        if old is not None and (fact.value <= old.value if end == 0 else fact.value >= old.value):
            return False
        self.improvements[owner] = self.improvements.get(owner, 0) + 1
        if self.improvements[owner] > MOST_IMPROVEMENTS:
            return False
        self.facts[owner] = (fact, known[1]) if end == 0 else (known[0], fact)
        return True
