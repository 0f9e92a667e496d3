"""`Array`: a lazy, immutable array of any number of axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn, SupportsIndex, TypeGuard

import numpy as np
from numpy.typing import DTypeLike, NDArray

from eqsat.array.checking import array_function
from eqsat.array.data import hold, host_copy, is_host
from eqsat.array.interoperation import OPERATOR_OF, equivalent, refuse
from eqsat.array.nodes import arithmetic
from eqsat.array.nodes.axes import Axes, infer_extent, normalize_axes
from eqsat.array.nodes.folds import extreme, mean, total
from eqsat.array.nodes.operands import Operand, cast, common_dtype, convert, dtype_of, shape_of
from eqsat.array.nodes.subscripts import Subscript, subscript
from eqsat.array.nodes.views import insert_axis, shape
from eqsat.array.operators import Operators
from eqsat.array.realize import evaluate
from eqsat.dtype import DType, bfloat16, from_numpy, index, int64
from eqsat.errors import BuildError, DTypeError, IndexingError, ShapeError, UnknownValueError, brief
from eqsat.extents import Extent
from eqsat.ops import Op
from eqsat.shape import Shape
from eqsat.uop import UOp, join

__all__ = [
    "Array",
    "asarray",
]

Dtype = DType | DTypeLike
_DLPACK_HOST = (1, 0)


class Array(Operators):
    """A lazy, immutable array: a graph of operations, and the shape and dtype of its result.

    Operators and array functions extend the graph and compute nothing. `numpy()`, conversion to a Python
    number and NumPy's `asarray` compute the result. Operators follow NumPy's broadcasting and type promotion.
    A Python number is weak (NEP 50): it takes the dtype of the array it meets.

    >>> import eqsat.array as xp
    >>> (xp.arange(3) * 2 + xp.ones((2, 1))).shape
    (2, 3)
    """

    __slots__ = ("uop",)
    __hash__ = None  # pyright: ignore[reportAssignmentType]
    uop: UOp

    def __init__(self, uop: UOp) -> None:
        if not isinstance(uop, UOp):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise BuildError(f"an Array holds a UOp, not {brief(uop)}; eqsat.asarray makes one of data")
        if uop.shape is None:
            raise BuildError(f"{uop!r} has no value; an Array holds a node with a shape")
        self.uop = uop

    def __repr__(self) -> str:
        return f"Array(shape={self.shape}, dtype={self.dtype})"

    # properties

    @property
    def shape(self) -> Shape:
        """The number of elements along each axis."""
        return shape(self.uop)

    @property
    def dtype(self) -> DType:
        """The type of one element."""
        return dtype_of(self.uop)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """The size of the result in bytes."""
        return self.size * self.dtype.itemsize

    @property
    def T(self) -> Array:  # noqa: N802
        """The array with the order of its axes reversed."""
        return Array(self.uop.permute(range(self.ndim)[::-1]))

    @property
    def mT(self) -> Array:  # noqa: N802
        """The array with its last two axes exchanged.

        Raises:
            ShapeError: the array has fewer than two axes.
        """
        if self.ndim < 2:
            raise ShapeError(
                f"cannot transpose a matrix of shape {self.shape}; it needs two axes, add one by x[None]"
            )
        return Array(self.uop.permute((*range(self.ndim - 2), self.ndim - 1, self.ndim - 2)))

    # computing

    def numpy(self) -> NDArray[Any]:
        """Computes the array and returns it as a new NumPy array, which the caller may change; bfloat16, which NumPy lacks, becomes float32.

        Raises:
            UnknownValueError: the array depends on a placeholder, as in a function that is being traced.
            MemoryExhaustedError: there is no memory for it.
        """
        return evaluate([self.uop])[0]

    def item(self) -> bool | int | float:
        """Computes an array of one element and returns that element as a Python number.

        Raises:
            ShapeError: the array has no element, or more than one.
        """
        if self.size != 1:
            raise ShapeError(
                f"an array of shape {self.shape} is not one number; reduce it, or select an element"
            )
        return self.numpy().item()

    def tolist(self) -> Any:
        """Computes the array and returns it as nested lists of Python numbers; as a Python number if it has no axes."""
        return self.numpy().tolist()

    def __format__(self, spec: str) -> str:
        """The text of an array of one element by the rules of Python numbers; with an empty `spec`, the repr, which computes nothing.

        Raises:
            ShapeError: `spec` is not empty, and the array has no element, or more than one.
        """
        return format(self.item(), spec) if spec else repr(self)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        # What `numpy` returns is a copy already
        return np.array(self.numpy(), dtype=dtype, copy=False if copy is False else None)

    def __dlpack__(self, **options: Any) -> Any:
        """Computes the array and returns it as a DLPack capsule of the host; the options are those of NumPy's arrays."""
        return self.numpy().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """DLPack's kind and number of the device that has the data of `__dlpack__`: the host."""
        return _DLPACK_HOST

    def __bool__(self) -> bool:
        return bool(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __index__(self) -> int:
        if not self.dtype.is_int or self.ndim:
            raise DTypeError(
                f"{self!r} is not one integer, so it cannot count or index; use take for arrays of positions"
            )
        return int(self.item())

    def __len__(self) -> int:
        if not self.shape:
            raise ShapeError("an array without axes has no length; its only element is x.item()")
        if isinstance(self.shape[0], Extent):
            raise ShapeError(
                f"the length of an array of shape {self.shape} is known when the program is called; use x.shape[0] in eqsat's functions"
            )
        return self.shape[0]

    def __iter__(self) -> Iterator[Array]:
        return (self[position] for position in range(len(self)))

    # shape and dtype

    def __getitem__(self, key: Any) -> Array:
        items: tuple[Any, ...] = (*key,) if isinstance(key, tuple) else (key,)  # pyright: ignore[reportUnknownVariableType]
        try:
            return Array(subscript(self.uop, [_subscript(item) for item in items]))
        except UnknownValueError as error:
            raise UnknownValueError(
                f"the bounds of slices have to be known while a function is traced, and {brief(key)} has an array that is not; take as many "
                f"elements from a place on by take(x, place + arange(count)), or choose by where(arange(n) < bound, x, 0)"
            ) from error

    def __getattr__(self, name: str) -> NoReturn:
        """Raises an error that names the eqsat function to use in place of a method of NumPy's arrays."""
        function = equivalent(name)
        hint = "" if function is None else f"; use eqsat.{function}(x, …)"
        raise AttributeError(f"'Array' object has no attribute {name!r}{hint}", name=name, obj=self)

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        raise BuildError(
            "an eqsat Array cannot be changed in place; make another one, by where(condition, new, old) for instance"
        )

    def astype(self, dtype: Dtype, /) -> Array:
        """The array converted to another dtype; see `eqsat.astype`."""
        return Array(cast(self.uop, as_dtype(dtype)))

    @array_function
    def reshape(self, *extents: Any) -> Array:
        """The same elements, in row-major order, in another shape; an extent of -1 is inferred.

        Raises:
            ShapeError: the new shape has another number of elements, or more than one extent is -1.
        """
        wanted: Any = extents[0] if len(extents) == 1 else extents
        return Array(self.uop.reshape(infer_extent(self.shape, wanted)))

    @array_function
    def sum(self, axis: Axes = None, keepdims: bool = False) -> Array:
        """The sum over the named axes, by default over all; see `eqsat.sum`."""
        return Array(total(self.uop, normalize_axes(axis, self.ndim, "sum over"), keepdims))

    @array_function
    def mean(self, axis: Axes = None, keepdims: bool = False) -> Array:
        """The mean over the named axes, by default over all; see `eqsat.mean`."""
        return Array(mean(self.uop, normalize_axes(axis, self.ndim, "average over"), keepdims))

    @array_function
    def max(self, axis: Axes = None, keepdims: bool = False) -> Array:
        """The greatest element over the named axes, by default over all; see `eqsat.max`."""
        return Array(
            extreme(Op.MAX, self.uop, normalize_axes(axis, self.ndim, "take the maximum over"), keepdims)
        )

    @array_function
    def min(self, axis: Axes = None, keepdims: bool = False) -> Array:
        """The least element over the named axes, by default over all; see `eqsat.min`."""
        return Array(
            extreme(Op.MIN, self.uop, normalize_axes(axis, self.ndim, "take the minimum over"), keepdims)
        )

    # operators

    @property
    def _operand(self) -> Operand:
        """What stands for the array in operations."""
        return self.uop

    def __neg__(self) -> Array:
        return Array(arithmetic.negative(self.uop))

    def __pos__(self) -> Array:
        return self

    def __abs__(self) -> Array:
        return Array(arithmetic.absolute(self.uop))

    def __invert__(self) -> Array:
        return Array(arithmetic.invert(self.uop))

    def _with(
        self, operation: Callable[[Operand, Operand], UOp], other: Any, reflected: bool = False
    ) -> Array:
        """Applies `operation` to this array and another operand: an array, a number or a sequence of numbers, as in NumPy.

        Returns NotImplemented for any other operand. Python then raises a TypeError, or answers False to `== None`.
        """
        if other is None or not (
            isinstance(other, Array | bool | int | float | complex | Extent | list | tuple) or is_host(other)
        ):
            return NotImplemented
        operand_of_other = operand(other)  # pyright: ignore[reportUnknownArgumentType, reportArgumentType]
        own = self._operand
        return Array(operation(operand_of_other, own) if reflected else operation(own, operand_of_other))

    # NumPy's protocols

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """Implements binary operators with a NumPy array on the left, such as `ndarray + Array`; refuses every other NumPy ufunc."""
        if ufunc is np.divmod and method == "__call__" and not options:
            return divmod(asarray(inputs[0]), inputs[1])
        operator = OPERATOR_OF.get(ufunc.__name__)
        if operator is None or method != "__call__" or options or len(inputs) != 2:
            refuse(ufunc.__name__)
        return Array(operator(operand(inputs[0]), operand(inputs[1])))

    def __array_function__(
        self, function: Callable[..., Any], types: Any, args: Any, kwargs: Any
    ) -> NoReturn:
        """Refuses NumPy's array functions, which would need the data."""
        refuse(function.__name__)


ArrayLike = Array | NDArray[Any] | np.generic | bool | int | float | Sequence[Any]


def asarray(values: ArrayLike | UOp, /, *, dtype: Dtype | None = None, copy: bool | None = None) -> Array:
    """An Array made from NumPy data, a number, nested sequences, a UOp or a dim. An Array is returned unchanged, or converted to `dtype`.

    NumPy data is copied, because it is read only when a result is computed. `copy=False` shares the data, which
    must then not change.

    Raises:
        DTypeError: eqsat has no such dtype (complex, object, strings); the array has a mask or redefines operators; or a Python integer
            does not fit `dtype`.
        ShapeError: nested sequences at one level differ in length or shape, or a sequence contains itself.
    """
    if isinstance(values, Extent):
        values = UOp.extent(values)
    if isinstance(values, UOp):
        values = Array(cast(values, int64) if values.dtype is index else values)
    if isinstance(values, Array):
        return values if dtype is None else values.astype(dtype)
    wanted = None if dtype is None else as_dtype(dtype)
    try:
        holds_arrays = _holds_arrays(values)
    except RecursionError as error:
        if not isinstance(values, list | tuple):  # the caller is deep in the stack
            raise
        raise ShapeError(
            f"{brief(values)} is nested without end; give sequences that do not hold themselves"
        ) from error
    held = _stacked(values) if holds_arrays else Array(hold(host_copy(values, copy, wanted)))
    return held if wanted is None else held.astype(wanted)


def _holds_arrays(values: Any) -> TypeGuard[Sequence[Any]]:
    """Whether nested sequences contain an Array."""
    return isinstance(values, list | tuple) and any(
        isinstance(item, Array) or _holds_arrays(item)
        for item in values  # pyright: ignore[reportUnknownVariableType]
    )


def _stacked(values: Sequence[Any]) -> Array:
    """Stacks nested sequences of arrays along a new first axis; Python numbers among them are weak."""
    rows = [_stacked(item) if _holds_arrays(item) else item for item in values]
    nodes = [operand(row) for row in rows]
    dtype = common_dtype(nodes)
    shapes = {shape_of(each) for each in nodes}
    if len(shapes) > 1:
        raise ShapeError(
            f"cannot make one array of rows of shapes {sorted(shapes)}; make all rows equally long"
        )
    return Array(join([insert_axis(convert(each, dtype), 0) for each in nodes], 0))


def operand(values: ArrayLike) -> Operand:
    """The operand for an array-like value: the UOp of an array, or a Python number as it is, which stays weak."""
    if isinstance(values, Array):
        return values._operand  # pyright: ignore[reportPrivateUsage]
    if isinstance(values, bool | int | float | Extent) and not isinstance(values, np.generic):
        return values
    return asarray(values).uop


def node(values: ArrayLike) -> UOp:
    """The UOp of an array-like value; a Python number takes its default dtype."""
    return asarray(values).uop


def as_dtype(dtype: Dtype) -> DType:
    """The eqsat dtype for a name, a Python type or a NumPy dtype.

    Raises:
        DTypeError: eqsat has no such dtype.
    """
    if isinstance(dtype, DType):
        return dtype
    try:
        if isinstance(dtype, str) and dtype == "bfloat16":
            return bfloat16
        return from_numpy(np.dtype(dtype or str(dtype)))  # NumPy reads None as float64; here it is an error
    except (TypeError, ValueError, RecursionError) as error:
        raise DTypeError(
            f"{brief(dtype)} is no dtype; use eqsat.float32 and the like, or NumPy's names"
        ) from error


def _subscript(item: Any) -> Subscript:
    if item is None or item is Ellipsis or isinstance(item, slice):
        return item  # pyright: ignore[reportUnknownVariableType]
    if isinstance(item, bool | np.bool_):
        raise IndexingError(f"cannot index by the bool {item}; use None to add an axis, or where() to select")
    if isinstance(item, Array | np.ndarray | list | tuple):
        return _array_subscript(asarray(item))  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(item, SupportsIndex):
        return item
    raise IndexingError(f"cannot index by {brief(item)}; use integers, slices, None, ... or integer arrays")


def _array_subscript(item: Array) -> UOp:
    return item.astype(int64).uop if item.size == 0 and item.dtype.is_float else item.uop
