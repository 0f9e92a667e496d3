"""Every elementary function is as accurate as promised, in every float dtype (`python -m benchmarks.accuracy` looks at more inputs)."""

from argparse import ArgumentTypeError
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks import accuracy
from benchmarks.accuracy import DTYPES, UNARY, StateError, finished, limit_of, measure, shard_of, units_off
from eqsat.dtype import DType, bfloat16, float16, float32
from eqsat.ops import ELEMENTARY_BINARY, Op


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("op", [*UNARY, *ELEMENTARY_BINARY], ids=lambda op: op.name)
def test_functions_are_within_their_limits(op: Op, dtype: DType, request: pytest.FixtureRequest):
    count = int(request.config.getoption("--accuracy") or 0)
    row = measure(
        op,
        dtype,
        SimpleNamespace(
            sample=count, draws=count, exhaustive=False, shard=(1, 1), state=None, function_error=None
        ),
    )
    assert row is not None
    assert row["max_ulp"] <= limit_of(op), row


def test_units_are_counted_alike_by_bits_and_by_exponents():
    """Of results that are right, a little off, and special where they should not be, or not special where they should."""
    draw = np.random.default_rng(0)
    special = [
        np.nan,
        np.inf,
        0.0,
        3.4e38,
        3.4028236e38,
        1e39,
        1e-45,
        1e-50,
        1.1754944e-38,
        65519.0,
        65520.0,
        1.0,
    ]
    pairs = np.meshgrid([*special, *(-each for each in special)], [*special, *(-each for each in special)])
    bits = draw.integers(0, 1 << 32, 10_000, np.uint32).view(np.float32)
    with np.errstate(all="ignore"):
        close = bits.astype(np.float64) * (1 + draw.standard_normal(bits.size) * 1e-7)
        result = np.concatenate([pairs[0].ravel().astype(np.float32), bits])
        exact = np.concatenate([pairs[1].ravel(), close])
        for dtype in (float16, bfloat16, float32):
            held = result.astype(np.float16) if dtype == float16 else result
            by_exponents = units_off(held, exact.astype(np.longdouble), dtype)
            np.testing.assert_array_equal(units_off(held, exact, dtype), by_exponents)


def test_a_result_beside_an_exact_zero_is_many_units_off():
    assert units_off(np.array([1e-40], np.float32), np.zeros(1), float32)[0] > 1e4


def test_a_killed_run_goes_on_and_damage_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(accuracy, "CHUNK", accuracy.SMALL)
    state = tmp_path / "state"
    asked = SimpleNamespace(
        sample=accuracy.SMALL * 4, draws=0, exhaustive=False, shard=(1, 2), state=state, function_error=None
    )
    half = measure(Op.SQRT, float32, asked)
    state.write_bytes(state.read_bytes() + b'1234abcd {"key": "SQ')
    asked.shard = (2, 2)
    whole = measure(Op.SQRT, float32, asked)
    assert half is not None
    assert whole is not None
    assert (half["inputs"], whole["inputs"]) == (accuracy.SMALL * 2, accuracy.SMALL * 4)
    assert len(finished(state)) == state.read_bytes().count(b"\n") == 4
    state.write_bytes(state.read_bytes().replace(b'"inputs": 65536', b'"inputs": 65537', 1))
    with pytest.raises(StateError, match=r"line 1 of .*state is damaged: delete it"):
        measure(Op.SQRT, float32, asked)


@pytest.mark.parametrize("text", ["0/8", "9/8", "8", "1/x"])
def test_shards_are_numbered_from_one(text: str):
    with pytest.raises(ArgumentTypeError, match="is not k/n"):
        shard_of(text)
