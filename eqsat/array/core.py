"""`Array`: a lazy, immutable array of any number of axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any, NoReturn, SupportsIndex, TypeGuard

import numpy as np
from numpy.typing import DTypeLike, NDArray

from eqsat.array.checking import array_function
from eqsat.array.data import as_host, hold, is_host
from eqsat.array.interoperation import OPERATOR_OF, SPELLED, refuse
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


class Array(Operators):
    """A lazy array: what is to be computed, and the shape and dtype of the result.

    Operators and functions of arrays build a graph and compute nothing. `numpy()`, conversion to a Python
    number and NumPy's `asarray` compute. Arrays are immutable; operators follow NumPy's broadcasting and
    promotion, Python numbers being weak (NEP 50).

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

    # what it is

    @property
    def shape(self) -> Shape:
        """Extents of the axes."""
        return shape(self.uop)

    @property
    def dtype(self) -> DType:
        """Type of one element."""
        return dtype_of(self.uop)

    @property
    def ndim(self) -> int:
        """How many axes there are."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many elements there are."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of the result."""
        return self.size * self.dtype.itemsize

    @property
    def T(self) -> Array:  # noqa: N802
        """All axes in opposite order."""
        return Array(self.uop.permute(range(self.ndim)[::-1]))

    @property
    def mT(self) -> Array:  # noqa: N802
        """The last two axes exchanged.

        Raises:
            ShapeError: there are fewer than two axes.
        """
        if self.ndim < 2:
            raise ShapeError(
                f"cannot transpose a matrix of shape {self.shape}; it needs two axes, add one by x[None]"
            )
        return Array(self.uop.permute((*range(self.ndim - 2), self.ndim - 1, self.ndim - 2)))

    # computing

    def numpy(self) -> NDArray[Any]:
        """The result; of bfloat16, which NumPy lacks, in float32.

        Raises:
            BuildError: it depends on a placeholder, as in a function that is being traced.
        """
        return evaluate([self.uop])[0]

    def item(self) -> bool | int | float:
        """The only element, as a Python number.

        Raises:
            ShapeError: there is not exactly one element.
        """
        if self.size != 1:
            raise ShapeError(
                f"an array of shape {self.shape} is not one number; reduce it, or select an element"
            )
        return self.numpy().item()

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.numpy(), dtype=dtype, copy=copy)

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
        """Names the function in place of a method that NumPy's arrays have."""
        function = SPELLED.get(name, name)
        hint = f"; use eqsat.{function}(x, …)" if function in import_module("eqsat.array").__all__ else ""
        raise AttributeError(f"'Array' object has no attribute {name!r}{hint}", name=name, obj=self)

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        raise BuildError(
            "an eqsat Array cannot be changed in place; make another one, by where(condition, new, old) for instance"
        )

    def astype(self, dtype: Dtype, /) -> Array:
        """Converted to another dtype; see `astype`."""
        return Array(cast(self.uop, as_dtype(dtype)))

    @array_function
    def reshape(self, *extents: Any) -> Array:
        """The same elements in row-major order; one extent may be -1.

        Raises:
            ShapeError: the number of elements differs.
        """
        wanted: Any = extents[0] if len(extents) == 1 else extents
        return Array(self.uop.reshape(infer_extent(self.shape, wanted)))

    @array_function
    def sum(self, axis: Axes = None, keepdims: bool = False) -> Array:
        """The sum over axes, all by default."""
        return Array(total(self.uop, normalize_axes(axis, self.ndim, "sum over"), keepdims))

    @array_function
    def mean(self, axis: Axes = None, keepdims: bool = False) -> Array:
        """The mean over axes, all by default."""
        return Array(mean(self.uop, normalize_axes(axis, self.ndim, "average over"), keepdims))

    @array_function
    def max(self, axis: Axes = None, keepdims: bool = False) -> Array:
        """The greatest element over axes, all by default."""
        return Array(
            extreme(Op.MAX, self.uop, normalize_axes(axis, self.ndim, "take the maximum over"), keepdims)
        )

    @array_function
    def min(self, axis: Axes = None, keepdims: bool = False) -> Array:
        """The least element over axes, all by default."""
        return Array(
            extreme(Op.MIN, self.uop, normalize_axes(axis, self.ndim, "take the minimum over"), keepdims)
        )

    # operators

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
        """The operation on this array and another operand, numbers and sequences of numbers included, as in NumPy.

        Python's own answer where the other is something else: a TypeError, or for `== None` False.
        """
        if other is None or not (
            isinstance(other, Array | bool | int | float | complex | Extent | list | tuple) or is_host(other)
        ):
            return NotImplemented
        operand_of_other = operand(other)  # pyright: ignore[reportUnknownArgumentType, reportArgumentType]
        return Array(
            operation(operand_of_other, self.uop) if reflected else operation(self.uop, operand_of_other)
        )

    # NumPy meets an Array

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """`ndarray + Array` and the like; every other NumPy function is refused."""
        if ufunc is np.divmod and method == "__call__" and not options:
            return divmod(asarray(inputs[0]), inputs[1])
        operator = OPERATOR_OF.get(ufunc.__name__)
        if operator is None or method != "__call__" or options or len(inputs) != 2:
            refuse(ufunc.__name__)
        return Array(operator(operand(inputs[0]), operand(inputs[1])))

    def __array_function__(
        self, function: Callable[..., Any], types: Any, args: Any, kwargs: Any
    ) -> NoReturn:
        """NumPy's functions of arrays are refused: they would need the data."""
        refuse(function.__name__)


