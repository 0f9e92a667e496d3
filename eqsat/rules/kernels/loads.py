"""Loads: gates that are known, joined or implied, indices and alternatives that a gate simplifies, and choices of loads.

Where its gate holds and its index is within the buffer, a load is the element; where the gate fails, it is the alternative. So a rule may add
a gate, but may not drop a gate that keeps the index within bounds. Addresses with and without a gate are never equal: rules match whole loads.
"""

from __future__ import annotations

from eqsat.rules.language.pattern import Value, index, load, maximum, minimum, where
from eqsat.rules.language.rule import ANY, Rewrite, Topic, rewrite
from eqsat.rules.language.scalar import Const

loads = Topic("loads")

# Gates that are known.


@loads.rule(ANY)
def open_gate(p: Value, i: Value, y: Value) -> Rewrite:
    """A gate that always holds can be dropped."""
    return rewrite(load(index(p, i, True), y), load(index(p, i)))


@loads.rule(ANY)
def closed_gate(p: Value, i: Value, y: Value) -> Rewrite:
    """A load behind a gate that never holds is its alternative."""
    return rewrite(load(index(p, i, False), y), y)


# Choices become gates.


@loads.rule(ANY)
def choice_of_load_is_a_gate(c: Value, p: Value, i: Value, y: Value) -> Rewrite:
    """A load that is chosen only where a condition holds is a load behind that condition as its gate."""
    return rewrite(where(c, load(index(p, i)), y), load(index(p, i, c), y))


@loads.rule(ANY)
def choice_against_load_is_a_gate(c: Value, p: Value, i: Value, y: Value) -> Rewrite:
    """A load that is chosen only where a condition fails is a load behind the negated condition as its gate."""
    return rewrite(where(c, y, load(index(p, i))), load(index(p, i, ~c), y))


@loads.rule(ANY)
def choice_of_gated_load_joins_gates(c: Value, p: Value, i: Value, g: Value, y: Value) -> Rewrite:
    """A condition and a gate that fall back to the same value are one gate, the AND of both."""
    return rewrite(where(c, load(index(p, i, g), y), y), load(index(p, i, c & g), y))


@loads.rule(ANY)
def choice_against_gated_load_joins_gates(c: Value, p: Value, i: Value, g: Value, y: Value) -> Rewrite:
    """A negated condition and a gate that fall back to the same value are one gate, the AND of both."""
    return rewrite(where(c, y, load(index(p, i, g), y)), load(index(p, i, ~c & g), y))


@loads.rule(ANY)
def choice_of_loads_is_a_choice_of_indices(c: Value, p: Value, i: Value, j: Value) -> Rewrite:
    """A choice between two elements of a buffer is one load, at a chosen index."""
    return rewrite(where(c, load(index(p, i)), load(index(p, j))), load(index(p, where(c, i, j))))


@loads.rule(ANY)
def choice_of_loads_behind_one_gate(c: Value, p: Value, i: Value, j: Value, g: Value, y: Value) -> Rewrite:
    """A choice between two elements of a buffer behind the same gate is one load, at a chosen index."""
    left = where(c, load(index(p, i, g), y), load(index(p, j, g), y))
    return rewrite(left, load(index(p, where(c, i, j), g), y))


@loads.rule(ANY)
def gated_load_or_another_is_a_choice_of_indices(p: Value, i: Value, j: Value, g: Value) -> Rewrite:
    """A gated load whose alternative is another element of the same buffer is one load, at a chosen index."""
    return rewrite(load(index(p, i, g), load(index(p, j))), load(index(p, where(g, i, j))))


# Conditions that are known where a gate holds, and where it fails.


@loads.rule(ANY)
def alternative_is_chosen_already(g: Value, p: Value, i: Value, y: Value, z: Value) -> Rewrite:
    """If a choice takes a load only where the load's gate holds, it never takes the load's own alternative."""
    return rewrite(where(g, load(index(p, i, g), y), z), load(index(p, i, g), z))


@loads.rule(ANY)
def load_is_gated_off_already(g: Value, p: Value, i: Value, x: Value, y: Value) -> Rewrite:
    """If a choice takes a load only where the load's gate fails, the load is its alternative."""
    return rewrite(where(g, x, load(index(p, i, g), y)), where(g, x, y))


@loads.rule(ANY)
def alternative_where_the_gate_fails(p: Value, i: Value, g: Value, x: Value, y: Value) -> Rewrite:
    """In the alternative of a load, the gate fails."""
    return rewrite(load(index(p, i, g), where(g, x, y)), load(index(p, i, g), y))


@loads.rule(ANY)
def alternative_where_the_negated_gate_fails(p: Value, i: Value, g: Value, x: Value, y: Value) -> Rewrite:
    """In the alternative of a load whose gate is a negation, the negated condition holds."""
    return rewrite(load(index(p, i, ~g), where(g, x, y)), load(index(p, i, ~g), x))


@loads.rule(ANY)
def alternative_behind_the_same_gate(p: Value, i: Value, q: Value, j: Value, g: Value, y: Value) -> Rewrite:
    """In the alternative of a load, another load behind the same gate is never made."""
    return rewrite(load(index(p, i, g), load(index(q, j, g), y)), load(index(p, i, g), y))


@loads.rule(ANY)
def same_element_behind_either_gate(p: Value, i: Value, g: Value, h: Value, y: Value) -> Rewrite:
    """A gated load whose alternative loads the same element behind another gate is one load, behind the OR of both gates."""
    return rewrite(load(index(p, i, g), load(index(p, i, h), y)), load(index(p, i, g | h), y))


@loads.rule(ANY)
def index_where_the_gate_holds(p: Value, i: Value, j: Value, g: Value, y: Value) -> Rewrite:
    """In the index of a load, the gate holds."""
    return rewrite(load(index(p, where(g, i, j), g), y), load(index(p, i, g), y))


@loads.rule(ANY)
def index_where_the_negated_gate_holds(p: Value, i: Value, j: Value, g: Value, y: Value) -> Rewrite:
    """In the index of a load whose gate is a negation, the negated condition fails."""
    return rewrite(load(index(p, where(g, i, j), ~g), y), load(index(p, j, ~g), y))


@loads.rule(ANY)
def index_where_part_of_the_gate_holds(p: Value, i: Value, j: Value, g: Value, h: Value, y: Value) -> Rewrite:
    """In the index of a load whose gate is an AND, each condition of the AND holds."""
    return rewrite(load(index(p, where(g, i, j), g & h), y), load(index(p, i, g & h), y))


@loads.rule(ANY)
def index_within_one_period(p: Value, i: Value, n: Const, b: Const, c: Const, g: Value, y: Value) -> Rewrite:
    """If the gate keeps an index from zero up to below a divisor, the index is its own remainder."""
    inside = (i > b) & (i < c) & g
    guard = (b >= -1) & (c <= n)
    return rewrite(load(index(p, i % n, inside), y), load(index(p, i, inside), y), where=guard)


@loads.rule(ANY)
def index_clamped_within_bounds(
    p: Value, i: Value, b: Const, c: Const, d: Const, e: Const, y: Value
) -> Rewrite:
    """If the gate keeps an index within bounds, clamping the index to them changes nothing."""
    inside = (i > b) & (i < c)
    clamped = minimum(maximum(i, d), e)
    return rewrite(
        load(index(p, clamped, inside), y), load(index(p, i, inside), y), where=(d <= b + 1) & (e >= c - 1)
    )
