"""Chains of MAX, MIN, AND, OR and XOR in normal form: spread out, without repetitions and what follows from other elements, with one constant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce

from eqsat.dtype import DType, parse_dtype
from eqsat.egraph.comparisons import Comparisons
from eqsat.egraph.differences import Differences, Element
from eqsat.egraph.frozen import Frozen, Row
from eqsat.egraph.polynomial import Polynomials

LONGEST = 64

Key = tuple[str, str, str, tuple[Element, ...], int | None]
Meaning = tuple[Callable[[int, int], int], Callable[[DType], int], Callable[[DType], int | None]]


class Chains:
    """The elements of every chain of a frozen e-graph, computed when asked for."""

    def __init__(self, frozen: Frozen, constants: Mapping[int, int], polynomials: Polynomials) -> None:
        self.constants = constants
        self.polynomials = polynomials
        self.comparisons: Comparisons | None = None
        self.rows: dict[tuple[str, int], Row] = {}
        others: dict[int, set[str]] = {}
        for row in frozen.rows:
            others.setdefault(row.owner, set()).add(row.table)
            if row.table in _MEANING:
                self.rows.setdefault((row.table, row.owner), row)
        self.spread = {place for place in self.rows if others[place[1]] == {place[0]}}
        self.known: dict[tuple[str, int], tuple[int, ...]] = {}

    def elements(self, row: Row) -> tuple[int, ...]:
        """The classes that a chain combines, those of inner chains of the same operation included, sorted."""
        stack = [row]
        while stack:
            current = stack[-1]
            inner = [(current.table, child) for child in current.columns[2]]
            missing = [place for place in inner if place in self.spread and place not in self.known]
            missing = [place for place in missing if self.rows[place] not in stack]
            if missing:
                stack.extend(self.rows[place] for place in missing)
                continue
            stack.pop()
            self.known[current.table, current.owner] = self._joined(current)
        return self._joined(row)

    def _joined(self, row: Row) -> tuple[int, ...]:
        found: list[int] = []
        for child in row.columns[2]:
            inner = self.known.get((row.table, child), ())
            found += inner if 0 < len(inner) <= LONGEST else (child,)
        if row.table == "XOR_N":
            return tuple(sorted(child for child in set(found) if found.count(child) % 2))
        return tuple(sorted(set(found)))

    def normal(self, row: Row) -> Key:
        """What tells a chain apart: its operation, place, elements that are no constants, and constant (None: without effect).

        With an absorbing constant there are no elements.
        """
        operation, identity, absorbing = _MEANING[row.table]
        dtype = parse_dtype(row.dtype)
        assert isinstance(dtype, DType)
        elements = self.elements(row)
        constants = [self.constants[element] for element in elements if element in self.constants]
        combined = reduce(operation, constants, identity(dtype)) if constants else None
        if dtype.is_bool and combined is not None:
            combined &= 1
        if combined is not None and combined == absorbing(dtype):
            return (row.table, row.dtype, row.shape, (), combined)
        variables: tuple[Element, ...] | None
        variables = tuple(element for element in elements if element not in self.constants)
        if row.table in ("MAX_N", "MIN_N") and not dtype.is_bool:
            variables, combined = self._within_bounds(row.table, variables, combined)
        if len(variables) > 1:
            variables = self._decisive(row.table, dtype, variables)
        if variables is None:
            return (row.table, row.dtype, row.shape, (), absorbing(dtype))
        neutral = combined is None or (combined == identity(dtype) and bool(variables))
        return (row.table, row.dtype, row.shape, variables, None if neutral else combined)

    def _within_bounds(
        self, table: str, elements: tuple[int, ...], constant: int | None
    ) -> tuple[tuple[int, ...], int | None]:
        """The elements, and the constant, that bounds let be the greatest, or the least."""
        frozen = self.polynomials.frozen
        sign, first, last = (1, frozen.lo, frozen.hi) if table == "MAX_N" else (-1, frozen.hi, frozen.lo)
        sure = {element: sign * first[element] for element in elements if element in first}
        best = max(sure, key=lambda each: (sure[each], sign * last.get(each, first[each])), default=None)
        if best is not None and (constant is None or sure[best] >= sign * constant):
            limit, constant = sure[best], None
        elif constant is not None:
            limit, best = sign * constant, None
        else:
            return elements, None
        kept = (each for each in elements if each == best or each not in last or sign * last[each] > limit)
        return tuple(kept), constant

    def _decisive(self, table: str, dtype: DType, elements: tuple[int, ...]) -> tuple[Element, ...] | None:
        """Elements of a chain that all others follow from; None if they exclude each other, or leave nothing out."""
        kept = self._absorbing(table, elements)
        if table not in ("AND_N", "OR_N"):
            return kept
        if self.comparisons is None:
            self.comparisons = Comparisons(self.polynomials)
        operands = self.comparisons.operands_of_difference if dtype.is_bool else self._operands_of_difference
        reduced = Differences(self.constants, dtype.all_ones, operands).reduced(table, kept)
        return self.comparisons.decisive(table, reduced) if dtype.is_bool and reduced is not None else reduced

    def _absorbing(self, table: str, elements: tuple[int, ...]) -> tuple[int, ...]:
        """The elements that do not contain another one: a & (a | b) is a."""
        kept = dict.fromkeys(elements)
        for element in elements:
            dual = self.rows.get((_DUAL.get(table, ""), element))
            if dual is not None and any(part in kept for part in self.elements(dual) if part != element):
                del kept[element]
        return tuple(kept)

    def _operands_of_difference(self, owner: int) -> tuple[int, ...] | None:
        row = self.rows.get(("XOR_N", owner))
        return None if row is None else self.elements(row)


def _all_ones(dtype: DType) -> int:
    return dtype.all_ones


def _nothing(dtype: DType) -> int | None:
    return None


def _least(dtype: DType) -> int:
    return -(1 << 400) if dtype.is_index else dtype.min


def _greatest(dtype: DType) -> int:
    return 1 << 400 if dtype.is_index else dtype.max


def _least_value(dtype: DType) -> int | None:
    return None if dtype.is_index else dtype.min


def _greatest_value(dtype: DType) -> int | None:
    return None if dtype.is_index else dtype.max


_DUAL = {"AND_N": "OR_N", "OR_N": "AND_N", "MAX_N": "MIN_N", "MIN_N": "MAX_N"}
_MEANING: dict[str, Meaning] = {  # how constants combine, what has no effect, what decides the result
    "MAX_N": (max, _least, _greatest_value),
    "MIN_N": (min, _greatest, _least_value),
    "AND_N": (int.__and__, _all_ones, lambda dtype: 0),
    "OR_N": (int.__or__, lambda dtype: 0, _all_ones),
    "XOR_N": (int.__xor__, lambda dtype: 0, _nothing),
}
