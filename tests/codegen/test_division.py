"""Floor division by constants is C's own wherever bounds say that nothing negative is divided, and flooring elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat as eq

DIVISORS = {7: (7, 255), 131: (3, 10, 1000)}  # of elements in single lanes, and in vectors as well
Terms = Callable[[Any, Any], Any]

# Of two arrays of the narrow dtype that were converted to the wide one; whether results can be negative.
CASES: list[tuple[str, str, Terms, bool]] = [
    ("uint8", "int32", lambda a, b: a * b + 127, False),
    ("uint8", "int32", lambda a, b: a * (255 - a) + b * a, False),
    ("uint8", "int32", lambda a, b: a - b, True),
    ("uint8", "int16", lambda a, b: a + b, False),
    ("uint8", "int16", lambda a, b: a * b, True),  # wraps
    ("uint16", "int32", lambda a, b: a * b, True),  # wraps
    ("uint16", "int64", lambda a, b: a * b, False),
    ("int8", "int32", lambda a, b: a * b, True),
    ("int8", "int32", lambda a, b: (a + 128) * 3 + (b & 7), False),
    ("uint32", "int64", lambda a, b: a + b, False),
    ("uint32", "int32", lambda a, b: a, True),  # the upper half becomes negative
]


def _array(name: str, size: int, chance: np.random.Generator) -> np.ndarray:
    ends = np.iinfo(name)
    drawn = chance.integers(ends.min, ends.max, size, np.dtype(name).type, endpoint=True)
    drawn[: size // 4] = ends.max
    return drawn


@pytest.mark.parametrize("number", range(len(CASES)))
@pytest.mark.parametrize("size", DIVISORS)
def test_quotients_and_remainders_are_those_of_numpy(number: int, size: int) -> None:
    narrow, wide, terms, _ = CASES[number]
    chance = np.random.default_rng(number)
    a, b = _array(narrow, size, chance), _array(narrow, size, chance)

    def program(xp: Any, a: Any, b: Any) -> list[Any]:
        value = terms(xp.astype(a, getattr(xp, wide)), xp.astype(b, getattr(xp, wide)))
        return [
            each
            for divisor in DIVISORS[size]
            if wide != "int16" or divisor < 255
            for each in (value // divisor, value % divisor)
        ]

    found = eq.jit(program)(eq, a, b)
    for one, other in zip(found, program(_Numpy, a, b), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("number", range(len(CASES)))
def test_only_what_may_be_negative_is_floored(number: int) -> None:
    narrow, wide, terms, negative = CASES[number]
    spec = eq.spec((96,), getattr(eq, narrow))
    program = eq.compile(
        eq.trace(
            lambda a, b: terms(a.astype(getattr(eq, wide)), b.astype(getattr(eq, wide))) // 7, spec, spec
        )
    )
    assert ("floor_divide" in program.kernels[0].source) == negative


class _Numpy:
    int16, int32, int64 = np.int16, np.int32, np.int64

    @staticmethod
    def astype(array: np.ndarray, dtype: Any) -> np.ndarray:
        return array.astype(dtype)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32])
def test_vectors_of_integers_are_divided_exactly(dtype: Any) -> None:
    """By floats that have more bits: also at both ends, and just below whole quotients."""
    draw, limits = np.random.default_rng(0), np.iinfo(dtype)
    b = draw.integers(1, min(limits.max, 3000), 4096).astype(dtype)
    near = draw.integers(0, limits.max, 4096, dtype, endpoint=True) // b * b - np.tile([1, 0], 2048).astype(
        dtype
    )
    far = np.tile(np.array([limits.min, limits.max], dtype), 2048)
    for a in (near, far):
        quotients, rests = eq.jit(lambda a, b: (a // b, a % b))(a, b)
        np.testing.assert_array_equal(quotients, a // b)
        np.testing.assert_array_equal(rests, a % b)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_quotients_by_constants_are_exact(dtype: Any) -> None:
    """At both ends of the dtype, around 0, and around multiples of each divisor, in lanes and in the elements that are left over."""
    ends = np.iinfo(dtype)
    divisors = [
        3,
        7,
        10,
        100,
        127,
        *(each for each in (641, 30_000, ends.max // 3, ends.max) if each <= ends.max),
    ]

    def program(a: Any) -> list[Any]:
        return [each for divisor in divisors for each in (a // divisor, a % divisor)]

    around = [ends.min, -1, 0, ends.max, *divisors, *(-divisor for divisor in divisors)]
    near = [value + step for value in around for step in (-1, 0, 1) if ends.min <= value + step <= ends.max]
    drawn = np.random.default_rng(0).integers(ends.min, ends.max, 211, dtype, endpoint=True)
    a = np.concatenate([np.array(near, dtype), drawn])
    for found, expected in zip(eq.jit(program)(a), program(a), strict=True):
        np.testing.assert_array_equal(found, expected)
