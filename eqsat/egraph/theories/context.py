"""What theories read: a frozen e-graph, with the constants, polynomials and analyses that are computed once for all of them."""

from __future__ import annotations

from functools import cached_property

from eqsat.dtype import DType
from eqsat.egraph.snapshot.frozen import FrozenEGraph, Row
from eqsat.egraph.theories.analysis import Analysis
from eqsat.egraph.theories.constants import fold
from eqsat.egraph.theories.polynomial import Polynomials


class Context:
    """A frozen e-graph with what is computed from it once.

    Attributes:
        frozen: its e-nodes and bounds.
        constants: the e-classes that have one value, as bits.
        new_constants: dtype and shape of those of them that have no CONST term yet.
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
        """Bounds, divisors and bits of integer classes."""
        return Analysis(self.frozen, self.constants)

    def dtype(self, name: str) -> DType:
        """The dtype of this name."""
        return self.polynomials.dtype(name)
