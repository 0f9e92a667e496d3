"""Integers whose values are not known while a function is traced.

Python operations that need the value raise an error, whose message says what to write instead.
"""

from __future__ import annotations

from numbers import Number
from typing import TYPE_CHECKING, Any, NoReturn

from eqsat.errors import BuildError, brief

# Type checkers see an extent as an integer, like all extents of shapes. At run time it is not a subclass of int: `range(extent)` would then use
# a value that the extent does not have.
_Integer = int if TYPE_CHECKING else object

_OF_INTEGERS = {name for name in dir(int) if not name.startswith("_")}


class Unknown(_Integer):
    """An integer without a value. It has no attributes of integers, and only the operators that a subclass defines."""

    def __index__(self) -> NoReturn:
        raise BuildError(
            f"the extent {self!r} has no value while a function is traced, so that Python can neither count to it, as range({self!r}) would, nor use "
            f"it as a position; write what is done for each element as functions of the whole axis (eqsat.sum, eqsat.cumulative_sum, "
            f"eqsat.arange({self!r})), or make an array of it by eqsat.asarray(x.shape[axis])"
        )

    def _no_number(self, *others: Any, **options: Any) -> NoReturn:
        raise BuildError(
            f"the extent {self!r} has no value while a function is traced; divide an array by it, "
            f"or make an array of it by eqsat.asarray(x.shape[axis])"
        )

    def _with_arrays(self, *others: Any) -> Any:
        """The result of an operator whose other operand is neither an extent nor an integer.

        Numbers and other builtin objects raise an error. For anything else it is NotImplemented, because arrays define operators with extents.
        """
        for other in others:
            if isinstance(other, Number) and not hasattr(other, "shape"):
                self._no_number()
            if type(other).__module__ == "builtins":
                raise BuildError(
                    f"cannot compute with the extent {self!r} and {brief(other)}; use integers, extents and arrays"
                )
        return NotImplemented

    def __getattr__(self, name: str) -> NoReturn:
        if name in _OF_INTEGERS:
            self._no_number()
        raise AttributeError(f"an extent has no attribute {name!r}")

    __int__ = __float__ = __complex__ = __neg__ = __abs__ = __invert__ = __round__ = _no_number
    __trunc__ = __floor__ = __ceil__ = __array__ = __array_ufunc__ = _no_number
    __matmul__ = __rmatmul__ = _with_arrays
    __truediv__ = __rtruediv__ = __rfloordiv__ = __rmod__ = __pow__ = __rpow__ = _with_arrays  # pyright: ignore[reportAssignmentType]
    __divmod__ = __rdivmod__ = __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = _with_arrays  # pyright: ignore[reportAssignmentType]
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _with_arrays  # pyright: ignore[reportAssignmentType]
