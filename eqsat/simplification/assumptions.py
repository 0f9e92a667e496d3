"""Rewrites expressions under conditions: variables are replaced by copies whose bounds include the conditions.

Inside `where(i < 4, x, y)`, x may be simplified as if i lay in 0..3, outside it may not. So x is rewritten in terms of *copies*: a copy of i
with those bounds, and, where a condition bounds a sum such as i + j, a new variable for the sum. An equality between that variable and the sum
of copies keeps both ways to write it. What is found about copies holds wherever the conditions do; afterwards the copies are replaced by what
they copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import gcd

from eqsat.dtype import DType, bool_, index
from eqsat.integers.bounds import GREATEST, LEAST, intervals_of, known_ends
from eqsat.integers.linear import Affine, affine_forms
from eqsat.ops import COMPARISON, Op
from eqsat.uop import UOp, rewrite, toposort

Condition = tuple[UOp, bool]  # a bool, and whether it holds or fails
Interval = tuple[int, int]
Terms = tuple[tuple[UOp, int], ...]  # atoms and their factors, in a fixed order
_ROUNDS = 3  # in which conditions tighten each other's variables


class ImpossibleError(Exception):
    """The conditions exclude each other."""


@dataclass(slots=True)
class Copies:
    """The variables that stand for variables and sums under conditions.

    Attributes:
        originals: copies of variables, and the variables.
        equalities: variables for sums, and the sums of copies.
    """

    originals: dict[UOp, UOp] = field(default_factory=dict[UOp, UOp])
    equalities: list[tuple[UOp, UOp]] = field(default_factory=list[tuple[UOp, UOp]])
    made: dict[tuple[UOp, Interval, tuple[Condition, ...]], UOp] = field(
        default_factory=dict[tuple[UOp, Interval, tuple[Condition, ...]], UOp]
    )
    sums: dict[tuple[UOp, Interval], UOp] = field(default_factory=dict[tuple[UOp, Interval], UOp])

    @property
    def forbidden(self) -> frozenset[str]:
        """Names of the variables that no result may have."""
        return frozenset(variable.arg[0] for variable, _ in self.equalities)

    def under(self, root: UOp, conditions: Sequence[Condition]) -> UOp:
        """`root` written for where all conditions hold; itself where they say nothing about it.

        Raises:
            ImpossibleError: they never do.
        """
        known = {UOp.const(bool_, True): True, UOp.const(bool_, False): False}
        facts = _Facts([root, *(condition for condition, _ in conditions)])
        for condition, holds in conditions:
            facts.assume(condition, holds, known)
        narrowed = facts.narrowed()
        reached = dict.fromkeys(toposort([root]))
        bools = {node: UOp.const(bool_, value) for node, value in known.items() if node in reached}
        sums = {
            terms: bounds
            for terms, bounds in facts.tight_sums(narrowed).items()
            if all(atom in reached and _is_closed(atom) for atom, _ in terms)
        }
        # What is said about a sum is said about the variables in it, so these must not occur under other conditions.
        owner = tuple(conditions) if sums else ()
        variables = {
            leaf: self.copy(leaf, narrowed.get(leaf, (leaf.arg[1], leaf.arg[2])), owner)
            for leaf in reached
            if leaf.op is Op.DEFINE_VAR and (sums or leaf in narrowed)
        }
        mapping = {**variables, **bools}
        if not sums:
            return rewrite([root], mapping)[0] if mapping else root
        return self._rewritten(root, facts, mapping, sums)

    def copy(self, leaf: UOp, bounds: Interval, owner: tuple[Condition, ...] = ()) -> UOp:
        """A variable with narrower bounds, for the conditions of `owner` only if there are any."""
        key = (leaf, bounds, owner)
        if key not in self.made:
            assert isinstance(leaf.dtype, DType)
            name = f"{leaf.arg[0]}|{len(self.made)}"
            self.made[key] = UOp.variable(name, *bounds, leaf.dtype)
            self.originals[self.made[key]] = leaf
        return self.made[key]

    def _sum(self, written: UOp, bounds: Interval) -> UOp:
        """A variable for a sum whose bounds are narrower than its terms say."""
        key = (written, bounds)
        if key not in self.sums:
            self.sums[key] = UOp.variable(f"|{len(self.sums)}", *bounds)
            self.equalities.append((self.sums[key], written))
        return self.sums[key]

    def _rewritten(
        self, root: UOp, facts: _Facts, mapping: Mapping[UOp, UOp], sums: Mapping[Terms, Interval]
    ) -> UOp:
        """`root` with variables for the sums that conditions bound, wherever a multiple of one is a part of a sum."""
        done = dict(mapping)
        for node in toposort([root]):
            if node in done:
                continue
            done[node] = node.with_src(tuple(done[source] for source in node.src))
            if node.dtype is not index or node.op is Op.CONST:
                continue
            for terms, bounds in sums.items():
                form = facts.linear[node]
                factor = _multiple(form, terms) if len(terms) > 1 or dict(terms).get(node) else 0
                if factor:
                    part = Affine(0, terms)
                    variable = self._sum(_written(part, done), bounds)
                    rest = form.plus(part, -factor)
                    done[node] = _written(rest, done, ((variable, factor),))
                    break
        return done[root]


class _Facts:
    """What conditions say about the expressions in some graphs."""

    def __init__(self, roots: Iterable[UOp]) -> None:
        self.linear = affine_forms(roots)
        self.natural = {node: known_ends(ends) for node, ends in intervals_of(self.linear).items()}
        # Of sums without a constant, whose factors have no common divisor
        self.bounds: dict[Terms, Interval] = {}

    def assume(self, condition: UOp, holds: bool, known: dict[UOp, bool]) -> None:
        """Notes that a bool holds or fails, with all that follows from that; `known` learns the bools.

        Raises:
            ImpossibleError: it does the opposite.
        """
        pending = [(condition, holds)]
        while pending:
            node, holds = pending.pop()
            if known.setdefault(node, holds) != holds:
                raise ImpossibleError
            match node.op:
                case Op.CMPNE if node.src[1].op is Op.CONST and node.src[1].dtype is bool_:
                    pending.append((node.src[0], holds != node.src[1].arg))
                case Op.CMPNE if node.src[0].op is Op.CONST and node.src[0].dtype is bool_:
                    pending.append((node.src[1], holds != node.src[0].arg))
                case Op.AND | Op.MUL if holds:
                    pending += [(source, True) for source in node.src]
                case Op.OR | Op.ADD if not holds:
                    pending += [(source, False) for source in node.src]
                case op if op in COMPARISON and node.src[0].dtype is index:
                    self._compare(node, holds)
                case _:
                    pass

    def _compare(self, node: UOp, holds: bool) -> None:
        left, right = (self.linear[source] for source in node.src)
        if node.op is Op.CMPLT and holds:
            self._below(left.plus(right, -1), -1)
        elif node.op is Op.CMPLT:
            self._below(right.plus(left, -1), 0)
        elif not holds:
            self._below(left.plus(right, -1), 0)
            self._below(right.plus(left, -1), 0)

    def _below(self, form: Affine, most: int) -> None:
        """form <= most."""
        most -= form.constant
        if not form.terms:
            if most < 0:
                raise ImpossibleError
            return
        divisor = gcd(*form.coefficients.values())
        sign = 1 if next(iter(form.coefficients.values())) > 0 else -1
        terms = tuple((atom, sign * value // divisor) for atom, value in form.terms)
        terms = next((found for found in self.bounds if dict(found) == dict(terms)), terms)
        opposite = next(
            (found for found in self.bounds if dict(found) == {atom: -value for atom, value in terms}), None
        )
        if opposite is not None:
            terms, sign = opposite, -sign
        low, high = self.bounds.get(terms, (LEAST, GREATEST))
        if sign > 0:
            high = min(high, most // divisor)
        else:
            low = max(low, -(most // divisor))
        if low > high:
            raise ImpossibleError
        self.bounds[terms] = (low, high)

    def narrowed(self) -> dict[UOp, Interval]:
        """The bounds of atoms that the conditions tighten.

        Raises:
            ImpossibleError: they leave an atom no value.
        """
        found: dict[UOp, Interval] = {}
        for _ in range(_ROUNDS):
            for terms, (low, high) in self.bounds.items():
                ends = {atom: _scaled(found.get(atom, self.natural[atom]), value) for atom, value in terms}
                least, greatest = sum(end[0] for end in ends.values()), sum(end[1] for end in ends.values())
                if least > high or greatest < low:
                    raise ImpossibleError
                for atom, value in terms:
                    others = (least - ends[atom][0], greatest - ends[atom][1])
                    self._narrow(found, atom, value, low - others[1], high - others[0])
        return found

    def _narrow(self, found: dict[UOp, Interval], atom: UOp, factor: int, low: int, high: int) -> None:
        """Notes low <= factor * atom <= high."""
        if factor < 0:
            factor, low, high = -factor, -high, -low
        before = found.get(atom, self.natural[atom])
        after = max(before[0], -(-low // factor)), min(before[1], high // factor)
        if after[0] > after[1]:
            raise ImpossibleError
        if after != before:
            found[atom] = after

    def tight_sums(self, narrowed: Mapping[UOp, Interval]) -> dict[Terms, Interval]:
        """The sums, and the atoms that are no variables, whose bounds are narrower than those of their parts."""
        found: dict[Terms, Interval] = {}
        for terms, (low, high) in self.bounds.items():
            if len(terms) == 1 and terms[0][0].op is not Op.DEFINE_VAR:
                continue
            ends = [_scaled(narrowed.get(atom, self.natural[atom]), value) for atom, value in terms]
            least, greatest = sum(end[0] for end in ends), sum(end[1] for end in ends)
            if len(terms) > 1 and (low > least or high < greatest):
                found[terms] = (max(low, least), min(high, greatest))
        for atom, bounds in narrowed.items():
            if atom.op is not Op.DEFINE_VAR:
                found[(atom, 1),] = bounds
        return found


def _is_closed(root: UOp) -> bool:
    """Whether all that an expression depends on can be copied."""
    return all(node.src or node.op in (Op.CONST, Op.DEFINE_VAR) for node in toposort([root]))


def _scaled(bounds: Interval, factor: int) -> Interval:
    low, high = bounds[0] * factor, bounds[1] * factor
    return (low, high) if factor > 0 else (high, low)


def _multiple(form: Affine, terms: Terms) -> int:
    """k where k * terms is a part of `form`; 0 where no multiple is."""
    atom, value = terms[0]
    factor, rest = divmod(form.coefficients.get(atom, 0), value)
    if rest or any(form.coefficients.get(other, 0) != factor * times for other, times in terms):
        return 0
    return factor


def _written(form: Affine, done: Mapping[UOp, UOp], more: Terms = ()) -> UOp:
    """A linear form as an expression, each atom as `done` has it."""
    return Affine(form.constant, (*more, *((done[atom], value) for atom, value in form.terms))).build()