ArrayLike = Array | NDArray[Any] | np.generic | bool | int | float | Sequence[Any]


def asarray(values: ArrayLike | UOp, /, *, dtype: Dtype | None = None, copy: bool | None = None) -> Array:
    """An Array of NumPy data, a number, nested sequences, or a variable; an Array itself is returned as it is (or converted).

    NumPy data is copied, since it is read only when the result is wanted; `copy=False` shares it, and then
    it must not change.

    Raises:
        DTypeError: eqsat has no such dtype (complex, object, strings), the array has a mask or operators of its own, or a Python integer does
            not fit `dtype`.
        ShapeError: the nested sequences are of different lengths.
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
        raise ShapeError(
            f"{brief(values)} is nested without end; give sequences that do not hold themselves"
        ) from error
    held = _stacked(values) if holds_arrays else Array(hold(_host_copy(values, copy, wanted)))
    return held if wanted is None else held.astype(wanted)


def _host_copy(values: Any, copy: bool | None, wanted: DType | None) -> NDArray[Any]:
    """NumPy's array of data; of Python's integers only if they fit the dtype that is wanted."""
    if is_host(values):
        data = as_host(values)
        return data.copy() if copy or copy is None else data
    try:
        data = np.asarray(values)
    except ValueError as error:
        raise ShapeError(f"{brief(values)} is no array; make all rows equally long") from error
    except OverflowError as error:
        raise DTypeError(f"{brief(values)} does not fit an integer dtype: {error}; use floats") from error
    if wanted is not None and wanted.is_int and data.dtype.kind in "iu" and data.size:
        least, greatest = int(data.min()), int(data.max())
        if not wanted.min <= least <= greatest <= wanted.max:
            raise DTypeError(
                f"{brief(values)} does not fit {wanted} ({wanted.min}..{wanted.max}); use a wider dtype, or astype to wrap"
            )
    return data


def _holds_arrays(values: Any) -> TypeGuard[Sequence[Any]]:
    """Whether an Array is among nested sequences."""
    return isinstance(values, list | tuple) and any(
        isinstance(item, Array) or _holds_arrays(item)
        for item in values  # pyright: ignore[reportUnknownVariableType]
    )


def _stacked(values: Sequence[Any]) -> Array:
    """Nested sequences of arrays as one, along a new first axis; numbers among them are weak."""
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
    """What an operation takes: the node of an array, or a Python number, which stays weak."""
    if isinstance(values, Array):
        return values.uop
    if isinstance(values, bool | int | float | Extent) and not isinstance(values, np.generic):
        return values
    return asarray(values).uop


def node(values: ArrayLike) -> UOp:
    """The node of an array; a Python number takes its default dtype."""
    return asarray(values).uop


def as_dtype(dtype: Dtype) -> DType:
    """The element type that a name, a Python type or a NumPy dtype means.

    Raises:
        DTypeError: eqsat has no such dtype.
    """
    if isinstance(dtype, DType):
        return dtype
    try:
        if isinstance(dtype, str) and dtype == "bfloat16":
            return bfloat16
        return from_numpy(np.dtype(dtype or str(dtype)))  # None means float64 to NumPy, and a mistake here
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
