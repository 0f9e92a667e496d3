"""Loads: gates that are known, joined or implied, what an index and an alternative need to say under a gate, choices of loads.

A load has a value where its gate holds and its index is within the buffer, and is the alternative where the gate fails. So a load may get
a gate, but may not lose one that keeps it within bounds. Addresses with and without a gate are never equal: rules are about whole loads.
"""

from __future__ import annotations

from eqsat.rules.language.pattern import Value, index, load, maximum, minimum, where
from eqsat.rules.language.rule import ANY, Rewrite, Topic, rewrite
from eqsat.rules.language.scalar import Const

loads = Topic("loads")

# Gates that are known.


@loads.rule(ANY)
def open_gate(p: Value, i: Value, y: Value) -> Rewrite:
    """A gate that always holds is no gate."""
    return rewrite(load(index(p, i, True), y), load(index(p, i)))


@loads.rule(ANY)
def closed_gate(p: Value, i: Value, y: Value) -> Rewrite:
    """Behind a gate that never holds, nothing is loaded."""
    return rewrite(load(index(p, i, False), y), y)


# Choices become gates.


@loads.rule(ANY)
def choice_of_load_is_a_gate(c: Value, p: Value, i: Value, y: Value) -> Rewrite:
    """What is loaded only where a condition holds is loaded behind a gate."""
    return rewrite(where(c, load(index(p, i)), y), load(index(p, i, c), y))


@loads.rule(ANY)
def choice_against_load_is_a_gate(c: Value, p: Value, i: Value, y: Value) -> Rewrite:
    """What is loaded only where a condition fails is loaded behind its negation."""
    return rewrite(where(c, y, load(index(p, i))), load(index(p, i, ~c), y))


@loads.rule(ANY)
def choice_of_gated_load_joins_gates(c: Value, p: Value, i: Value, g: Value, y: Value) -> Rewrite:
    """A choice and a gate that fall back to one value are one gate."""
    return rewrite(where(c, load(index(p, i, g), y), y), load(index(p, i, c & g), y))


@loads.rule(ANY)
def choice_against_gated_load_joins_gates(c: Value, p: Value, i: Value, g: Value, y: Value) -> Rewrite:
    """A choice and a gate that fall back to one value are one gate."""
    return rewrite(where(c, y, load(index(p, i, g), y)), load(index(p, i, ~c & g), y))


@loads.rule(ANY)
def choice_of_loads_is_a_choice_of_indices(c: Value, p: Value, i: Value, j: Value) -> Rewrite:
    """A choice between two elements of a buffer loads one."""
    return rewrite(where(c, load(index(p, i)), load(index(p, j))), load(index(p, where(c, i, j))))


@loads.rule(ANY)
def choice_of_loads_behind_one_gate(c: Value, p: Value, i: Value, j: Value, g: Value, y: Value) -> Rewrite:
    """A choice between two elements of a buffer behind one gate loads one."""
    left = where(c, load(index(p, i, g), y), load(index(p, j, g), y))
    return rewrite(left, load(index(p, where(c, i, j), g), y))


@loads.rule(ANY)
def gated_load_or_another_is_a_choice_of_indices(p: Value, i: Value, j: Value, g: Value) -> Rewrite:
    """An element behind a gate, else another of the same buffer, is one element at a chosen index."""
    return rewrite(load(index(p, i, g), load(index(p, j))), load(index(p, where(g, i, j))))


# What is known where a gate holds, and where it fails.


@loads.rule(ANY)
def alternative_is_chosen_already(g: Value, p: Value, i: Value, y: Value, z: Value) -> Rewrite:
    """Where the condition of a choice is the gate, the alternative of the load is never chosen."""
    return rewrite(where(g, load(index(p, i, g), y), z), load(index(p, i, g), z))


@loads.rule(ANY)
def load_is_gated_off_already(g: Value, p: Value, i: Value, x: Value, y: Value) -> Rewrite:
    """Where the condition of a choice fails, so does a load behind it."""
    return rewrite(where(g, x, load(index(p, i, g), y)), where(g, x, y))


@loads.rule(ANY)
def alternative_where_the_gate_fails(p: Value, i: Value, g: Value, x: Value, y: Value) -> Rewrite:
    """An alternative that asks for the gate knows that it fails."""
    return rewrite(load(index(p, i, g), where(g, x, y)), load(index(p, i, g), y))


@loads.rule(ANY)
def alternative_where_the_negated_gate_fails(p: Value, i: Value, g: Value, x: Value, y: Value) -> Rewrite:
    """An alternative that asks for the negation of the gate knows that it holds."""
    return rewrite(load(index(p, i, ~g), where(g, x, y)), load(index(p, i, ~g), x))


@loads.rule(ANY)
def alternative_behind_the_same_gate(p: Value, i: Value, q: Value, j: Value, g: Value, y: Value) -> Rewrite:
    """A load behind the gate of the load that it is the alternative of is never made."""
    return rewrite(load(index(p, i, g), load(index(q, j, g), y)), load(index(p, i, g), y))


@loads.rule(ANY)
def same_element_behind_either_gate(p: Value, i: Value, g: Value, h: Value, y: Value) -> Rewrite:
    """An element behind one gate, else the same behind another, is behind either."""
    return rewrite(load(index(p, i, g), load(index(p, i, h), y)), load(index(p, i, g | h), y))


@loads.rule(ANY)
def index_where_the_gate_holds(p: Value, i: Value, j: Value, g: Value, y: Value) -> Rewrite:
    """An index that asks for the gate knows that it holds."""
    return rewrite(load(index(p, where(g, i, j), g), y), load(index(p, i, g), y))


@loads.rule(ANY)
def index_where_the_negated_gate_holds(p: Value, i: Value, j: Value, g: Value, y: Value) -> Rewrite:
    """An index that asks for the negation of the gate knows that it fails."""
    return rewrite(load(index(p, where(g, i, j), ~g), y), load(index(p, j, ~g), y))


@loads.rule(ANY)
def index_where_part_of_the_gate_holds(p: Value, i: Value, j: Value, g: Value, h: Value, y: Value) -> Rewrite:
    """An index that asks for a condition of the gate knows that it holds."""
    return rewrite(load(index(p, where(g, i, j), g & h), y), load(index(p, i, g & h), y))


@loads.rule(ANY)
def index_within_one_period(p: Value, i: Value, n: Const, b: Const, c: Const, g: Value, y: Value) -> Rewrite:
    """Where the gate keeps an index within zero and the divisor, it is its own remainder."""
    inside = (i > b) & (i < c) & g
    guard = (b >= -1) & (c <= n)
    return rewrite(load(index(p, i % n, inside), y), load(index(p, i, inside), y), where=guard)


@loads.rule(ANY)
def index_clamped_within_bounds(
    p: Value, i: Value, b: Const, c: Const, d: Const, e: Const, y: Value
) -> Rewrite:
    """Where the gate keeps an index within bounds, clamping it to them changes nothing."""
    inside = (i > b) & (i < c)
    clamped = minimum(maximum(i, d), e)
    return rewrite(
        load(index(p, clamped, inside), y), load(index(p, i, inside), y), where=(d <= b + 1) & (e >= c - 1)
    )
