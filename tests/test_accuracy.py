"""Every elementary function is as accurate as promised, in every float dtype (`python -m benchmarks.accuracy` looks at more inputs)."""

from types import SimpleNamespace

import pytest

from benchmarks.accuracy import DTYPES, UNARY, limit_of, measure
from eqsat.ops import ELEMENTARY_BINARY


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("op", [*UNARY, *ELEMENTARY_BINARY], ids=lambda op: op.name)
def test_functions_are_within_their_limits(op, dtype, request):
    count = request.config.getoption("--accuracy")
    row = measure(
        op, dtype, SimpleNamespace(sample=count, draws=count, exhaustive=False, shard="1/1", state=None)
    )
    assert row["max_ulp"] <= limit_of(op), row
