"""Searches for inputs on which two graphs have different values."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from time import perf_counter
from typing import Any

import numpy as np

from eqsat.dtype import DType
from eqsat.errors import EvaluationError
from eqsat.explain.theory_checks import MOST_POINTS, is_moderate, points_of
from eqsat.ops import Op
from eqsat.proof.float_values import COMMON, by_size, constants_of, edges, random_floats, tame
from eqsat.proof.matches.agreement import Values, tolerance, value_mask
from eqsat.proof.matches.script import comparison_script
from eqsat.proof.rounding import rounding_mask
from eqsat.reference import evaluate
from eqsat.reference.number import Array, hold
from eqsat.uop import UOp, toposort

SAMPLES = 1 << 12  # points that are tried if the domain has more than `MOST_POINTS`
ARRAYS = 24  # times that input arrays are drawn
AT_ENDS = 1024  # elements of an array, in further draws, at which floats overflow, underflow or round
DRAWS_AT_ENDS = 8, 256  # how few and how many of these draws there are, if arrays are large or small
SECONDS = 5.0  # after which no further inputs are tried
MOST_BITS = 1 << 16  # bits of an index; graphs whose indices may have more are not evaluated

Inputs = Mapping[UOp, Array]


class Arithmetic(Enum):
    """Which differences between floats count. NaN payloads never do."""

    BITS = "every bit"
    ROUNDED = "more than rounding, infinities and NaNs"
    REALS = "more than rounding, on numbers of moderate size"


@dataclass(frozen=True, eq=False)
class Difference:
    """Inputs on which two graphs differ, confirmed by the reference.

    Attributes:
        inputs: the value of each variable and input array, by name.
        values: the value of the first graph on these inputs, and of the second one.
        text: the inputs and both values in words.
        code: a program that builds both graphs and evaluates them with the reference.
        is_rounding: whether both would be equal if nothing were rounded.
    """

    inputs: Mapping[str, Any]
    values: tuple[Any, Any]
    text: str
    code: str
    is_rounding: bool = False


def find_difference(one: UOp, other: UOp, arithmetic: Arithmetic) -> Difference | None:
    """Searches for inputs on which both graphs have values, and these differ. Returns None if it finds none.

    A variable with a small domain takes all its values; any other takes boundary and random values. Arrays begin with special values, and end
    with those at which floats overflow, underflow or round.
    With `Arithmetic.ROUNDED`, a difference by rounding alone is returned only if no other difference is found.
    """
    order = toposort([one, other])
    if not is_moderate(order, MOST_BITS):
        return None
    leaves = [node for node in order if node.op in (Op.DEFINE_VAR, Op.PARAM)]
    deadline = perf_counter() + SECONDS
    by_rounding: Difference | None = None
    for inputs in _draws(leaves, constants_of([one, other]), over_reals=arithmetic is Arithmetic.REALS):
        try:
            values = dict(zip(order, evaluate(order, {**inputs}), strict=True))
        except EvaluationError:
            return None
        differs = _differs(one, other, values, arithmetic)
        if differs.any():
            rounding = np.zeros_like(differs)
            if arithmetic is not Arithmetic.BITS and one.dtype.scalar.is_float:
                rounding = rounding_mask(one, other, inputs, values)
            if (differs & ~rounding).any():
                return _described(one, other, inputs, values, np.argwhere(differs & ~rounding))
            by_rounding = by_rounding or _described(
                one, other, inputs, values, np.argwhere(differs), is_rounding=True
            )
        if perf_counter() > deadline:
            break
    return by_rounding


def _draws(
    leaves: Sequence[UOp], constants: tuple[float, ...], *, over_reals: bool
) -> Iterator[dict[UOp, Array]]:
    chance = random.Random(0)
    if all(leaf.op is Op.DEFINE_VAR for leaf in leaves):
        yield _points(leaves, chance)
        return
    sizes = [leaf.arg[1] for leaf in leaves if leaf.op is Op.PARAM and leaf.dtype.scalar.is_float]
    few, many = DRAWS_AT_ENDS
    further = min(max(few, AT_ENDS // max(1, *sizes)), many) if sizes and not over_reals else 0
    for number in range(ARRAYS + further):
        drawn: dict[UOp, Array] = {}
        for leaf in leaves:
            if leaf.op is Op.DEFINE_VAR:
                drawn[leaf] = _held([chance.choice(_pool(leaf, chance))], leaf)
            else:
                drawn[leaf] = _array(leaf, chance, number, constants, over_reals=over_reals)
        yield drawn


def _points(leaves: Sequence[UOp], chance: random.Random) -> dict[UOp, Array]:
    """Values of all variables to try: every point of a small domain, boundary and random points of a larger one."""
    if not leaves:
        return {}
    if points_of(leaves) <= MOST_POINTS:
        rows = list(itertools.product(*(range(leaf.arg[1], leaf.arg[2] + 1) for leaf in leaves)))
    else:
        pools = [_pool(leaf, chance) for leaf in leaves]
        rows = [tuple(chance.choice(pool) for pool in pools) for _ in range(SAMPLES)]
    return {leaf: _held(column, leaf) for leaf, column in zip(leaves, zip(*rows, strict=True), strict=True)}


def _pool(leaf: UOp, chance: random.Random) -> list[int]:
    """Values to try for one variable: some near its bounds, some near zero, and random ones."""
    low, high = leaf.arg[1], leaf.arg[2]
    near = {low, low + 1, high - 1, high, 0, 1, -1, 2, -2, 7, *(chance.randint(low, high) for _ in range(24))}
    return sorted(value for value in near if low <= value <= high)


def _array(
    leaf: UOp, chance: random.Random, number: int, constants: tuple[float, ...], *, over_reals: bool
) -> Array:
    """An input array. Attempts alternate between special values, few distinct values (so that arrays have equal elements), and ordinary values.

    After `ARRAYS` attempts, floats are at the ends of their range: any of these values, then large ones, then small ones, then small ones
    with the largest number and its negative side by side: these overflow where their sum does not.
    """
    dtype = leaf.dtype
    assert isinstance(dtype, DType)
    pool: Sequence[float] | Array
    if over_reals and dtype.is_float:
        pool = [tame(chance) for _ in range(64)]
    elif dtype.is_float and number >= ARRAYS:
        known = np.concatenate(
            [hold(np.array(edges(dtype, constants)), dtype), random_floats(dtype, 64, number)]
        )
        pool = by_size(known, dtype)[min(number % 4, 2)]
    elif dtype.is_float:
        ordinary = [chance.gauss(0, 5) for _ in range(64)]
        large = [10 ** chance.uniform(-2, 4) * chance.choice((-1, 1)) for _ in range(64)]
        pool = [[*COMMON, *ordinary[:10]], [*COMMON[:4]], ordinary, large][number % 4]
    else:
        least, greatest = (-100, 100) if dtype.is_index else (dtype.min, dtype.max)
        special = [
            value for value in (0, 1, 2, 3, 7, 8, -1, -2, least, greatest) if least <= value <= greatest
        ]
        pool = [special, special[:2], [chance.randint(least, greatest) for _ in range(64)]][number % 3]
    values = hold(np.array(pool, None if dtype.is_float else object), dtype)
    places = np.array(chance.choices(range(len(pool)), k=leaf.arg[1]), np.int64)
    drawn = values[places]
    if dtype.is_float and number >= ARRAYS and number % 4 == 3 and leaf.arg[1] > 1:
        place = chance.randrange(leaf.arg[1] - 1)
        drawn[place : place + 2] = dtype.greatest_number, -dtype.greatest_number
    return drawn


def _held(values: Sequence[int], leaf: UOp) -> Array:
    assert isinstance(leaf.dtype, DType)
    return hold(np.array(values, object), leaf.dtype)


def _differs(one: UOp, other: UOp, values: Values, arithmetic: Arithmetic) -> Array:
    """A mask of the places where both graphs have values, and these differ."""
    left, right = np.broadcast_arrays(values[one], values[other])
    both = value_mask(one, values) & value_mask(other, values)
    if not one.dtype.scalar.is_float:
        agree = np.asarray(left == right)
    elif arithmetic is Arithmetic.REALS:
        with np.errstate(all="ignore"):
            near = np.abs(left.astype(np.float64) - right) <= tolerance(one.dtype.scalar, values)
        agree = near | ~np.isfinite(left) | ~np.isfinite(right)
    else:
        same_sign = np.signbit(left) == np.signbit(right)
        agree = ((left == right) & same_sign) | (np.isnan(left) & np.isnan(right))
    return np.asarray(both & ~agree)


def _described(
    one: UOp, other: UOp, inputs: Inputs, values: Values, places: Array, *, is_rounding: bool = False
) -> Difference:
    """The difference at one place: for scalars the place with the smallest inputs, for arrays the first place."""
    left, right = np.broadcast_arrays(values[one], values[other])
    place = tuple(int(coordinate) for coordinate in places[0])
    where = f" at {place}" if place else ""
    if places.shape[1] and all(leaf.op is Op.DEFINE_VAR for leaf in inputs) and not one.shape:
        point = min((int(row[0]) for row in places), key=lambda row: _size(inputs, row))
        inputs = {leaf: column[point : point + 1] for leaf, column in inputs.items()}
        place, where = (point,), ""
    results = left.item(place), right.item(place)
    names = {leaf: leaf.arg[0] if leaf.op is Op.DEFINE_VAR else f"input{leaf.arg[0]}" for leaf in inputs}
    shown = {names[leaf]: array.item() if array.size == 1 else array for leaf, array in inputs.items()}
    difference = f"{results[0]!r} is not {results[1]!r}{where}"
    text = "\n".join([difference, *(f"  {name} = {value!r}" for name, value in shown.items())])
    slots = {f"given{number}": leaf for number, leaf in enumerate(inputs)}
    code = comparison_script(f"Two graphs differ: {difference}.", one, other, slots, inputs)
    return Difference(shown, results, text, code, is_rounding)


def _size(inputs: Inputs, place: int) -> int:
    return sum(abs(int(column[place])) for column in inputs.values())
