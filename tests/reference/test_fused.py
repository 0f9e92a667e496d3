"""A fused multiply-add of doubles, in doubles, is the sum of fractions that is rounded once."""

from __future__ import annotations

import numpy as np
import pytest

from eqsat.reference import fused
from eqsat.reference.fused import multiply_add

COUNT = 20_000
RANDOM = np.random.default_rng(0)


def floats() -> np.ndarray:
    return RANDOM.normal(size=COUNT)


def scales(reach: int) -> np.ndarray:
    return 2.0 ** RANDOM.integers(-reach, reach, COUNT)


def integers(bits: int) -> np.ndarray:
    return RANDOM.integers(-(1 << bits), 1 << bits, COUNT).astype(float)


def any_bits() -> np.ndarray:
    return RANDOM.integers(0, 1 << 64, COUNT, np.uint64).view(np.float64)


A, B = floats(), floats()
OPERANDS = {
    "ordinary": (A, B, floats()),
    "any bits": (any_bits(), any_bits(), any_bits()),
    "products that the addend cancels": (A, B, -(A * B)),
    "products that it nearly cancels": (A, B, -(A * B) * (1 + RANDOM.integers(-3, 3, COUNT) * 2.0**-52)),
    "far apart": (A * scales(120), B * scales(120), floats() * scales(200)),
    "halfway between two doubles": (integers(27) * 2.0**26 + integers(20), integers(27) + 0.5, integers(50) * scales(60)),
    "halfway but for a bit": (1 + integers(3) * 2.0**-52, 1 + integers(3) * 2.0**-52, scales(110) * np.sign(A)),
    "subnormal": (A * 2.0**-500, B * 2.0**-400, A * B * 2.0**-900 * scales(100)),
    "nearly infinite": (A * 2.0**390, B * 2.0**390, -(A * B) * 2.0**780),
    "special": (A, np.float64(0.0), np.resize([0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324], COUNT)),
    "single": tuple(np.float64(value) for value in (1e300, 1e300, -1)),
}  # fmt: skip


@pytest.mark.parametrize("operands", OPERANDS.values(), ids=OPERANDS)
def test_doubles_are_rounded_once(operands: tuple[np.ndarray, ...]) -> None:
    with np.errstate(all="ignore"):
        exact = np.asarray(fused._EXACT(*operands), np.float64)
    found = multiply_add(*operands)
    assert found.shape == exact.shape
    same = (found.view(np.int64) == exact.view(np.int64)) | (np.isnan(found) & np.isnan(exact))
    assert same.all(), [operand[~same][:3] for operand in np.broadcast_arrays(*operands)]
