"""Plausible rules that are wrong are all refuted, by programs that show it."""

import contextlib
import io
from dataclasses import replace

import pytest

from eqsat.ops import Op
from eqsat.proof import Status, verify
from eqsat.proof.obligation import obligations
from eqsat.proof.sample import sample
from eqsat.proof.verification import check
from eqsat.rules.language.pattern import (
    Node,
    PatternLike,
    Value,
    apply,
    expand,
    permute,
    reduce_axis,
    reshape,
    scan_axis,
)
from eqsat.rules.language.rule import FLOATS, Rewrite, Soundness, rewrite
from eqsat.rules.language.scalar import Arg
from eqsat.rules.library import LIBRARY
from eqsat.rules.reals.floats import floats
from tests.proof.declaring import FINITE, declared
from tests.rules.planted import WRONG


@pytest.mark.parametrize("rule", WRONG.rules, ids=lambda rule: rule.name)
def test_a_wrong_rule_is_refuted_by_a_program_that_shows_it(rule):
    """On the first dtypes that refute it; rules begin with different ones."""
    choices = list(obligations([rule]))
    begin = WRONG.rules.index(rule) % len(choices)
    counterexample = next(
        filter(None, (check(each).counterexample for each in choices[begin:] + choices[:begin]))
    )
    assert counterexample.text.startswith(f"{rule.name} on ")
    left, right = run(counterexample.code)
    assert left != right


OF_QUOTIENTS = ("sum_of_quotients", "rows_scaled_after_product_fdiv")
SCALES = [-14, -10, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 10, 14]


@pytest.mark.parametrize("exponent", SCALES)
def test_scaling_by_a_power_of_two_and_back_is_refuted_on_every_dtype(exponent):
    """It overflows on one side, or underflows, and nothing in between differs."""
    scale = 2.0**exponent

    def there_and_back(x: Value) -> Rewrite:
        """A factor and its reciprocal cancel."""
        return rewrite((x * scale) * (1 / scale), x)

    (row,) = verify([declared(there_and_back, FLOATS)], cache=None).rows
    assert [result.status for result in row.results] == [Status.REFUTED] * len(FLOATS)


def halved_doubles(x: PatternLike) -> Node:
    return (x * 2.0) * 0.5


OVERFLOWING = {
    "maximum": lambda x, n: (reduce_axis(Op.MAX, halved_doubles(x), n), reduce_axis(Op.MAX, x, n)),
    "scan": lambda x, n: (scan_axis(Op.MAX, halved_doubles(x), n), scan_axis(Op.MAX, x, n)),
    "sum": lambda x, n: (reduce_axis(Op.ADD, halved_doubles(x), n), reduce_axis(Op.ADD, x, n)),
    "doubles in a sum": lambda x, n: (reduce_axis(Op.ADD, x * 2.0, n), reduce_axis(Op.ADD, x, n) * 2.0),
    "halves in a sum": lambda x, n: (reduce_axis(Op.ADD, x * 0.5, n), reduce_axis(Op.ADD, x, n) * 0.5),
    "expand": lambda x, n: (expand(halved_doubles(x), n), expand(x, n)),
    "permute": lambda x, n: (permute(x * 2.0, n) * 0.5, permute(x, n)),
    "reshape": lambda x, n: (reshape(x * 0.5, n) * 2.0, reshape(x, n)),
}


@pytest.mark.parametrize("name", OVERFLOWING)
def test_arrays_that_overflow_on_one_side_refute_on_every_dtype(name):
    def wrong(x: Value, n: Arg) -> Rewrite:
        """The element overflows, or underflows, before it is moved or reduced."""
        return rewrite(*OVERFLOWING[name](x, n))

    (row,) = verify([declared(wrong, FLOATS)], cache=None).rows
    assert [result.status for result in row.results] == [Status.REFUTED] * len(FLOATS)


@pytest.mark.parametrize(
    "rule", [rule for rule in floats.ruleset if rule.soundness is FINITE], ids=lambda rule: rule.name
)
def test_what_holds_of_finite_numbers_alone_is_not_exact(rule):
    (row,) = verify([replace(rule, soundness=Soundness.EXACT)], FLOATS, cache=None).rows
    assert {result.status for result in row.results} == {Status.REFUTED}


def test_an_element_that_differs_among_others_alone_is_no_counterexample():
    """NumPy may round a power of an array otherwise than that of one number."""

    def power_of_half(x: Value) -> Rewrite:
        """The power of one half is the square root."""
        return rewrite(apply(Op.POW, x, 0.5), apply(Op.SQRT, x))

    for result in verify([declared(power_of_half, FLOATS)], cache=None).rows[0].results:
        if result.counterexample is not None:
            left, right = run(result.counterexample.code)
            assert left != right


@pytest.mark.parametrize(
    "rule", [rule for rule in LIBRARY if rule.name in OF_QUOTIENTS], ids=lambda rule: rule.name
)
def test_a_sum_without_elements_divides_by_nothing(rule):
    """The quotient of the sum may be 0 / 0. Few draws have no elements and a divisor that is zero."""
    others, _is_occupied = rule.where.operands
    unguarded = replace(rule, where=others)
    assert all(sample(each, matches=400).counterexample for each in obligations([unguarded]))


def run(code):
    """What the program says of the left side and of the right side."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    left, _, right = printed.getvalue().partition("right: ")
    return left.removeprefix("left: ").strip(), right.strip()
