"""Arguments of jitted functions that are constants: each value has a program of its own."""

import copy
import struct
from types import ModuleType

import numpy as np
import pytest

import eqsat as eq
from eqsat.pipeline.functions.fingerprints import fingerprint
from tests.pipeline.counting import count_programs

X = np.array([1.0, 2.0, 3.0], np.float32)


@pytest.mark.parametrize("constants", [(0.0, -0.0), (1, True, 1.0), (1, 1 + 0j), ("1", 1)], ids=str)
@pytest.mark.parametrize(
    "wrap", [lambda c: c, lambda c: (c,), lambda c: ((2, c),)], ids=["bare", "in a tuple", "nested"]
)
def test_constants_are_told_apart_by_type_and_bits(constants, wrap):
    seen = []
    jitted = eq.jit(lambda x, c: seen.append(c) or x)
    for constant in (*constants, *constants):
        jitted(X, wrap(constant))
    assert [repr(each) for each in seen] == [repr(wrap(each)) for each in constants]


def test_modules_are_constants_and_are_asked_for_nothing():
    class Lazy(ModuleType):
        def __getattr__(self, name):
            raise AssertionError(f"asked for {name}")

    small, large = Lazy("small"), Lazy("large")
    small.factor, large.factor = 2.0, 3.0
    scaled = eq.jit(lambda module, x: x * module.factor)
    for module in (small, large, small, large):
        assert (scaled(module, X) == X * module.factor).all()
    assert count_programs(scaled) == 2


def test_zeros_of_both_signs_give_different_programs():
    scaled = eq.jit(lambda x, c: x * c)
    assert [np.signbit(scaled(X, c)).all() for c in (0.0, -0.0, 0.0)] == [False, True, False]


def test_nan_is_one_constant_for_each_payload():
    jitted = eq.jit(lambda x, c: x)
    for _ in range(3):
        jitted(X, float("nan"))
    assert count_programs(jitted) == 1
    assert fingerprint(float("nan")) != fingerprint(
        struct.unpack("<d", struct.pack("<Q", 0x7FF8000000000001))[0]
    )


CONSTANTS = {
    "numbers": ([1.0, 2.0], [1.0, 3.0], lambda c: c[0] + 2 * c[1]),
    "numbers of another type": ([1, 0], [True, 0], lambda c: 2 if c[0] is True else 3),
    "a dict": ({"a": 1}, {"a": 2}, lambda c: c["a"]),
    "keys of a dict": ({"a": 1}, {"b": 1}, lambda c: 1 if "a" in c else 2),
    "a set": ({1, 2}, {1, 3}, sum),
    "nested ones": ([{"a": (1, [2])}], [{"a": (1, [3])}], lambda c: c[0]["a"][1][0]),
    "none": ([], {}, lambda c: 1 if c == [] else 2),
    "texts": (["mean"], ["sum"], lambda c: len(c[0])),
}


INSIDE = {
    "bare": (lambda c: c, lambda given: given),
    "in a list": (lambda c: [X, c], lambda given: given[1]),
    "in a dict": (lambda c: {"x": (X, c)}, lambda given: given["x"][1]),
}


@pytest.mark.parametrize(("wrap", "inside"), INSIDE.values(), ids=INSIDE)
@pytest.mark.parametrize(("one", "other", "number"), CONSTANTS.values(), ids=CONSTANTS)
def test_containers_of_constants_are_constants_by_value(one, other, number, wrap, inside):
    jitted = eq.jit(lambda x, given: x * number(inside(given)))
    for _ in range(6):
        for constant in (one, other):
            for _ in range(2):
                given = wrap(copy.deepcopy(constant))
                np.testing.assert_array_equal(jitted(X, given), X * number(constant))
    assert count_programs(jitted) == 2


def test_a_list_that_changes_is_another_constant():
    given, jitted = [2.0], eq.jit(lambda x, c: x * c[0])
    for number in (2.0, 3.0):
        given[0] = number
        for _ in range(12):
            assert jitted(X, given)[0] == number
