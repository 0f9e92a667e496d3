"""WHERE: conditions that are constant or repeated, nested choices, choices between bools."""

from __future__ import annotations

from eqsat.rules.language.pattern import Value, where
from eqsat.rules.language.rule import ANY, BOOL, INTEGERS, Phase, Rewrite, Topic, rewrite
from eqsat.rules.language.scalar import Const

choices = Topic("choices")


@choices.rule(ANY)
def choice_of_equals(x: Value, c: Value) -> Rewrite:
    """A choice between a value and itself is the value."""
    return rewrite(where(c, x, x), x)


@choices.rule(ANY)
def certain_choice(x: Value, y: Value) -> Rewrite:
    """A condition that always holds chooses the first value."""
    return rewrite(where(True, x, y), x)


@choices.rule(ANY)
def impossible_choice(x: Value, y: Value) -> Rewrite:
    """A condition that never holds chooses the second value."""
    return rewrite(where(False, x, y), y)


@choices.rule(BOOL)
def negated_choice(c: Value, x: Value, y: Value) -> Rewrite:
    """A choice on a negated condition is the choice with its values swapped."""
    return rewrite(where(c.ne(True), x, y), where(c, y, x))


@choices.rule(BOOL)
def choice_of_truth(c: Value) -> Rewrite:
    """Choosing True where a condition holds, else False, is the condition."""
    return rewrite(where(c, True, False), c)


@choices.rule(BOOL)
def choice_of_falsehood(c: Value) -> Rewrite:
    """Choosing False where a condition holds, else True, is the negated condition."""
    return rewrite(where(c, False, True), c.ne(True))


@choices.rule(ANY)
def condition_known_where_it_holds(c: Value, x: Value, y: Value, z: Value) -> Rewrite:
    """Inside the first branch the condition holds."""
    return rewrite(where(c, where(c, x, y), z), where(c, x, z))


@choices.rule(ANY)
def condition_known_where_it_fails(c: Value, x: Value, y: Value, z: Value) -> Rewrite:
    """Inside the second branch the condition fails."""
    return rewrite(where(c, x, where(c, y, z)), where(c, x, z))


@choices.rule(ANY, phase=Phase.EXPLORE)
def nested_choices_with_one_otherwise(a: Value, b: Value, x: Value, y: Value) -> Rewrite:
    """Two nested choices that fall back to the same value are one choice on the AND of their conditions."""
    return rewrite(where(a, where(b, x, y), y), where(a & b, x, y))


@choices.rule(ANY, phase=Phase.EXPLORE)
def nested_choices_with_one_result(a: Value, b: Value, x: Value, y: Value) -> Rewrite:
    """Two nested choices of the same value are one choice on the OR of their conditions."""
    return rewrite(where(a, x, where(b, x, y)), where(a | b, x, y))


@choices.rule(BOOL)
def choice_of_truth_or_another(c: Value, x: Value) -> Rewrite:
    """Choosing True where a condition holds, else another bool, is the OR of both."""
    return rewrite(where(c, True, x), c | x)


@choices.rule(BOOL)
def choice_of_another_or_falsehood(c: Value, x: Value) -> Rewrite:
    """Choosing another bool where a condition holds, else False, is the AND of both."""
    return rewrite(where(c, x, False), c & x)


@choices.rule(INTEGERS)
def opposite_choices_add_up(c: Value, x: Value, y: Value) -> Rewrite:
    """The sum of a choice and the opposite choice is the sum of both values."""
    return rewrite(where(c, x, y) + where(c, y, x), x + y)


@choices.rule(INTEGERS | BOOL)
def choice_of_the_first_of_two(x: Value, y: Value) -> Rewrite:
    """Choosing the first of two values where they differ, else the second, always gives the first."""
    return rewrite(where(x.ne(y), x, y), x)


# Choices between constants.


@choices.rule(INTEGERS)
def choice_of_constants_plus_constant(b: Value, c: Const, d: Const, e: Const) -> Rewrite:
    """Adding a constant to a choice between constants adds it to both."""
    return rewrite(where(b, c, d) + e, where(b, c + e, d + e))


@choices.rule(INTEGERS)
def choice_of_constants_times_constant(b: Value, c: Const, d: Const, e: Const) -> Rewrite:
    """Multiplying a choice between constants by a constant multiplies both."""
    return rewrite(where(b, c, d) * e, where(b, c * e, d * e))


@choices.rule(INTEGERS)
def choice_of_one_or_zero_times_number(b: Value, x: Value) -> Rewrite:
    """One where a condition holds, else zero, times a number is the number where the condition holds, else zero."""
    return rewrite(where(b, 1, 0) * x, where(b, x, 0))


@choices.rule(INTEGERS)
def choice_of_zero_or_one_times_number(b: Value, x: Value) -> Rewrite:
    """Zero where a condition holds, else one, times a number is zero where the condition holds, else the number."""
    return rewrite(where(b, 0, 1) * x, where(b, 0, x))


@choices.rule(INTEGERS)
def choice_of_constants_below_where_it_holds(b: Value, c: Const, d: Const, e: Const) -> Rewrite:
    """If only the first of two constants is below a third, a choice between them is below it where the condition holds."""
    return rewrite(where(b, c, d) < e, b, where=(c < e) & (e <= d))


@choices.rule(INTEGERS)
def choice_of_constants_below_where_it_fails(b: Value, c: Const, d: Const, e: Const) -> Rewrite:
    """If only the second of two constants is below a third, a choice between them is below it where the condition fails."""
    return rewrite(where(b, c, d) < e, ~b, where=(e <= c) & (d < e))


@choices.rule(INTEGERS)
def choice_of_constants_above_where_it_holds(b: Value, c: Const, d: Const, e: Const) -> Rewrite:
    """If only the first of two constants is above a third, a choice between them is above it where the condition holds."""
    return rewrite(where(b, c, d) > e, b, where=(c > e) & (e >= d))


@choices.rule(INTEGERS)
def choice_of_constants_above_where_it_fails(b: Value, c: Const, d: Const, e: Const) -> Rewrite:
    """If only the second of two constants is above a third, a choice between them is above it where the condition fails."""
    return rewrite(where(b, c, d) > e, ~b, where=(e >= c) & (d > e))


@choices.rule(INTEGERS)
def choice_of_constants_differs_where_it_holds(b: Value, c: Const, d: Const) -> Rewrite:
    """A choice between two constants differs from the second where the condition holds."""
    return rewrite(where(b, c, d).ne(d), b, where=c != d)


@choices.rule(INTEGERS)
def choice_of_constants_differs_where_it_fails(b: Value, c: Const, d: Const) -> Rewrite:
    """A choice between two constants differs from the first where the condition fails."""
    return rewrite(where(b, c, d).ne(c), ~b, where=c != d)
