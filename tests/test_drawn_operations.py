"""The tables of drawn operations hold every public array function, and what they draw can be carried out."""

from __future__ import annotations

import random

import numpy as np
import pytest

import eqsat.array as xp
from tests.drawn_arrays.operations import KINDS, WEIGHTS, Choice
from tests.drawn_arrays.oracle import Value
from tests.drawn_arrays.values import DTYPES, draw_values

NOT_DRAWN = {
    "Array": "a class; its operators are drawn",
    "corrcoef": "a quotient of sums, far off where rows are nearly constant (`tests/array/test_statistics.py`)",
    "cov": "a sum of products of differences (`tests/array/test_statistics.py`)",
    "cross": "differences of products (`tests/array/test_vectors.py`)",
    "histogram": "edges that are a rounding off move elements to other bins (`tests/array/test_statistics.py`)",
    "interp": "takes points that ascend (`tests/array/test_signals.py`)",
    "nanstd": "as `std`, of the elements left (`tests/array/test_nans.py`)",
    "nanvar": "as `var`, of the elements left (`tests/array/test_nans.py`)",
    "trapezoid": "as a sum of products (`tests/array/test_signals.py`)",
    "vector_norm": "as a sum of powers (`tests/array/test_vectors.py`)",
    "average": "a quotient of sums (`tests/array/test_statistics.py`)",
    "asarray": "in every program: inputs, positions and results",
    "call_custom": "calls a registered function (`tests/array/test_custom.py`)",
    "custom_function": "registers a function (`tests/array/test_custom.py`)",
    "empty": "its elements are not said",
    "empty_like": "its elements are not said",
    "from_dlpack": "takes another library's array (`tests/array/test_core.py`)",
    "placeholder": "has no value",
    "random": "a module, drawn by its own tests (`tests/array/test_random.py`)",
    "shard": "on several devices (`tests.distribution`)",
    "to_device": "on several devices (`tests.distribution`)",
    "result_type": "gives a dtype, which every drawn program checks",
}
CONSTANTS = {"e", "inf", "nan", "newaxis", "pi"}
OPERATIONS = [operation for table in KINDS.values() for operation in table]
ATTEMPTS = 100


def test_every_public_function_is_drawn_or_named_with_a_reason():
    drawn = {operation.name for operation in OPERATIONS}
    assert set(xp.__all__) - CONSTANTS - NOT_DRAWN.keys() <= drawn
    assert not drawn & NOT_DRAWN.keys()


def test_kinds_have_weights():
    assert KINDS.keys() == WEIGHTS.keys()


@pytest.fixture(scope="module")
def values() -> list[Value]:
    generator = np.random.default_rng(0)
    shapes = [(), (1,), (3,), (5,), (2, 3), (3, 3), (2, 2, 4), (2, 2, 3, 4), (2, 2, 2, 3, 2)]
    return [
        Value(draw_values(generator, shape, dtype), dtype) for dtype in DTYPES for shape in (*shapes, (0, 3))
    ]


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_operation_is_drawn_by_its_name(operation, values):
    choice = Choice(random.Random(operation.name), values)
    texts = [drawn.text for _ in range(ATTEMPTS) if (drawn := operation.draw(choice)) is not None]
    assert texts
    if hasattr(xp, operation.name):
        assert all(f"xp.{operation.name}(" in text for text in texts)
