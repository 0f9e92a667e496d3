"""What NumPy makes of a step, and how far another correct implementation may be off.

Exact operations (arithmetic of single elements, movement, everything on integers) have one right result. For the others the result
is computed in a wider float, and a bound on the error is derived: units in the last place for functions of one element, the number
of terms times their absolute values for sums. A value that may be off makes what depends on it uncertain as well: the step is
repeated on operands moved within their bounds, and elements that change without measure (comparisons, positions) are not compared.
Functions of several steps are `formulas` over intervals. Where a plan contracts, a product may be rounded once with the sum that it is
part of: it is as far off as it would have been rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.drawn_arrays.oracle import formulas
from tests.drawn_arrays.oracle.intervals import Interval
from tests.drawn_arrays.oracle.namespace import ORACLE
from tests.drawn_arrays.oracle.precision import GREATEST, LEAST, PRECISION, WIDE
from tests.drawn_arrays.values import Numbers, round_to

PROPAGATION = 4  # times the greatest change that was seen when operands moved within their bounds


@dataclass(frozen=True)
class Value:
    """An array of a program as NumPy has it.

    Attributes:
        array: rounded to its dtype. dtype: its name; bfloat16 is held in float32. bound: how far each element of another
        implementation may be off, infinite where it may be anything; None where all are exact.
    """

    array: Numbers
    dtype: str
    bound: Numbers | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def is_float(self) -> bool:
        return self.array.dtype.kind == "f"


@dataclass(frozen=True)
class Accuracy:
    """How far a step may be off.

    Attributes:
        ulps: units in the last place of the result. sums: whether as many roundings as there are terms are taken, relative to the
        sum of absolute values. products: likewise, relative to the result. scale: the function that gives what a sum's error is
        relative to, of absolute operands, in place of the step's own. roundings: how often a sum is rounded to its dtype on the way,
        half precision being summed in float32. factors: whether factors may be taken out of sums, so that products on the way leave the
        range where the result does not. formula: whether the function is one of `formulas`.
    """

    ulps: float = 0.0
    sums: bool = False
    products: bool = False
    scale: str | None = None
    roundings: int = 0
    factors: bool = False
    formula: bool = False

    @property
    def is_exact(self) -> bool:
        return not (self.ulps or self.sums or self.products)


EXACT = Accuracy()
SUM = Accuracy(sums=True)
FORMULA = Accuracy(formula=True)


@dataclass(frozen=True)
class Computation:
    """A step's function of a namespace and operands, the function that gives its error's scale, and how many terms it adds.

    Attributes:
        undefined: where the result is not to be compared. product: the size of products that are rounded before something is added
        to them, or by a contracting plan with it. promoted: the first of the operands whose common dtype is taken. dtype: of the result.
    """

    function: Callable[..., Any]
    scale: Callable[..., Any]
    accuracy: Accuracy
    terms: int = 0
    undefined: Callable[..., Numbers] | None = None
    product: Callable[[Numbers], Numbers] | None = None
    promoted: int = 0
    dtype: str | None = None


def evaluate(step: Computation, operands: Sequence[Value], contracts: bool = False) -> Value:
    """One step: the value, its dtype and how far it may be off, under a plan that contracts or one that does not."""
    if step.accuracy.formula:
        return _by_formula(step, operands)
    operands = _promoted(operands, step.promoted)
    arrays = [operand.array for operand in operands]
    native = np.asarray(step.function(ORACLE, *arrays))
    dtype = step.dtype or _dtype_of(native, operands)
    if step.accuracy.is_exact or native.dtype.kind != "f":
        result, bound = round_to(native, "bfloat16") if dtype == "bfloat16" else native, None
    else:
        result, bound = _inexact(step, arrays, native, dtype)
    if contracts and step.product is not None and native.dtype.kind == "f":
        bound = _unrounded(step.product(result), dtype)
    if step.undefined is not None:
        mask = np.broadcast_to(step.undefined(result, *arrays), result.shape)
        if mask.any():
            bound = np.where(mask, _tiny_or_all(mask, result, dtype), 0.0 if bound is None else bound)
    if any(operand.bound is not None for operand in operands):
        moved = _propagated(step.function, operands, dtype)
        bound = moved if bound is None else bound + moved
    return Value(result, dtype, bound if bound is not None and bound.any() else None)


def _by_formula(step: Computation, operands: Sequence[Value]) -> Value:
    intervals = [Interval.around(each.array, each.dtype, each.bound) for each in operands]
    interval = step.function(formulas, *intervals)
    result, bound = interval.result()
    return Value(result, interval.dtype, bound if bound.any() else None)


def _promoted(operands: Sequence[Value], first: int) -> Sequence[Value]:
    """Integers beside bfloat16 alone become that, whatever their width; NumPy, which has float32 for it, widens float32."""
    mixed = operands[first:]
    if {each.dtype for each in mixed if each.is_float} != {"bfloat16"}:
        return operands
    return [
        *operands[:first],
        *(
            each if each.is_float else Value(round_to(each.array, "bfloat16"), "bfloat16", each.bound)
            for each in mixed
        ),
    ]


def _unrounded(product: Numbers, dtype: str) -> Numbers:
    """How far a product is from what it was before it was rounded: anything where it leaves the range, and then comes back."""
    off = 0.5 * np.maximum(PRECISION[dtype] * np.abs(product), LEAST[dtype])
    leaves = np.isinf(product) | (np.abs(product) + off > GREATEST[dtype])
    return np.where(product == product, np.where(leaves, np.inf, off), 0.0).astype(np.float64)


def _tiny_or_all(mask: Numbers, result: Numbers, dtype: str) -> Numbers:
    """`undefined` says True where a value may be anything, 2 where a zero may have either sign."""
    return np.where(mask.astype(np.int8) == 2, LEAST.get(dtype, np.inf), np.inf)


def _dtype_of(native: Numbers, operands: Sequence[Value]) -> str:
    floats = [operand.dtype for operand in operands if operand.is_float]
    if native.dtype == np.float32 and floats and all(dtype == "bfloat16" for dtype in floats):
        return "bfloat16"
    return str(native.dtype)


def _inexact(
    step: Computation, arrays: Sequence[Numbers], native: Numbers, dtype: str
) -> tuple[Numbers, Numbers]:
    accuracy, wide = step.accuracy, WIDE if dtype == "float64" else np.float64
    widened = [array.astype(native.dtype).astype(wide) for array in arrays]
    exact = np.asarray(step.function(ORACLE, *widened)).astype(wide)
    result = round_to(exact, dtype)
    working = min(PRECISION[dtype], PRECISION["float32"])
    greatest = GREATEST["float64" if dtype == "float64" else "float32"]  # of what is computed in
    size = np.abs(exact)
    bound = accuracy.ulps * np.maximum(PRECISION[dtype] * size, LEAST[dtype])
    if accuracy.sums or accuracy.products:
        sizes = [np.where(np.isfinite(array), np.abs(array), 0) for array in widened]
        scale = np.asarray(step.scale(ORACLE, *sizes)).astype(wide)
        # The sign of a sum that is zero is not said either
        rounding = PRECISION[dtype] * size + (step.terms + 1) * LEAST[dtype]
        if accuracy.products:
            bound = bound + step.terms * working * size + rounding
            # The logarithms' absolute values: some order may leave the range on the way
            leaves = scale > math.log2(greatest) - 2
        else:
            working = (step.terms + 2) * working + accuracy.roundings * PRECISION[dtype]
            bound = bound + working * scale + rounding
            greatest = GREATEST[dtype] if accuracy.roundings else greatest
            # a mean's sum is as many times its scale as there are terms
            leaves = ~np.isnan(exact) & ~(scale * max(step.terms, 1) < greatest / 4)
            if accuracy.factors:
                reach = math.prod(max(1.0, float(np.sum(each))) for each in sizes)  # of products on the way
                bound = bound + (step.terms + 1) * LEAST[dtype] * reach
                leaves |= ~np.isfinite(exact) | (not reach < greatest / 4)
        bound = np.where(leaves, np.inf, bound)
    # near overflow, one implementation gives infinity and another the greatest number
    edge = (size + bound > GREATEST[dtype] * (1 - PRECISION[dtype])) & (
        size - bound <= GREATEST[dtype] * (1 + PRECISION[dtype])
    )
    bound = np.where(
        edge & np.isfinite(exact), np.inf, np.where(np.isfinite(exact) | np.isinf(bound), bound, 0.0)
    )
    return result, bound.astype(np.float64)


_WITHIN = 6  # ways to move operands within their bounds: up, down, twice to a place between, and
_TO_ZERO, _TO_INTEGER = 4, 5  # to zero or to an integer, where that is so near: some functions jump there
_WILD = 6  # values that unknown elements take


def _propagated(function: Callable[..., Any], operands: Sequence[Value], dtype: str) -> Numbers:
    """How much the result changes when operands move within their bounds; infinite where it changes without measure."""
    random = np.random.default_rng(0)
    base = np.asarray(function(ORACLE, *(operand.array for operand in operands)))
    change = np.zeros(base.shape)
    for trial in range(_WITHIN + 2 * _WILD):
        others = [_moved(operand, trial, random) for operand in operands]
        moved = np.asarray(function(ORACLE, *others))
        if moved.shape != base.shape:
            return np.full(base.shape, np.inf)
        same = (moved == base) | ((moved != moved) & (base != base))
        if base.dtype.kind == "f":
            difference = np.abs(moved.astype(WIDE) - base.astype(WIDE)).astype(np.float64)
            # what changes between zeros of both signs, or to or from infinity and NaN, changes without measure further on
            difference = np.where(
                same,
                np.where(np.signbit(moved) == np.signbit(base), 0.0, LEAST[dtype]),
                np.where(np.isfinite(difference), difference, np.inf),
            )
        else:
            difference = np.where(same, 0.0, np.inf)
        if trial >= _WITHIN:  # unknown elements: whatever depends on them is unknown
            difference = np.where(difference > 0, np.inf, 0.0)
        change = np.maximum(change, difference)
    if base.dtype.kind == "f":
        change = np.where(
            np.isfinite(change) & (change > 0),
            np.maximum(PROPAGATION * change, PRECISION[dtype] * np.abs(base)),
            change,
        )
    return change


def _moved(operand: Value, trial: int, random: np.random.Generator) -> Numbers:
    """An operand with other values within its bounds; unknown elements are all alike first, then not."""
    if operand.bound is None:
        return operand.array
    unknown = np.isinf(operand.bound)
    array = operand.array
    if trial >= _WITHIN:
        again, number = divmod(trial - _WITHIN, _WILD)
        each = random.integers(0, _WILD, array.shape) if again else number
        return np.where(unknown, np.asarray(_wild(array.dtype), array.dtype)[each], array)
    if array.dtype.kind != "f":
        return array
    if trial == _TO_ZERO:
        return np.where(~unknown & (np.abs(array) <= operand.bound), array.dtype.type(0), array)
    if trial == _TO_INTEGER:
        whole = np.rint(array)
        return np.where(~unknown & (np.abs(array - whole) <= operand.bound), whole, array)
    part = (1.0, -1.0)[trial] if trial < 2 else random.uniform(-1.0, 1.0, array.shape)
    step = np.where(unknown, 0.0, operand.bound) * part
    return np.where(step == 0, array, (array.astype(WIDE) + step).astype(array.dtype))


def _wild(dtype: np.dtype) -> tuple[Any, ...]:
    """What an unknown element may be."""
    if dtype.kind == "b":
        return False, True, False, True, False, True
    return (
        (np.nan, -np.inf, np.inf, 1.5, 0.25, 0.0)
        if dtype.kind == "f"
        else (np.iinfo(dtype).min, np.iinfo(dtype).max, 0, 1, 2, 3)
    )
