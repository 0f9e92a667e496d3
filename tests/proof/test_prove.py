"""Which rules are proved, refuted, or neither; guards and dtypes decide."""

from dataclasses import replace

import pytest
import z3

from eqsat.dtype import index, int8, int32, int64, uint8, uint16
from eqsat.ops import Op
from eqsat.proof import Status, verify
from eqsat.proof.obligation import obligations
from eqsat.proof.proving.prove import Verdict, prove
from eqsat.proof.verification import check
from eqsat.rules.language.facts import hi, lo
from eqsat.rules.language.pattern import Value, apply, cast, maximum, minimum, where
from eqsat.rules.language.rule import BOOL, INDEX, INTEGERS, INTS, SIGNED, UNSIGNED, Rewrite, rewrite
from eqsat.rules.language.scalar import Const, Type, pure
from eqsat.rules.library import LIBRARY
from tests.proof.declaring import declared, obligation

BY_NAME = {rule.name: rule for rule in LIBRARY}


def commutes(x: Value, y: Value) -> Rewrite:
    """Order does not matter."""
    return rewrite(x * y, y * x)


def absorbs(x: Value, y: Value) -> Rewrite:
    """The greater is at least the lesser."""
    return rewrite(maximum(x, minimum(x, y)), x)


def truncates(x: Value, c: Const) -> Rewrite:
    """Of what is not negative."""
    return rewrite(apply(Op.IDIV, x, c), x // c, where=(lo(x) >= 0) & (c > 0))


def recombines(x: Value, c: Const) -> Rewrite:
    """Quotient and remainder give the dividend."""
    return rewrite(x // c * c + x % c, x, where=c != 0)


def narrows(x: Value, t: Type, u: Type) -> Rewrite:
    """Only the last cast counts."""
    return rewrite(cast(cast(x, t), u), cast(x, u))


@pytest.mark.parametrize(
    "function", [commutes, absorbs, truncates, recombines], ids=lambda each: each.__name__
)
def test_what_holds_at_every_width_is_proved(function):
    for each in obligations([declared(function)]):
        assert prove(each, 5.0).verdict is Verdict.PROVED, each.dtypes


def cancels(x: Value, c: Const) -> Rewrite:
    """A product divided by its factor."""
    return rewrite((x * c) // c, x, where=c != 0)


def test_what_holds_without_wrap_only_is_proved_for_indices_only():
    rule = declared(cancels)
    assert prove(obligation(rule, "index"), 5.0).verdict is Verdict.PROVED
    for dtype in ("int8", "uint8", "int32"):
        assert prove(obligation(rule, dtype), 5.0).verdict is Verdict.REFUTED


def zero_below(x: Value, c: Const) -> Rewrite:
    """What does not reach the divisor has no quotient."""
    return rewrite(x // c, 0, where=(lo(x) >= 0) & (hi(x) < c))


def zero_up_to(x: Value, c: Const) -> Rewrite:
    """Wrong: the divisor itself is divided once."""
    return rewrite(x // c, 0, where=(lo(x) >= 0) & (hi(x) <= c))


def zero_anyway(x: Value, c: Const) -> Rewrite:
    """Wrong: where it does not hold, it does not hold."""
    return rewrite(x // c, 0)


@pytest.mark.parametrize("dtype", ["index", "int8", "int64", "uint32"])
def test_guards_matter(dtype):
    verdicts = [
        prove(obligation(declared(rule), dtype), 5.0).verdict
        for rule in (zero_below, zero_up_to, zero_anyway)
    ]
    assert verdicts == [Verdict.PROVED, Verdict.REFUTED, Verdict.REFUTED]


def shifts(x: Value, y: Value) -> Rewrite:
    """Wrong where y is no amount of a shift."""
    return rewrite(where(y.ne(0), x, x), x + (x << y) - (x << y))


def guarded(x: Value, y: Value) -> Rewrite:
    """A branch that is not taken need not have a value."""
    return rewrite(where(y.ne(2), 0, x), where(y.ne(2), 0, x + (x << y) - (x << y)))


def recombines_by_any(x: Value, y: Value) -> Rewrite:
    """Wrong where y is zero: there, quotient and remainder are 0."""
    return rewrite((x // y) * y + x % y, x)


def recombines_truncated(x: Value, y: Value) -> Rewrite:
    """Wrong where y is zero, too."""
    return rewrite(apply(Op.IDIV, x, y) * y + apply(Op.MOD, x, y), x)


def recombines_elsewhere(x: Value, y: Value) -> Rewrite:
    """By zero, quotient and remainder are 0."""
    return rewrite((x // y) * y + x % y, where(y.ne(0), x, 0))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "index"])
def test_a_quotient_by_zero_is_zero(dtype):
    for wrong in (recombines_by_any, recombines_truncated):
        found = prove(obligation(declared(wrong, INTEGERS | INDEX), dtype), 5.0)
        assert found.verdict is Verdict.REFUTED
        assert "y = [0]" in found.counterexample.text
    assert (
        prove(obligation(declared(recombines_elsewhere, INTEGERS | INDEX), dtype), 5.0).verdict
        is Verdict.PROVED
    )


def test_a_right_side_without_a_value_is_refuted_unless_it_is_not_looked_at():
    found = prove(obligation(declared(shifts, INTS), "y: int8, x: int8"), 5.0)
    assert "without a value" in found.counterexample.text
    assert prove(obligation(declared(guarded, INTS), "y: int8, x: int8"), 5.0).verdict is Verdict.PROVED


def test_every_choice_of_dtypes_is_a_claim_of_its_own():
    rule = declared(narrows, UNSIGNED)
    kept = {"x: uint8, t: uint8, u: int32", "x: uint8, t: uint16, u: int8"}
    for dtypes in kept:
        assert prove(obligation(rule, dtypes), 5.0).verdict is Verdict.PROVED
    assert prove(obligation(rule, "x: uint16, t: uint8, u: int32"), 5.0).verdict is Verdict.REFUTED


def test_counterexamples_of_proofs_are_small():
    def no_wrap(x: Value) -> Rewrite:
        """Wrong: the double wraps."""
        return rewrite(x * 2 < x, False, where=lo(x) >= 0)

    found = prove(obligation(declared(no_wrap, SIGNED), "int8"), 5.0)
    assert "x = [64]" in found.counterexample.text


@pure
def halved(value):
    return value // 2 if value % 2 == 0 and value > 0 else None


def halves(x: Value, c: Const) -> Rewrite:
    """Twice by the half."""
    return rewrite(x * c, x * 2 * halved(c))


@pure
def is_odd(value):
    return value % 2 == 1


def low_bit(x: Value, c: Const) -> Rewrite:
    """Wrong for any odd constant but those that keep no other bit."""
    return rewrite(x & c, x & 1, where=is_odd(c) & (c > 0))


def test_opaque_functions_are_computed_for_every_constant_of_a_narrow_dtype():
    rule = declared(halves, INTS)
    found = check(obligation(rule, "uint8"), seconds=60.0)  # a busy machine is no failure
    assert (found.status, found.cases) == (Status.PROVED, 127)


def test_what_is_proved_for_some_constants_only_is_not_called_proved():
    found = check(obligation(declared(halves, INTS), "int32"))
    assert found.status is Status.SAMPLED
    assert found.elements > 0


@pytest.mark.parametrize("dtype", ["int8", "int64"])
def test_opaque_guards_do_not_hide_what_is_wrong(dtype):
    assert check(obligation(declared(low_bit, INTS), dtype)).status is Status.REFUTED


def test_a_proof_that_takes_too_long_is_reported_and_sampled(monkeypatch):
    monkeypatch.setattr(z3.Solver, "check", lambda *_: z3.unknown)  # as it answers after its time
    found = check(obligation(BY_NAME["divide_remainder"], "int64"), seconds=20.0)
    assert found.status is Status.TIMED_OUT
    assert found.elements > 0


def test_what_no_value_satisfies_is_not_called_proved():
    def never(x: Value) -> Rewrite:
        """Of what is below and above zero."""
        return rewrite(x + 1, x, where=(lo(x) > 0) & (hi(x) < 0))

    assert check(obligation(declared(never), "int8")).status is Status.UNMATCHED


def test_without_z3_everything_is_sampled(monkeypatch):
    monkeypatch.setattr("eqsat.proof.verification.prover_version", lambda: "")
    report = verify([declared(absorbs)], [int8, index], cache=None)
    assert (report.proved, report.sampled, report.prover) == (0, 2, "")


@pytest.mark.parametrize("dtypes", [[int8], [uint8, uint16], [int32, int64, index]])
def test_dtypes_can_be_chosen(dtypes):
    report = verify([declared(commutes)], dtypes, cache=None)
    assert [result.dtypes for result in report.rows[0].results] == [dtype.name for dtype in dtypes]
    assert report.proved == len(dtypes)


def de_morgan(a: Value, b: Value) -> Rewrite:
    """Not both is either not."""
    return rewrite(~(a & b), ~a | ~b)


def test_bools_are_proved():
    assert verify([declared(de_morgan, BOOL)], cache=None).proved == 1


def test_a_rule_that_holds_both_ways_has_a_value_on_both_sides():
    def shifts_nothing(x: Value, y: Value) -> Rewrite:
        """Wrong from right to left: where y is no amount of a shift, the left side has no value."""
        return rewrite(x + (x << y) - (x << y), x)

    one_way = declared(shifts_nothing, INTS)
    assert check(obligation(one_way, "int8")).status is Status.PROVED
    both_ways = replace(one_way, both_ways=True)
    assert check(obligation(both_ways, "int8")).status is Status.REFUTED
