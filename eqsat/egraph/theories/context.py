"""The input of theories: a frozen e-graph, with the constants, polynomials and facts that are computed once for all theories.

The facts of an e-class are its bounds, divisors and known bits: the meet of the facts of its e-nodes. E-nodes are visited in the order of their
e-classes, operands first. Operands that come later count as unknown, so one pass suffices.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache, partial, reduce

from eqsat.dtype import DType, parse_dtype
from eqsat.egraph.snapshot.constants import fold
from eqsat.egraph.snapshot.frozen import FrozenEGraph, Row
from eqsat.egraph.tables.schema import COLUMNS
from eqsat.egraph.theories.polynomial import Polynomials
from eqsat.integers.arithmetic import facts_of_result
from eqsat.integers.facts import ANYTHING, Facts
from eqsat.ops import Op

_COMPARISONS = frozenset({"CMPLT", "CMPNE"})
_OPERATIONS = {table: op for table in COLUMNS if (op := Op.__members__.get(table.removesuffix("_N")))}


class Context:
    """A frozen e-graph, with data that is computed from it once.

    Attributes:
        frozen: the e-nodes and bounds of the e-graph.
        constants: the bits of the e-classes that are constants.
        new_constants: dtype and shape of the constants that have no CONST term yet.
        polynomials: sums and products in normal form.
    """

    def __init__(self, frozen: FrozenEGraph) -> None:
        self.frozen = frozen
        self.constants, self.new_constants = fold(frozen)
        self.polynomials = Polynomials(frozen, self.constants)

    @property
    def rows(self) -> list[Row]:
        """All terms."""
        return self.frozen.rows

    @cached_property
    def analysis(self) -> Analysis:
        """The bounds, divisors and known bits of integer classes."""
        return Analysis(self.frozen, self.constants)


class Analysis:
    """The facts of every integer class.

    Attributes:
        facts: the facts of each integer class.
        places: dtype and shape of each of these classes.
        witness: for each class whose facts say more than its bounds, the last term that sharpened them.
    """

    def __init__(self, frozen: FrozenEGraph, constants: Mapping[int, int]) -> None:
        self.frozen = frozen
        self.constants = constants
        self.facts: dict[int, Facts] = {}
        self.places: dict[int, tuple[str, str]] = {}
        self.witness: dict[int, Row] = {}
        for row in sorted(frozen.rows, key=lambda row: row.owner):
            if row.table not in _COMPARISONS:
                self._learn(row)

    def of(self, owner: int) -> Facts:
        """The facts of a class."""
        return self.facts.get(owner, ANYTHING)

    def _learn(self, row: Row) -> None:
        dtype = integer_dtype(row.dtype)
        if dtype is None:
            return
        owner = row.owner
        if owner not in self.facts:
            self.facts[owner] = self._bounded(owner, dtype)
            self.places[owner] = (row.dtype, row.shape)
        operands = row.children[1:] if row.table == "WHERE" else row.children
        if owner in self.constants or any(child not in self.facts for child in operands):
            return
        known = self.facts[owner]
        met = known.meet(_said(row, dtype, [self.facts[child] for child in operands]))
        if met != known:
            self.facts[owner] = met
            self.witness[owner] = row

    def _bounded(self, owner: int, dtype: DType) -> Facts:
        if owner in self.constants:
            return Facts.exactly(self.constants[owner])
        lo, hi = self.frozen.lo.get(owner), self.frozen.hi.get(owner)
        if dtype.is_index:
            return Facts.of(lo, hi)
        return Facts.of(dtype.min if lo is None else lo, dtype.max if hi is None else hi)


@lru_cache(256)
def integer_dtype(name: str) -> DType | None:
    """The dtype with this name if it is an integer dtype or index, and not a vector; else None."""
    dtype = parse_dtype(name)
    if not isinstance(dtype, DType) or dtype.lanes > 1 or not (dtype.is_int or dtype.is_index):
        return None
    return dtype


def _said(row: Row, dtype: DType, operands: list[Facts]) -> Facts:
    """The facts of a class that follow from one of its terms."""
    if row.table == "SCALE":
        return facts_of_result(Op.MUL, dtype, [Facts.exactly(row.columns[2]), *operands])
    op = _OPERATIONS.get(row.table)
    if op is None or not operands:
        return ANYTHING
    if row.table.endswith("_N"):
        return reduce(partial(_combined, op, dtype), operands)
    return facts_of_result(op, dtype, operands)


def _combined(op: Op, dtype: DType, left: Facts, right: Facts) -> Facts:
    return facts_of_result(op, dtype, [left, right])
