"""Programs of Python functions compute what the functions compute."""

import numpy as np
import pytest

from eqsat.autobatch import batch
from eqsat.autobatch.ir.verify import verify
from tests.autobatch.frontend.members import assert_same_for_each_member
from tests.autobatch.frontend.outsiders import CASES
from tests.autobatch.frontend.programs import PROGRAMS


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_computes_what_python_computes(name):
    function, inputs = PROGRAMS[name]
    with np.errstate(all="ignore"):
        assert_same_for_each_member(function, inputs)


@batch
def scaled(n, *, factor=1.5, least=0):
    return max(n * factor, least)


@batch
def scaled_twice(n):
    return scaled(n, least=2) + scaled(n, factor=2.0)


def test_parameters_by_name_alone():
    n = np.array([1, 2, 4])
    np.testing.assert_array_equal(scaled(n), [1.5, 3, 6])
    np.testing.assert_array_equal(scaled(n, factor=2.0, least=3), [3, 4, 8])
    np.testing.assert_array_equal(scaled_twice(n), [4, 7, 14])


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_are_well_formed_and_printed_alike_each_time(name):
    function, inputs = PROGRAMS[name]
    program = function.program(*inputs)
    verify(program)
    assert str(program) == str(type(function)(function.source.function).program(*inputs))


@pytest.mark.parametrize(
    ("function", "inputs"),
    CASES,
    ids=[f"{number}_{case[0].source.name}" for number, case in enumerate(CASES)],
)
def test_what_outsiders_write_computes_what_python_computes(function, inputs):
    """On the device by `python -m tests.autobatch.frontend.outsiders`."""
    with np.errstate(all="ignore"):
        assert_same_for_each_member(function, inputs)
