"""Enumerates the terms of a grammar, smallest first, one for each behaviour. A term that behaves like an earlier one gives a candidate.

Terms are only built from terms that were the first of their behaviour. A term that contains any other one is of no interest, because the other
one can be rewritten. A term that lacks a value somewhere (a quotient by a variable, say) is also compared with smaller terms on the points
where it has one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from eqsat.ops import DIVISIONS, SHIFTS, TABLE, Op
from eqsat.reference.number import Array
from eqsat.rules.language.pattern import Node
from eqsat.suggest.candidate import Candidate, paired
from eqsat.suggest.grammar import Grammar, Setting, Signature
from eqsat.suggest.samples import draw_points
from eqsat.suggest.terms import Operator, Term, fingerprints, leaves

_ROWS = 8_192  # terms whose behaviour is computed at once


class Enumeration:
    """The terms of a grammar under a setting; `grow` builds those with one more operation."""

    def __init__(self, grammar: Grammar, setting: Setting, most: int) -> None:
        self.grammar = grammar
        self.setting = setting
        self.most = most  # the most operations of a term
        self.size = 0
        points = draw_points(grammar, setting)
        self.families = {dtype: _Family(terms) for dtype, terms in leaves(grammar, points).items()}

    @property
    def terms(self) -> int:
        """The number of different behaviours so far."""
        return sum(len(level.terms) for family in self.families.values() for level in family.levels)

    def grow(self) -> Iterator[Candidate]:
        """Builds the terms with one more operation, and yields a candidate for each that behaves like an earlier term."""
        self.size += 1
        for matchable, signature in product((True, False), self.grammar.signatures):
            if not matchable and self.size == self.most:
                continue  # such terms stand on right sides only, which have fewer operations
            operator, result = Operator(signature), self.families[signature.result]
            for levels in self._operand_levels(signature):
                for rows in _combinations(signature, levels, matchable=matchable):
                    for term in _apply(operator, levels, rows, self.size, matchable=matchable):
                        equal = result.find_or_add(term) if term.mask.any() else None
                        candidate = (
                            paired(term, equal, self.grammar, self.setting) if equal and matchable else None
                        )
                        if candidate and signature.result in self.grammar.results:
                            yield candidate
        for family in self.families.values():
            family.close_level()

    def _operand_levels(self, signature: Signature) -> Iterator[list[_Level]]:
        """Levels for the operands, whose sizes add up to one less than the size of the result.

        Divisors and shift amounts are leaves. Otherwise most candidates would only be about where terms have no value.
        """
        takes_leaf = signature.op in DIVISIONS | SHIFTS
        for sizes in product(range(self.size), repeat=len(signature.operands)):
            if sum(sizes) == self.size - 1 and not (takes_leaf and sizes[-1]):
                yield [
                    self.families[dtype].levels[size]
                    for dtype, size in zip(signature.operands, sizes, strict=True)
                ]


class _Level:
    """The terms of one dtype and size, with their behaviours stacked in arrays."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self.terms = terms
        self.values = np.array([term.values for term in terms])
        self.masks = np.array([term.mask for term in terms])
        self.is_constant = np.array([term.is_constant for term in terms], bool)
        self.is_matchable = np.array([term.is_matchable for term in terms], bool)
        self.size = terms[0].size if terms else 0

    def has_root(self, op: Op) -> Array:
        """A mask of the terms whose outermost operation is `op`."""
        return np.array(
            [isinstance(term.pattern, Node) and term.pattern.op is op for term in self.terms], bool
        )


class _Family:
    """The terms of one dtype, one for each behaviour, in levels by size."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self.levels: list[_Level] = []
        self.open: list[Term] = []
        self.everywhere: dict[bytes, Term] = {}
        self.somewhere: dict[bytes, _Restriction] = {}
        for term in terms:
            self.find_or_add(term)
        self.close_level()

    def find_or_add(self, term: Term) -> Term | None:
        """An earlier term that behaves like `term` wherever `term` has a value. If there is none, `term` is added and None is returned."""
        whole = term.mask.all()
        key = fingerprints(term.values).tobytes() + (b"" if whole else np.packbits(term.mask).tobytes())
        equal = self.everywhere.get(key)
        if equal is None and not whole:
            equal = self.restriction(term.mask).find(term, self.levels)
        if equal is None:
            # copies, so that the arrays of the whole chunk can be freed
            kept = replace(term, values=term.values.copy(), mask=term.mask.copy())
            self.everywhere[key] = kept
            self.open.append(kept)
        return equal

    def restriction(self, mask: Array) -> _Restriction:
        return self.somewhere.setdefault(mask.tobytes(), _Restriction(mask))

    def close_level(self) -> None:
        """Makes a level of the terms that were added since the last call."""
        self.levels.append(_Level(self.open))
        self.open = []


class _Restriction:
    """Terms that have a value at all points of a mask, by their behaviour at these points."""

    def __init__(self, mask: Array) -> None:
        self.mask = mask
        self.levels = 0  # the number of levels that were read
        self.found: dict[bytes, Term] = {}

    def find(self, term: Term, levels: Sequence[_Level]) -> Term | None:
        for level in levels[self.levels :]:
            if level.terms:
                rows = np.flatnonzero(level.masks[:, self.mask].all(axis=1))
                keys = fingerprints(level.values[rows][:, self.mask])
                for row, key in zip(rows.tolist(), keys, strict=True):
                    self.found.setdefault(key.tobytes(), level.terms[row])
        self.levels = len(levels)
        return self.found.get(fingerprints(term.values[self.mask]).tobytes())


def _combinations(
    signature: Signature, levels: Sequence[_Level], *, matchable: bool
) -> Iterator[list[Array]]:
    """Combinations of operands, each once, in chunks of rows of their levels. Nested associative operations grow on the left only."""
    if not all(level.terms for level in levels):
        return
    rows = [grid.reshape(-1) for grid in np.indices([len(level.terms) for level in levels])]
    constants = [level.is_constant[row] for level, row in zip(levels, rows, strict=True)]
    matched = [level.is_matchable[row] for level, row in zip(levels, rows, strict=True)]
    kept = ~np.logical_and.reduce(constants) & (np.logical_and.reduce(matched) == matchable)
    row, first, last = TABLE[signature.op], levels[0], levels[-1]
    if signature.op in DIVISIONS:
        kept &= ~first.is_constant[rows[0]]  # programs divide variables, not constants
    if row.commutative:
        kept &= (rows[0] <= rows[-1]) if first.size == last.size else first.size > last.size
    if row.associative:
        kept &= ~last.has_root(signature.op)[rows[-1]]
    chosen = np.flatnonzero(kept)
    for start in range(0, len(chosen), _ROWS):
        part = chosen[start : start + _ROWS]
        yield [row[part] for row in rows]


def _apply(
    operator: Operator, levels: Sequence[_Level], rows: Sequence[Array], size: int, *, matchable: bool
) -> Iterator[Term]:
    """The terms that apply an operation to a chunk of combinations."""
    values, masks = operator.behaviour(
        [level.values[row] for level, row in zip(levels, rows, strict=True)],
        [level.masks[row] for level, row in zip(levels, rows, strict=True)],
    )
    combinations: list[tuple[int, ...]] = list(zip(*(row.tolist() for row in rows), strict=True))
    for number, operands in enumerate(combinations):
        sources = tuple(level.terms[row].pattern for level, row in zip(levels, operands, strict=True))
        yield Term(Node(operator.op, sources), size, False, matchable, values[number], masks[number])
