"""What programs of papers and textbooks compute by kernels and by Python, member by member."""

import pytest

from tests.autobatch.agreement import differences
from tests.autobatch.frontend.literature import cases
from tests.autobatch.frontend.members import assert_same_for_each_member
from tests.autobatch.test_groups import program_of

CASES = cases()


@pytest.mark.parametrize(("function", "inputs"), CASES, ids=[function.source.name for function, _ in CASES])
def test_programs_of_the_literature(function, inputs):
    assert_same_for_each_member(function, inputs)
    program = program_of(function, inputs)
    assert not differences(program, function.inputs(*inputs), ["opencl"])
    assert all(
        not differences(program, [each[:count] for each in function.inputs(*inputs)], ["opencl"])
        for count in (0, 1)
    )
