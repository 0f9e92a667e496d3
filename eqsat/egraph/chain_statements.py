"""What the normal forms of chains state: equal chains are one class, and a chain of which elements follow from others is the shorter one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from eqsat.egraph.chains import Chains, Key
from eqsat.egraph.differences import Difference, Element
from eqsat.egraph.frozen import Row
from eqsat.egraph.statements import Statements
from eqsat.egraph.terms import Expression


def collect_chains(step: Statements) -> None:
    """One class for each chain; its normal form where that is another one."""
    chains = Chains(step.frozen, step.constants, step.polynomials)
    known: dict[Key, int] = {}
    for row in chains.rows.values():
        if row.owner in step.constants:
            continue
        key = chains.normal(row)
        first = known.setdefault(key, row.owner)
        elements = chains.elements(row)
        if first != row.owner:
            step.feeder.union(row.owner, step.feeder.name(first))
            step.theory.count("one_chain_one_class")
        elif _is_shorter(key, row, elements) or _is_difference(key):
            _state_chain(step, row, key)


def _state_chain(step: Statements, row: Row, key: Key) -> None:
    """States the normal form of a chain. A longer way to combine its elements is looked at no more."""

    def stated() -> tuple[object, ...]:
        return (key[0], step.stable(row.owner), tuple(sorted(_stable(step, each) for each in key[3])), key[4])

    with step.once(stated) as is_new:
        if is_new:
            step.feeder.union(row.owner, _chain(step, key))
            if _length(key) < len(row.columns[2]):
                step.feeder.subsume(row)
            step.theory.count("chains")


def _stable(step: Statements, element: Element) -> tuple[int, tuple[int, ...]]:
    """An element by the names of classes; 0 for a class, 1 for a difference, 2 for one that is turned over."""
    if isinstance(element, Difference):
        return 1 + element.is_turned, tuple(sorted(map(step.stable, element.parts)))
    return 0, (step.stable(element),)


def _chain(step: Statements, key: Key) -> Expression:
    table, dtype, shape, elements, constant = key
    terms = [_element(step, (dtype, shape), element) for element in elements]
    if constant is not None or not terms:
        terms.append(step.feeder.term("CONST", dtype, shape, constant or 0))
    if _is_difference(key):
        return reduce(lambda left, right: step.feeder.term("CMPNE", dtype, shape, left, right), terms)
    return terms[0] if len(terms) == 1 else step.feeder.term(table, dtype, shape, tuple(terms))


def _element(step: Statements, place: tuple[str, str], element: Element) -> Expression:
    if not isinstance(element, Difference):
        return step.feeder.name(element)
    parts = [step.feeder.name(part) for part in element.parts]
    if element.is_turned:
        parts.append(step.feeder.term("CONST", *place, step.polynomials.dtype(place[0]).all_ones))
    if place[0] == "bool":
        return reduce(lambda left, right: step.feeder.term("CMPNE", *place, left, right), parts)
    return step.feeder.term("XOR_N", *place, tuple(parts))


def _is_shorter(key: Key, row: Row, elements: Sequence[int]) -> bool:
    """Whether a normal form has fewer elements than were written, or others."""
    return _length(key) < max(len(row.columns[2]), len(elements)) or not {*key[3]} <= {*elements}


def _is_difference(key: Key) -> bool:
    """Whether a chain of bools is written by comparisons, in which one bool after the other is compared."""
    return key[0] == "XOR_N" and key[1] == "bool"


def _length(key: Key) -> int:
    """How many elements a chain in normal form has."""
    return len(key[3]) + (key[4] is not None)
