"""Python's binary operators, each mapped to a function of UOps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Self

from eqsat.array.interoperation import product_of_matrices
from eqsat.array.nodes import arithmetic
from eqsat.array.nodes.operands import Operand
from eqsat.errors import DTypeError
from eqsat.uop import UOp


class Operators(ABC):
    """Python's binary operators for a class whose `_with` method applies a function of UOps to itself and another operand."""

    __slots__ = ()
    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __add__(self, other: Any) -> Self:
        return self._with(arithmetic.add, other)

    def __radd__(self, other: Any) -> Self:
        return self._with(arithmetic.add, other, reflected=True)

    def __sub__(self, other: Any) -> Self:
        return self._with(arithmetic.subtract, other)

    def __rsub__(self, other: Any) -> Self:
        return self._with(arithmetic.subtract, other, reflected=True)

    def __mul__(self, other: Any) -> Self:
        return self._with(arithmetic.multiply, other)

    def __rmul__(self, other: Any) -> Self:
        return self._with(arithmetic.multiply, other, reflected=True)

    def __truediv__(self, other: Any) -> Self:
        return self._with(arithmetic.divide, other)

    def __rtruediv__(self, other: Any) -> Self:
        return self._with(arithmetic.divide, other, reflected=True)

    def __floordiv__(self, other: Any) -> Self:
        return self._with(arithmetic.floor_divide, other)

    def __rfloordiv__(self, other: Any) -> Self:
        return self._with(arithmetic.floor_divide, other, reflected=True)

    def __mod__(self, other: Any) -> Self:
        return self._with(arithmetic.remainder, other)

    def __rmod__(self, other: Any) -> Self:
        return self._with(arithmetic.remainder, other, reflected=True)

    def __divmod__(self, other: Any) -> tuple[Self, Self]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Self, Self]:
        return other // self, other % self

    def __pow__(self, other: Any) -> Self:
        return self._with(arithmetic.power, other)

    def __rpow__(self, other: Any) -> Self:
        return self._with(arithmetic.power, other, reflected=True)

    def __matmul__(self, other: Any) -> Self:
        return self._with(product_of_matrices, other)

    def __rmatmul__(self, other: Any) -> Self:
        return self._with(product_of_matrices, other, reflected=True)

    def __and__(self, other: Any) -> Self:
        return self._with(arithmetic.bitwise_and, other)

    def __rand__(self, other: Any) -> Self:
        return self._with(arithmetic.bitwise_and, other, reflected=True)

    def __or__(self, other: Any) -> Self:
        return self._with(arithmetic.bitwise_or, other)

    def __ror__(self, other: Any) -> Self:
        return self._with(arithmetic.bitwise_or, other, reflected=True)

    def __xor__(self, other: Any) -> Self:
        return self._with(arithmetic.bitwise_xor, other)

    def __rxor__(self, other: Any) -> Self:
        return self._with(arithmetic.bitwise_xor, other, reflected=True)

    def __lshift__(self, other: Any) -> Self:
        return self._with(arithmetic.shift_left, other)

    def __rlshift__(self, other: Any) -> Self:
        return self._with(arithmetic.shift_left, other, reflected=True)

    def __rshift__(self, other: Any) -> Self:
        return self._with(arithmetic.shift_right, other)

    def __rrshift__(self, other: Any) -> Self:
        return self._with(arithmetic.shift_right, other, reflected=True)

    def __lt__(self, other: Any) -> Self:
        return self._with(arithmetic.less, other)

    def __le__(self, other: Any) -> Self:
        return self._with(arithmetic.less_equal, other)

    def __gt__(self, other: Any) -> Self:
        return self._with(arithmetic.greater, other)

    def __ge__(self, other: Any) -> Self:
        return self._with(arithmetic.greater_equal, other)

    def __eq__(self, other: Any) -> Self:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._with(arithmetic.equal, _comparable(other))

    def __ne__(self, other: Any) -> Self:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._with(arithmetic.not_equal, _comparable(other))

    @abstractmethod
    def _with(
        self, operation: Callable[[Operand, Operand], UOp], other: Any, reflected: bool = False
    ) -> Self:
        """Applies the operation to this operand and another one, in reverse order if `reflected`."""


def _comparable(other: Any) -> Any:
    """Refuses operands that Python would call unequal without comparing elements, such as strings; returns all others."""
    if isinstance(other, str | bytes | set | frozenset | dict):
        raise DTypeError(
            f"cannot compare an array with {type(other).__name__}; compare it with numbers or arrays of numbers"  # pyright: ignore[reportUnknownArgumentType]
        )
    return other
