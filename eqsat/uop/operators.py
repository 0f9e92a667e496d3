"""Python's operators, such as `+`, as operations of the table."""

from __future__ import annotations

from abc import abstractmethod
from typing import Self

from eqsat.dtype import DType, PtrDType
from eqsat.ops import Op

Number = bool | int | float


class Operators:
    """Mixin that gives a class Python's operators. The class defines `alu`, which applies an operation, and `like`, which makes constants."""

    __slots__ = ()
    dtype: DType | PtrDType

    @abstractmethod
    def alu(self, op: Op, *others: Self) -> Self:
        """Applies `op` to this value and others."""
        ...

    @abstractmethod
    def like(self, value: Self | Number) -> Self:
        """Turns a number into a constant of this dtype and shape. Another value is returned as it is."""
        ...

    def __add__(self, other: Self | Number) -> Self:
        return self.alu(Op.ADD, self.like(other))

    def __radd__(self, other: Number) -> Self:
        return self.like(other).alu(Op.ADD, self)

    def __mul__(self, other: Self | Number) -> Self:
        return self.alu(Op.MUL, self.like(other))

    def __rmul__(self, other: Number) -> Self:
        return self.like(other).alu(Op.MUL, self)

    def __neg__(self) -> Self:
        return self * -1 if self._has_minus_one else self.alu(Op.NEG)

    def __sub__(self, other: Self | Number) -> Self:
        other = self.like(other)
        return self + other * -1 if self._has_minus_one else self.alu(Op.SUB, other)

    @property
    def _has_minus_one(self) -> bool:
        """Whether the dtype can hold -1: signed integers and indices, where `a - b` is written as `a + b * -1`."""
        return self.dtype.scalar.kind in "ix"

    def __rsub__(self, other: Number) -> Self:
        return self.like(other) - self

    def __truediv__(self, other: Self | Number) -> Self:
        return self.alu(Op.FDIV, self.like(other))

    def __floordiv__(self, other: Self | Number) -> Self:
        return self.alu(Op.FLOORDIV, self.like(other))

    def __mod__(self, other: Self | Number) -> Self:
        return self.alu(Op.FLOORMOD, self.like(other))

    def __and__(self, other: Self | Number) -> Self:
        return self.alu(Op.AND, self.like(other))

    def __or__(self, other: Self | Number) -> Self:
        return self.alu(Op.OR, self.like(other))

    def __xor__(self, other: Self | Number) -> Self:
        return self.alu(Op.XOR, self.like(other))

    def __lshift__(self, other: Self | Number) -> Self:
        return self.alu(Op.SHL, self.like(other))

    def __rshift__(self, other: Self | Number) -> Self:
        return self.alu(Op.SHR, self.like(other))

    def __lt__(self, other: Self | Number) -> Self:
        return self.alu(Op.CMPLT, self.like(other))

    def __gt__(self, other: Self | Number) -> Self:
        return self.like(other).alu(Op.CMPLT, self)

    def __ge__(self, other: Self | Number) -> Self:
        return (self < other).logical_not()

    def __le__(self, other: Self | Number) -> Self:
        return (self > other).logical_not()

    def ne(self, other: Self | Number) -> Self:
        """Whether the values differ (`!=` compares identity)."""
        return self.alu(Op.CMPNE, self.like(other))

    def eq(self, other: Self | Number) -> Self:
        """Whether the values are equal (`==` compares identity)."""
        return self.ne(other).logical_not()

    def logical_not(self) -> Self:
        """The opposite of a bool."""
        return self.alu(Op.CMPNE, self.like(True))

    def maximum(self, other: Self | Number) -> Self:
        """The greater value; NaN if either value is NaN. For `0.0` and `-0.0` the result may be either."""
        return self.alu(Op.MAX, self.like(other))

    def minimum(self, other: Self | Number) -> Self:
        """The lesser value; NaN if either value is NaN. For `0.0` and `-0.0` the result may be either."""
        return self.alu(Op.MIN, self.like(other))
