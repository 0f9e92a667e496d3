"""Concrete data in a graph, and placeholders for data that calls will pass.

NumPy data enters as a BUFFER whose identity is a `HostData`. A graph of arrays is therefore closed: it can be
computed without further inputs. Before optimization, `parametrize` turns buffers into PARAMs, so that graphs
that differ only in their data become one graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from itertools import count
from math import prod
from types import ModuleType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from eqsat.distribution import HOST
from eqsat.dtype import DType, from_numpy, to_numpy, void
from eqsat.errors import BuildError, DTypeError, ShapeError, UnknownValueError, brief
from eqsat.ops import Op
from eqsat.shape import Shape
from eqsat.uop import UOp, rewrite, toposort

_numbers = count()
# Never array data: a class may define `__array__` for its instances, and a module with a lazy `__getattr__` takes microseconds to lack one.
# Slots for the stand-ins of one trace; those of the k-th trace begin at k times this, and all others are smaller
SLOTS_OF_TRACE = 1 << 32
_NEVER_DATA = (type, ModuleType)


class HostData:
    """A NumPy array that is compared and hashed by identity, and printed as `data` with a running number.

    Attributes:
        values: the data, contiguous and never written to by eqsat.
        number: the running number, which tells buffers apart in print.
    """

    __slots__ = ("number", "values")

    def __init__(self, values: NDArray[Any]) -> None:
        self.values = values
        self.number = next(_numbers)

    def __repr__(self) -> str:
        return f"data{self.number}"


def hold(values: NDArray[Any]) -> UOp:
    """The UOp of a NumPy array: a constant if it has no axes, else a reshaped BUFFER. Values of bfloat16 are held in float32."""
    dtype = from_numpy(values.dtype)
    if values.ndim == 0:
        return UOp.const(dtype, values.item())
    native = np.ascontiguousarray(values, dtype=to_numpy(dtype))
    source = (UOp(Op.DEVICE, void, (), HOST), UOp(Op.UNIQUE, void, (), HostData(native)))
    return UOp(Op.BUFFER, dtype, source, native.size).reshape(native.shape)


def is_host(values: Any) -> bool:
    """Whether a value is array data: a NumPy array, a NumPy scalar, or an object with `__array__`, such as another library's array."""
    return isinstance(values, np.ndarray | np.generic) or (
        not isinstance(values, _NEVER_DATA) and hasattr(values, "__array__")
    )


def as_host(values: Any) -> NDArray[Any]:
    """Converts array data to a plain NumPy array, unless that would lose meaning.

    Raises:
        DTypeError: the class of the array adds meaning to its elements, such as a mask or operators of its own; or it is a bfloat16 tensor
            of PyTorch, and ml_dtypes is not installed.
        BuildError: the object fails to convert itself to an array.
    """
    if type(values) is np.ndarray:
        return values
    if isinstance(values, np.ma.MaskedArray):
        raise DTypeError(
            "a masked array would lose its mask; pass x.filled(0) and numpy.ma.getmaskarray(x), and choose by where()"
        )
    kind = cast("type[Any]", type(values))
    if issubclass(kind, np.ndarray) and not issubclass(kind, np.memmap):
        raise DTypeError(
            f"eqsat computes with plain arrays, and {kind.__name__} would lose what it means beyond its elements; "
            f"pass numpy.asarray(x)"
        )
    try:
        if str(getattr(values, "dtype", None)) == "torch.bfloat16":  # which PyTorch itself does not convert
            return np.asarray(values.float()).astype(_named_bfloat16())
        return np.asarray(values)
    except (TypeError, ValueError, RuntimeError) as error:
        raise BuildError(
            f"{kind.__name__} does not convert itself to a NumPy array: {error}; convert it first"
        ) from error


def _named_bfloat16() -> np.dtype:
    """The bfloat16 that the package ml_dtypes gives to NumPy.

    Raises:
        DTypeError: the package is not installed.
    """
    try:
        return np.dtype(import_module("ml_dtypes").bfloat16)
    except ImportError as error:
        raise DTypeError(
            "NumPy has no bfloat16, which this tensor has; install ml_dtypes, or pass x.float() and convert it by astype"
        ) from error


