"""Python numbers whose values are known only when a program runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eqsat.array import Array
from eqsat.array.core import operand
from eqsat.array.nodes import arithmetic
from eqsat.array.nodes.operands import Operand, WeakNumber, cast
from eqsat.dtype import int64
from eqsat.uop import UOp

_OF_BITS = (arithmetic.bitwise_and, arithmetic.bitwise_or, arithmetic.bitwise_xor)


class PythonNumber(Array):
    """An array that stands for a Python number, and computes as Python does: ints in int64, floats in float64.

    Beside an array it is weak, as in NumPy 2 (NEP 50): only there does it take the array's dtype. So in `(s % 10) * h` with a
    counter `s` the remainder is one of int64, and the product has the dtype of the array `h`.
    """

    __slots__ = ()

    @property
    def _operand(self) -> Operand:
        return WeakNumber(self.uop)

    def _with(
        self, operation: Callable[[Operand, Operand], UOp], other: Any, reflected: bool = False
    ) -> Array:
        """Applies `operation`; the result is a Python number again if the other operand is one. Bools count as 0 and 1."""
        if not is_python_number(other):
            return super()._with(operation, other, reflected)
        left, right = (other, self) if reflected else (self, other)
        if operation not in _OF_BITS:
            left, right = _counted(left), _counted(right)
        return PythonNumber(operation(operand(left), operand(right)))

    def __neg__(self) -> PythonNumber:
        return PythonNumber(arithmetic.negative(_counted(self).uop))

    def __pos__(self) -> PythonNumber:
        return _counted(self)

    def __abs__(self) -> PythonNumber:
        return PythonNumber(arithmetic.absolute(_counted(self).uop))

    def __invert__(self) -> PythonNumber:
        return PythonNumber(arithmetic.invert(_counted(self).uop))


def is_python_number(value: Any) -> bool:
    """Whether a value is a Python number, known or not: a bool, an int or a float, and not a scalar of NumPy."""
    return isinstance(value, PythonNumber | bool | int | float) and not isinstance(value, np.generic)


def python_number(value: Any) -> Any:
    """A scalar that Python computes, such as the result of `in` or `any`, as a Python number."""
    return PythonNumber(value.uop) if isinstance(value, Array) else value


def _counted(value: Any) -> Any:
    """A bool as 0 or 1; other numbers as they are."""
    if isinstance(value, PythonNumber):
        return PythonNumber(cast(value.uop, int64)) if value.dtype.is_bool else value
    return int(value) if isinstance(value, bool) else value
