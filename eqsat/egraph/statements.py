"""What a theory step states about a frozen e-graph, and what it remembers so that nothing is stated twice."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from eqsat.egraph.extents import Extents
from eqsat.egraph.feeder import Feeder
from eqsat.egraph.folding import fold
from eqsat.egraph.frozen import Frozen
from eqsat.egraph.polynomial import Polynomial, Polynomials
from eqsat.egraph.remainders import Remainders


@dataclass(slots=True)
class Memory:
    """What is kept from step to step.

    Attributes:
        next_name: the first unused number for `NAMED`.
        counts: how many statements each theory made, by name.
        stated: keys of the statements made.
    """

    next_name: int
    counts: dict[str, int] = field(default_factory=dict[str, int])
    stated: set[tuple[Any, ...]] = field(default_factory=set[tuple[Any, ...]])

    def count(self, name: str) -> None:
        """Notes that a theory made a statement."""
        self.counts[name] = self.counts.get(name, 0) + 1


class Statements:
    """Statements about one frozen e-graph.

    Attributes:
        constants: the classes that have one value, as bits.
        polynomials: sums and products in normal form.
        extents: what lies below what.
        feeder: collects the statements.
    """

    def __init__(self, theory: Memory, frozen: Frozen, feeder: Feeder) -> None:
        self.theory = theory
        self.frozen = frozen
        self.feeder = feeder
        self.constants, self.new_constants = fold(frozen)
        self.polynomials = Polynomials(frozen, self.constants)
        self.extents = Extents(frozen, self.constants, self.polynomials)

    @cached_property
    def remainders(self) -> Remainders:
        """Which classes are remainders, and of what."""
        return Remainders(self.frozen, self.constants, self.polynomials)

    def state_constants(self) -> None:
        """States the values of classes that have no CONST term yet."""
        for owner, place in self.new_constants.items():
            self.feeder.union(owner, self.feeder.term("CONST", *place, self.constants[owner]))
            self.theory.count("constant_folding")

    @contextmanager
    def once(self, key: Callable[[], tuple[Any, ...]]) -> Generator[bool]:
        """Whether a statement is new. Its key is taken again afterwards: stating it gives names to the classes in it."""
        is_new = key() not in self.theory.stated
        yield is_new
        if is_new:
            self.theory.stated.add(key())

    def stable(self, owner: int) -> int:
        """The name of a class, which stays from step to step; negative while it has none."""
        found = self.frozen.names.get(owner)
        if found is None and owner in self.feeder.names:
            found = self.feeder.numbers[owner]
        return -1 - owner if found is None else found

    def stable_form(self, form: Polynomial) -> tuple[Any, ...]:
        """A polynomial over the names of classes."""
        return tuple(
            sorted((tuple(sorted(map(self.stable, monomial))), value) for monomial, value in form.items())
        )
