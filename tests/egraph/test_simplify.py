"""What `simplify` makes of small expressions."""

import numpy as np
import pytest

import eqsat as eq
from eqsat.egraph.saturate import saturate
from eqsat.ops import Op
from eqsat.rules.library import INDEX_LIBRARY, LIBRARY
from eqsat.uop import UOp

A, B, C = (eq.variable(name, -1000, 1000) for name in "abc")
F, K = eq.variable("f", 0, 1000), eq.variable("i", 0, 100)
X, Y = eq.variable("x", 0, 55), eq.variable("y", 0, 2)
W, V = eq.variable("w", 0, 255, eq.uint8), eq.variable("v", 0, 255, eq.uint8)


def number(value: int) -> UOp:
    return UOp.const(eq.index, value)


EQUATIONS = {
    "like terms": (A * 33 + B * 2 + C * 5 - A * 33, B * 2 + C * 5),
    "the looser bound": ((A < 3) | (A < 5), A < 5),
    "the stricter bound": ((A < 3) & (A < 5), A < 3),
    "quotient and remainder": (B // 4 * 4 + B % 4, B),
    "quotient and remainder by eight": (F // 8 * 8 + F % 8, F),
    "quotient of a tile": ((K * 64 + 3) // 64, K),
    "remainder of a tile": ((K * 64 + 3) % 64, number(3)),
    "remainder of an overlap": ((X + Y * 59) % 58, X + Y),
    "coefficients modulo the divisor": ((F * 3 + K * 9 + X * 36) % 8, (F * 3 + K + X * 4) % 8),
    "one more than a multiple": ((K * 4 + 1) % 3, (K + 1) % 3),
    "a common factor remains": ((F * 2 + K * 6) % 4, (F + K) % 2 * 2),
    "remainder in a sum": ((A % 12 + B) % 4, (A + B) % 4),
    "remainders in a product": ((A % 4 * B + C % 8) % 4, (A * B + C) % 4),
    "square of a remainder": (A % 6 * (A % 6) % 3, A * A % 3),
    "mask in a masked sum": (((W & 15) + V * 3) & 7, (W + V * 3) & 7),
    "mask in a masked product": (((W & 7) * V) & 3, (W * V) & 3),
    "masks that leave too little": (((W & 3) + V) & 7, ((W & 3) + V) & 7),
    "the greater and the lesser": (A.maximum(B) + C + B.minimum(A), A + B + C),
    "the greater times the lesser": (A.maximum(B) * B.minimum(A), A * B),
    "the lesser below the greater": (A.minimum(B) < B.maximum(A), A.ne(B)),
    "multiples of sums": ((F + K * ((X + 1) * 64)) % 2, F % 2),
    "remainder by a sum": ((X + F * (K + 56) * 3) % (K + 56), X),
    "quotient by a sum": ((X + F * (K + 56)) // (K + 56), F),
    "quotient by a multiple of a sum": ((F + K * ((X + 1) * 64)) // ((X + 1) * 64), K + F // ((X + 1) * 64)),
    "product of a sum": (A * (B + C) - A * B - A * C, number(0)),
    "square of a sum": ((A + B) * (A + B) - A * A - A * B * 2, B * B),
    "sums cancel inside products": ((A + 1) * (B + 1) - A * B - A - B, number(1)),
    "wrapping products of sums": (W * (V + 1) - W * V, W),
    "maximum": (A.maximum(B).maximum(A).maximum(3).maximum(5), A.maximum(B).maximum(5)),
    "minimum": (A.minimum(B.minimum(A)), A.minimum(B)),
    "and": ((A < 3) & ((B < 2) & (A < 3)), (A < 3) & (B < 2)),
    "or": (((A < 3) | (B < 2)) | (A < 3), (A < 3) | (B < 2)),
    "extremes of bounds": (F.maximum(-5).minimum(2000), F),
    "xor with itself": (W.alu(Op.XOR, V).alu(Op.XOR, W), V),
    "mask of a mask": (W.alu(Op.AND, UOp.const(eq.uint8, 15)).alu(Op.AND, UOp.const(eq.uint8, 240)), UOp.const(eq.uint8, 0)),
    "never less": (F * 2 + 1 < F, UOp.const(eq.bool_, False)),
    "both branches alike": ((A < B).where(C, C), C),
}  # fmt: skip


@pytest.mark.parametrize("name", EQUATIONS)
def test_simplified(name: str) -> None:
    written, expected = EQUATIONS[name]
    found = eq.simplify(written)
    saturation = saturate([found, expected], INDEX_LIBRARY)
    assert found is expected or len(set(saturation.snapshot.root_classes.tolist())) == 1
    assert len(found.toposort()) <= len(expected.toposort())
    values = {"a": np.arange(-20, 20), "b": np.arange(40) * 7 % 23 - 11, "c": np.arange(40) ** 2, "f": np.arange(40) * 25,
              "i": np.arange(40), "x": np.arange(40), "y": np.arange(40) % 3, "w": np.arange(0, 240, 6, np.uint8),
              "v": np.arange(255, 215, -1, np.uint8)}  # fmt: skip
    assert np.array_equal(eq.evaluate(found, values), eq.evaluate(written, values))


def test_a_shorter_product_is_not_multiplied_out() -> None:
    assert eq.simplify(A * (B + C)) is A * (B + C)


def test_a_product_is_found_where_it_is_shorter() -> None:
    product = A * (B + C)
    assert eq.simplify((A * B + A * C).maximum(product - 1)) is product.maximum(-1 + product)


@pytest.mark.parametrize("dtype", [eq.uint8, eq.uint16, eq.uint32, eq.uint64, eq.int8, eq.int64], ids=str)
def test_negative_numbers_of_a_rule_wrap_in_unsigned_dtypes(dtype: eq.DType) -> None:
    """`n - (number that hold)` is written with -1, which was once a constant of dtypes that do not have it."""
    eye = eq.eye(2, 3, k=-3, dtype=dtype)
    saturation = saturate([eq.einsum("ij,ij->j", eye, eye).uop], LIBRARY)
    constants = [term for term in saturation.snapshot.terms if term.op is eq.Op.CONST and term.dtype == dtype]
    assert constants
    assert all(dtype.min <= term.arg <= dtype.max for term in constants)
