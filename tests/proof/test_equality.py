"""`prove_equal`: a chain, inputs on which two graphs differ, or neither."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat as eq
from eqsat.dtype import void
from eqsat.errors import DTypeError, ShapeError, SpecError
from eqsat.explain import Limits
from eqsat.proof.overflow import might_be_finite
from eqsat.reference import evaluate
from eqsat.uop import UOp

i, j = eq.variable("i", 0, 15), eq.variable("j", 0, 15)
wide = eq.variable("wide", -(10**9), 10**9)
VECTOR = eq.spec((8,), eq.float32)


def proved(one, other, plan=None):
    verdict = eq.prove_equal(one, other, plan)
    assert isinstance(verdict, eq.Proved), verdict
    assert verdict.explanation.before is one
    assert verdict.explanation.replay() is other
    return verdict.explanation


def refuted(one, other, plan=None):
    verdict = eq.prove_equal(one, other, plan)
    assert isinstance(verdict, eq.Refuted), verdict
    return verdict.counterexample


def test_equal_scalars_are_proved():
    proved((i * 4 + j % 4) // 4, i)
    proved(wide * 7 + i - wide * 7, i)
    proved(i, i)


def test_equality_that_needs_conditions_is_proved():
    proved((i < 4).where(i // 4, j), (i < 4).where(0, j))


def test_equal_arrays_are_proved():
    one = eq.trace(lambda x: (x + 1.0).T.T, eq.spec((3, 4), eq.float32))
    other = eq.trace(lambda x: 1.0 + x, eq.spec((3, 4), eq.float32))
    proved(one, other)


def test_numbers_beyond_64_bits_are_told_apart():
    power = i
    for _ in range(5):
        power = power * power
    assert refuted(power + 1, power + i * i * i).values == (1, 0)


def test_numbers_without_end_are_not_computed():
    power = i
    for _ in range(60):
        power = power * power
    assert isinstance(eq.prove_equal(power, power + i * i * i), eq.Unknown)


def test_small_domain_is_tried_as_a_whole():
    explanation = proved(i * i * i % 3, i % 3)
    assert [step.name for step in explanation.steps] == ["all points"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((i * 4 + j) // 4, i),
        (wide // 1000, wide * 8 // 8001),
        (wide.maximum(0), wide.maximum(1)),
        (i.cast(eq.int8) * 100, i.cast(eq.int8) * 101),
        ((i < 8) & (j < 8), i + j < 16),
    ],
)
def test_different_scalars_are_refuted_by_inputs_on_which_they_differ(one, other):
    found = refuted(one, other)
    inputs = {name: np.array([value]) for name, value in found.inputs.items()}
    values = [eq.evaluate(side, inputs).item() for side in (one, other)]
    assert values[0] != values[1]
    assert found.values == tuple(values)
    assert all(f"{name} = {value}" in found.text for name, value in found.inputs.items())


def test_points_with_a_divisor_that_is_zero_count():
    x, y = eq.variable("x", 0, 9), eq.variable("y", 0, 3)
    whole = (x // y) * y + x % y
    assert eq.prove_equal(whole, x).counterexample.inputs["y"] == 0
    assert isinstance(eq.prove_equal(whole, y.ne(0).where(x, 0)), eq.Proved)


def test_counterexample_is_as_small_as_its_points_allow():
    assert refuted((i * 4 + j) // 4, i).inputs == {"i": 0, "j": 4}


def test_different_arrays_are_refuted():
    one = eq.trace(lambda x, y: x - y, VECTOR, VECTOR)
    other = eq.trace(lambda x, y: y - x, VECTOR, VECTOR)
    found = refuted(one, other)
    values = [
        eq.evaluate(side, {0: found.inputs["input0"], 1: found.inputs["input1"]})[0] for side in (one, other)
    ]
    assert not np.array_equal(*values, equal_nan=True)


def test_sign_of_zero_is_a_difference_unless_claims_are_over_the_reals():
    one = eq.trace(lambda x, y: x - y, VECTOR, VECTOR)
    other = eq.trace(lambda x, y: -(y - x), VECTOR, VECTOR)
    assert sorted(map(str, refuted(one, other).values)) == ["-0.0", "0.0"]
    assert not isinstance(eq.prove_equal(one, other, eq.Plan(fast_math=True)), eq.Refuted)


def softmax(x):
    e = eq.exp(x - eq.max(x, axis=-1, keepdims=True))
    return e / eq.sum(e, axis=-1, keepdims=True)


def unsafe_softmax(x):
    e = eq.exp(x)
    return e / eq.sum(e, axis=-1, keepdims=True)


def variance_in_one_pass(x):
    return eq.mean(x * x) - eq.mean(x) ** 2


def variance_in_two_passes(x):
    return eq.mean((x - eq.mean(x)) ** 2)


@pytest.mark.parametrize("dtype", [eq.float16, eq.float32, eq.float64])
def test_softmax_that_overflows_is_refuted(dtype):
    one, other = (eq.trace(each, eq.spec((8,), dtype)) for each in (softmax, unsafe_softmax))
    assert sorted(map(np.isnan, refuted(one, other).values)) == [False, True]


ROUNDED = {
    "three terms": (lambda x, y: (x + y) + 0.1, lambda x, y: x + (y + 0.1)),
    "a third": (lambda x, y: x / 3, lambda x, y: x * (1 / 3)),
    "the order of a sum": (lambda x, y: eq.sum(x) + eq.sum(y), lambda x, y: eq.sum(y - 1) + eq.sum(x + 1)),
    "a product": (lambda x, y: x * 0.1 * 0.3 + y, lambda x, y: x * (0.1 * 0.3) + y),
}


@pytest.mark.parametrize("name", ROUNDED)
@pytest.mark.parametrize("dtype", [eq.float16, eq.float32, eq.float64])
def test_rounding_alone_refutes_strictly_only(name, dtype):
    one, other = (eq.trace(side, eq.spec((8,), dtype), eq.spec((8,), dtype)) for side in ROUNDED[name])
    verdict = eq.prove_equal(one, other)
    assert isinstance(verdict, eq.Unknown), verdict
    assert verdict.rounding.is_rounding
    assert "by rounding alone" in str(verdict)
    assert isinstance(eq.prove_equal(one, other, eq.Plan(strict=True)), eq.Refuted)
    assert not isinstance(eq.prove_equal(one, other, eq.Plan(fast_math=True)), eq.Refuted)


def test_cancellation_is_rounding_until_it_overflows():
    def verdict(dtype):
        return eq.prove_equal(
            *(eq.trace(side, eq.spec((8,), dtype)) for side in (variance_in_one_pass, variance_in_two_passes))
        )

    assert verdict(eq.float32).rounding.is_rounding
    assert not np.isfinite(verdict(eq.float16).counterexample.values).all()


FLOAT_DTYPES = [eq.float16, eq.bfloat16, eq.float32, eq.float64]


@pytest.mark.parametrize("dtype", FLOAT_DTYPES, ids=str)
@pytest.mark.parametrize("size", [1, 4, 100])
@pytest.mark.parametrize("exponent", [-4, -1, 1, 4])
def test_scaling_and_back_differs_by_overflow_or_by_rounding(dtype, size, exponent):
    scale = 2.0**exponent
    one, other = (
        eq.trace(side, eq.spec((size,), dtype))
        for side in (lambda x: (x * scale) * (1 / scale), lambda x: x * 1.0)
    )
    refuted(one, other, eq.Plan(strict=True))
    verdict = eq.prove_equal(one, other)
    if scale > 1:  # overflow is no rounding
        assert not np.isfinite(verdict.counterexample.values).all()
    else:
        assert verdict.rounding.is_rounding


@pytest.mark.parametrize("dtype", FLOAT_DTYPES, ids=str)
@pytest.mark.parametrize("size", [2, 8, 1000])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda x: eq.sum((x * 2) * 0.5), eq.sum),
        (lambda x: eq.max((x * 2) * 0.5), eq.max),
        (lambda x: eq.sum(x * 2.0), lambda x: eq.sum(x) * 2.0),
    ],
    ids=["halves", "halves of a maximum", "doubles"],
)
def test_elements_that_overflow_before_they_are_reduced_are_no_rounding(one, other, dtype, size):
    found = refuted(*(eq.trace(side, eq.spec((size,), dtype)) for side in (one, other)))
    assert not np.isfinite(found.values[0])
    assert np.isfinite(found.values[1])


@pytest.mark.parametrize("dtype", [eq.bfloat16, eq.float32, eq.float64], ids=str)
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda x, y: eq.sum(x) + eq.sum(y), lambda x, y: eq.sum(x + y)),
        (lambda x, y: eq.sum(x), lambda x, y: x[3] + x[1] + (x[0] + x[2])),
        (lambda x, y: eq.prod(x), lambda x, y: x[3] * x[1] * (x[0] * x[2])),
        (lambda x, y: eq.sum(x * y), lambda x, y: eq.sum(x[:2] * y[:2]) + eq.sum(x[2:] * y[2:])),
        (lambda x, y: eq.cumulative_sum(x)[-1], lambda x, y: eq.sum(x[::-1])),
    ],
    ids=["two sums", "unrolled sum", "unrolled product", "sum in parts", "last of a scan"],
)
def test_sums_that_overflow_in_one_order_only_are_rounding(one, other, dtype):
    verdict = eq.prove_equal(
        *(eq.trace(side, eq.spec((4,), dtype), eq.spec((4,), dtype)) for side in (one, other))
    )
    assert not isinstance(verdict, eq.Refuted), verdict


@pytest.mark.parametrize(
    ("side", "terms", "explained"),
    [
        (eq.sum, [3e38, 3e38, -3e38], True),
        (eq.sum, [np.inf, 1, 2], False),
        (lambda x: eq.sum(x * 2.0), [3e38, 3e38, 0], False),
        (lambda x: eq.sum(x * 2.0), [2.5e38, -1e38, -1e38], True),  # contracted, the last one first
        (lambda x: eq.sum((x * 2.0) * 0.5), [2.5e38, -1e38, -1e38], False),
    ],
)
def test_an_infinity_might_be_finite_in_another_order(side, terms, explained):
    (root,) = eq.trace(side, eq.spec((3,), eq.float32)).src
    order = root.toposort()
    values = dict(zip(order, evaluate(order, {0: np.array(terms, np.float32)}), strict=True))
    assert not np.isfinite(values[root])
    assert might_be_finite(root, values) == explained


@pytest.mark.parametrize("dtype", FLOAT_DTYPES, ids=str)
def test_values_that_overflow_together_are_found(dtype):
    one, other = (
        eq.trace(side, eq.spec((4,), dtype), eq.spec((4,), dtype))
        for side in (lambda x, y: x * 2.0 + y * 2.0, lambda x, y: (x + y) * 2.0)
    )
    assert not np.isfinite(refuted(one, other, eq.Plan(strict=True)).values).all()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda x, y: x + 1e-3, lambda x, y: x),
        (lambda x, y: eq.sum(x), lambda x, y: eq.sum(x) * 1.001),
        (lambda x, y: x * y, lambda x, y: x * y + x * 0.01),
        (lambda x, y: eq.log(eq.exp(x)), lambda x, y: x),
        (lambda x, y: eq.sqrt(x * x), lambda x, y: x),
        (eq.maximum, lambda x, y: eq.where(x > y, x, y)),
    ],
)
def test_more_than_rounding_is_refuted(one, other):
    refuted(*(eq.trace(side, VECTOR, VECTOR) for side in (one, other)))


def test_product_and_sum_are_contracted_where_the_plan_says_so():
    x, y, z = (UOp.param(slot, 8, eq.float32) for slot in range(3))
    fused = UOp(eq.Op.MULACC, eq.float32, (x, y, z))
    assert [step.name for step in proved(x * y + z, fused).steps] == ["multiply_then_add"]
    assert isinstance(eq.prove_equal(x * y + z, fused, eq.Plan(contract=False)), eq.Unknown)
    refuted(x * y + z, fused, eq.Plan(strict=True))


def test_code_of_a_counterexample_shows_both_values(capsys):
    found = refuted((i * 4 + j) // 4, i)
    exec(compile(found.code, "counterexample", "exec"), {})
    assert capsys.readouterr().out.splitlines() == ["left: index() array([1])", "right: index() array([0])"]


def test_what_is_neither_proved_nor_refuted_is_unknown():
    x = eq.variable("x", 0, 10**9)
    verdict = eq.prove_equal(x * x % 4 < 2, UOp.const(eq.bool_, True))
    assert isinstance(verdict, eq.Unknown)
    assert verdict.report.iterations > 0
    assert "no inputs were found" in verdict.note


def test_order_of_a_sum_is_no_difference():
    one = eq.trace(lambda x, y: eq.sum(x + y), VECTOR, VECTOR)
    other = eq.trace(lambda x, y: eq.sum(x) + eq.sum(y), VECTOR, VECTOR)
    assert isinstance(eq.prove_equal(one, other), eq.Unknown)


def test_spent_limit_is_unknown():
    verdict = eq.prove_equal((i * 4 + j % 4) // 4, i, limits=Limits(rounds=0))
    assert isinstance(verdict, eq.Unknown)
    assert "the e-graph holds them equal, but no chain of rules was found" in verdict.note


def test_values_that_cannot_be_equal_are_typed_errors():
    with pytest.raises(DTypeError, match="cannot compare index with int32; cast one first"):
        eq.prove_equal(i, i.cast(eq.int32))
    with pytest.raises(DTypeError, match="cannot compare 1 results with 2"):
        eq.prove_equal(UOp.sink(i), UOp.sink(i, j))
    one, other = (UOp.param(0, size, eq.float32) for size in (4, 8))
    with pytest.raises(ShapeError, match=r"cannot compare shape \(4,\) with \(8,\)"):
        eq.prove_equal(one, other)
    with pytest.raises(SpecError):
        eq.prove_equal(UOp(eq.Op.BARRIER, void), i)


def test_verdicts_are_readable():
    assert "divide_sum_with_multiples" in str(eq.prove_equal((i * 4 + j % 4) // 4, i))
    assert str(eq.prove_equal(i, i + 1)).startswith("different: 0 is not 1")
    assert str(eq.prove_equal((i * 4 + j % 4) // 4, i, limits=Limits(rounds=0))).startswith(
        "unknown: the e-graph"
    )