def host_copy(values: Any, copy: bool | None, wanted: DType | None) -> NDArray[Any]:
    """The data as a NumPy array, copied unless `copy` is False; refuses Python integers that do not fit the dtype `wanted`."""
    if copy is not None and not isinstance(copy, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BuildError(f"copy is True, False or None, not {brief(copy)}")
    if is_host(values):
        data = as_host(values)
        return data if copy is False else data.copy()
    try:
        data = np.asarray(values)
    except ValueError as error:
        raise ShapeError(f"{brief(values)} is no array; make all rows equally long") from error
    except OverflowError as error:
        raise DTypeError(f"{brief(values)} does not fit an integer dtype: {error}; use floats") from error
    if data.dtype.kind == "O":
        raise DTypeError(_fault_of_elements(values, data))
    if wanted is not None and wanted.is_int and data.dtype.kind in "iu" and data.size:
        least, greatest = int(data.min()), int(data.max())
        if not wanted.min <= least <= greatest <= wanted.max:
            raise DTypeError(
                f"{brief(values)} does not fit {wanted} ({wanted.min}..{wanted.max}); use a wider dtype, or astype to wrap"
            )
    return data


def _fault_of_elements(values: Any, data: NDArray[Any]) -> str:
    """Why no dtype holds Python objects, which NumPy has put into an array of objects."""
    others: list[Any] = [each for each in data.flat if not isinstance(each, int | float)]
    if not others:
        return f"{brief(values)} does not fit an integer dtype; use floats"
    return f"{brief(others[0])} is no number; give numbers, nested lists or tuples of numbers, or arrays (list(x) makes a list of an iterable)"


def stand_in(slot: int, shape: Shape, dtype: DType) -> UOp:
    """The PARAM of argument number `slot`, reshaped to `shape`."""
    return UOp.param(slot, prod(shape), dtype).reshape(shape)


def collect_buffers(*roots: UOp) -> tuple[UOp, ...]:
    """The BUFFERs that the graph reads, each once, in topological order."""
    return tuple(node for node in toposort(roots) if node.op is Op.BUFFER)


def collect_params(*roots: UOp) -> tuple[UOp, ...]:
    """The PARAMs that the graph reads, each once, ordered by slot."""
    return tuple(
        sorted((node for node in toposort(roots) if node.op is Op.PARAM), key=lambda node: node.arg[0])
    )


def parametrize(sink: UOp, first_slot: int | None = None) -> tuple[UOp, tuple[NDArray[Any], ...]]:
    """Replaces each BUFFER of host data by a PARAM; returns the graph, and the flat arrays of the new PARAMs ordered by slot.

    Slots are numbered from `first_slot`, by default after the slots in use.
    """
    first = first_slot if first_slot is not None else 1 + _last_slot(sink)
    buffers = [buffer for buffer in collect_buffers(sink) if isinstance(buffer.src[1].arg, HostData)]
    mapping: dict[UOp, UOp] = {}
    for slot, buffer in enumerate(buffers, start=first):
        assert isinstance(buffer.dtype, DType), "a buffer holds elements"
        mapping[buffer] = UOp(Op.PARAM, buffer.dtype, _device_of(buffer), (slot, buffer.arg))
    return rewrite([sink], mapping)[0], tuple(host_values(buffer).reshape(-1) for buffer in buffers)


def _device_of(buffer: UOp) -> tuple[UOp, ...]:
    """The DEVICE of a buffer as a source tuple; empty if it is the host."""
    return buffer.src[:1] if buffer.src[0].arg != HOST else ()


def _last_slot(root: UOp) -> int:
    slots: list[int] = [param.arg[0] for param in collect_params(root)]
    return max(slots, default=-1)


def host_values(buffer: UOp) -> NDArray[Any]:
    """The data of a BUFFER.

    Raises:
        BuildError: the buffer holds no host data.
    """
    handle = buffer.src[1].arg
    if not isinstance(handle, HostData):
        raise BuildError(f"{buffer!r} holds no data of this process; build arrays with asarray")
    return handle.values


def require_no_params(roots: Sequence[UOp]) -> None:
    """Refuses graphs that read a placeholder, whose data is unknown.

    Raises:
        UnknownValueError: the graph reads a placeholder.
    """
    params = collect_params(*roots)
    if params:
        slots = ", ".join(str(param.arg[0] % SLOTS_OF_TRACE) for param in params)
        raise UnknownValueError(
            f"an array that depends on placeholder {slots} has no value while a function is traced; "
            f"use eqsat functions instead of NumPy's, and where() instead of `if`. Once the function has returned, use its results instead"
        )
