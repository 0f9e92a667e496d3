"""Rewrites expressions under conditions: variables are replaced by copies with narrower bounds.

Inside `where(i < 4, x, y)`, x may be simplified as if i lay in 0..3; outside it may not. So x is rewritten over *copies*: a copy of i with the
bounds 0..3. Where a condition bounds a sum such as i + j, a new variable stands for the sum, and an equality between that variable and the sum of
copies keeps both forms. An equality over copies holds wherever the conditions do; at the end the copies are replaced by their originals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from eqsat.dtype import DType, bool_, index
from eqsat.egraph.theories.terms.assumptions import Assumption, PartialSum, known_truths, partial_sums
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.integers.bounds import interval_of, known_ends
from eqsat.integers.linear import Affine, affine_forms
from eqsat.ops import Op
from eqsat.uop import UOp, rewrite, toposort

Interval = tuple[int, int]


class ImpossibleError(Exception):
    """The conditions exclude each other."""


@dataclass(slots=True)
class Copies:
    """The variables that stand for variables and sums under conditions.

    Attributes:
        originals: maps each copy of a variable to the variable.
        equalities: pairs of a variable that stands for a sum, and that sum over copies.
        made: the copy for each variable, its bounds, and the conditions that own the copy.
        sums: the variable for each sum over copies and its bounds.
    """

    originals: dict[UOp, UOp] = field(default_factory=dict[UOp, UOp])
    equalities: list[tuple[UOp, UOp]] = field(default_factory=list[tuple[UOp, UOp]])
    made: dict[tuple[UOp, Interval, tuple[Assumption, ...]], UOp] = field(
        default_factory=dict[tuple[UOp, Interval, tuple[Assumption, ...]], UOp]
    )
    sums: dict[tuple[UOp, Interval], UOp] = field(default_factory=dict[tuple[UOp, Interval], UOp])

    @property
    def forbidden(self) -> frozenset[str]:
        """The names of the variables for sums, which no result may contain."""
        return frozenset(variable.arg[0] for variable, _ in self.equalities)

    def under(self, root: UOp, conditions: Sequence[Assumption]) -> UOp:
        """Rewrites `root` over copies, for where all conditions hold. Returns `root` itself if they say nothing about it.

        Raises:
            ImpossibleError: the conditions never hold together.
        """
        bounds = Bounds((), conditions)
        if bounds.is_contradiction():
            raise ImpossibleError
        reached = toposort([root])
        truths = known_truths(conditions)
        bools = {node: UOp.const(bool_, truths[node]) for node in reached if node in truths}
        sums = _tight_sums(root, bounds)
        # A fact about a sum also bounds the variables in it, so their copies belong to these conditions alone.
        owner = tuple(conditions) if sums else ()
        leaves = [node for node in reached if node.op is Op.DEFINE_VAR]
        variables = {
            leaf: self.copy(leaf, known_ends(ends), owner)
            for leaf, ends in zip(leaves, bounds.of(leaves), strict=True)
            if sums or (leaf.dtype is index and ends != leaf.arg[1:])
        }
        mapping = {**variables, **bools}
        if not sums:
            return rewrite([root], mapping)[0] if mapping else root
        return self._rewritten(root, mapping, sums)

    def copy(self, leaf: UOp, bounds: Interval, owner: tuple[Assumption, ...] = ()) -> UOp:
        """A copy of a variable with these bounds. Copies with different owners are different variables."""
        key = (leaf, bounds, owner)
        if key not in self.made:
            assert isinstance(leaf.dtype, DType)
            name = f"{leaf.arg[0]}|{len(self.made)}"
            self.made[key] = UOp.variable(name, *bounds, leaf.dtype)
            self.originals[self.made[key]] = leaf
        return self.made[key]

    def _sum(self, total: UOp, bounds: Interval) -> UOp:
        """The variable that stands for a sum over copies."""
        key = (total, bounds)
        if key not in self.sums:
            self.sums[key] = UOp.variable(f"|{len(self.sums)}", *bounds)
            self.equalities.append((self.sums[key], total))
        return self.sums[key]

    def _rewritten(
        self, root: UOp, mapping: Mapping[UOp, UOp], sums: Mapping[UOp, tuple[PartialSum, Interval]]
    ) -> UOp:
        """`root` over copies, with a variable for each sum that the conditions bound, wherever a node contains a multiple of it."""
        done = dict(mapping)
        for node in toposort([root]):
            if node in done:
                continue
            done[node] = node.with_src(tuple(done[source] for source in node.src))
            if node in sums:
                part, bounds = sums[node]
                total = _over(affine_forms([part.total])[part.total], done)
                rest = _over(part.rest, done)
                variable = self._sum(total.build(), bounds)
                done[node] = Affine(rest.constant, ((variable, part.factor), *rest.terms)).build()
        return done[root]


def _tight_sums(root: UOp, bounds: Bounds) -> dict[UOp, tuple[PartialSum, Interval]]:
    """The nodes below `root` that contain a sum which the conditions bound more narrowly than its parts do, with the bounds of that sum.

    A quotient or another index that is not linear counts as a sum of one part.
    """
    conditions = [condition for condition, _ in bounds.assumptions]
    reached = toposort([root])
    context = toposort([root, *conditions])
    # Reversed, since the last assumption wins if several assumptions bound sums in one node. Here the first condition should win.
    parts = {part.term: part for part in partial_sums(bounds.assumptions[::-1], context)}
    for node in reached:
        if node.dtype is index and node.src and node.op not in (Op.ADD, Op.SUB, Op.NEG):
            parts.setdefault(node, PartialSum(node, 1, node, Affine(0)))
    order = toposort([root, *(part.total for part in parts.values())])
    known = dict(zip(order, bounds.of(order), strict=True))
    return {
        node: (part, known_ends(known[part.total]))
        for node in reached
        if (part := parts.get(node)) is not None
        and known[part.total] != interval_of(part.total, [known[source] for source in part.total.src])
        and _is_closed(part.total)
    }


def _is_closed(root: UOp) -> bool:
    """Whether an expression depends on constants and variables only, so that it can be copied."""
    return all(node.src or node.op in (Op.CONST, Op.DEFINE_VAR) for node in toposort([root]))


def _over(form: Affine, done: Mapping[UOp, UOp]) -> Affine:
    """A linear form over the copies of its atoms."""
    return Affine(form.constant, tuple((done[atom], factor) for atom, factor in form.terms))
