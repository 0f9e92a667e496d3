"""Checks of a UOp's fields: its operation, dtype, sources and argument. Together they also give its shape."""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

from eqsat.dtype import DType, PtrDType, nearest
from eqsat.errors import BuildError, DTypeError, EqsatError, ShapeError, brief, shortened
from eqsat.extents import Extent
from eqsat.ops import AxisType, BufferizeOpts, KernelInfo, Op, View
from eqsat.shape import Shape
from eqsat.uop.limits import MOST_BITS
from eqsat.uop.operators import Number

Parameters = ParamSpec("Parameters")
Built = TypeVar("Built")
Each = TypeVar("Each")

DEEPEST = 32  # greatest depth of nested tuples in an argument
MOST_AXES = 1024
_LONG = 1 << MOST_BITS
RECORDS = (KernelInfo, View, BufferizeOpts)
TOLD_APART = frozenset({int, bool, str, Op, AxisType})  # classes whose values `==` compares exactly
_NO_EXTENTS = (bool, float, str, bytes, type(None), tuple)


def require_fields(kind: type, op: Any, dtype: Any, src: Any, arg: Any = None) -> None:
    """Checks the classes of the operation, the dtype and the sources, the number of sources, and the size of integers in the argument.

    `kind` is the class that sources must have. Other properties of the argument are not checked here.

    Raises:
        BuildError: a field has the wrong class, there are too few sources, or the argument has an integer of more than `MOST_BITS` bits.
    """
    if not isinstance(op, Op):
        raise BuildError(f"{brief(op)} is no operation; give a UOp an eqsat.Op, such as Op.ADD")
    if not isinstance(dtype, (DType, PtrDType)):  # a tuple, since `|` would build a union at each call
        raise BuildError(
            f"{op.name}: {brief(dtype)} is no dtype of eqsat; give it one such as eqsat.float32, or dtype.void where it has no value"
        )
    if not isinstance(src, tuple):
        raise BuildError(f"{op.name}: its sources are a tuple of UOps, not {brief(src)}")
    for source in src:  # pyright: ignore[reportUnknownVariableType]
        if source.__class__ is not kind:  # pyright: ignore[reportUnknownMemberType]
            raise BuildError(
                f"{op.name}: its sources are UOps, not {brief(source)}; make numbers constants with UOp.const(dtype, value)"
            )
    info = op.info
    if len(src) < info.arity[0]:  # pyright: ignore[reportUnknownArgumentType]
        raise BuildError(
            f"{op.name} takes at least {info.arity[0]} sources and was given {len(src)}; {info.doc}"  # pyright: ignore[reportUnknownArgumentType]
        )
    if arg is not None and _has_long_integer(arg):
        raise BuildError(
            f"{op.name}: its argument has an integer of more than {MOST_BITS:,} bits, {brief(arg)}; use a smaller number"
        )


def _has_long_integer(arg: Any) -> bool:
    """Whether an argument contains an integer of more than `MOST_BITS` bits, which Python may not print and graph files do not hold."""
    kind = arg.__class__
    if kind is str:
        return False
    if kind is int or isinstance(arg, int):
        return not -_LONG < arg < _LONG
    if isinstance(arg, RECORDS):
        arg = [getattr(arg, name) for name in arg.__slots__]
    elif kind is not tuple:
        return False
    return any(map(_has_long_integer, arg))


def shape_of(op: Op, src: tuple[Any, ...], arg: Any) -> Shape | None:
    """The shape of a node's result, by the shape rule of its operation in `eqsat.ops.TABLE`.

    Raises:
        ShapeError: the shapes of the sources do not fit each other or the argument.
        BuildError: the operation cannot have this argument.
    """
    info = op.info
    try:
        shape = info.shape(src, arg)
        if shape and (not src or shape is not src[0].shape):
            _require_extents(shape)
    except ShapeError as error:
        raise ShapeError(f"{op.name}: {shortened(str(error))}") from error
    except (TypeError, ValueError, AttributeError, IndexError, OverflowError, BuildError) as error:
        shapes = shortened(", ".join(str(source.shape) for source in src))
        raise BuildError(
            f"{op.name} cannot have argument {brief(arg)} on sources of shapes ({shapes}); {info.doc}"
        ) from error
    return shape


def _require_extents(shape: tuple[Any, ...]) -> None:
    for extent in shape:
        if isinstance(extent, _NO_EXTENTS) or (isinstance(extent, int | Extent) and extent < 0):
            raise ValueError(f"{extent!r} is no extent")


def building(method: Callable[Parameters, Built]) -> Callable[Parameters, Built]:
    """Decorates a method of UOp: Python's own errors about bad arguments become a BuildError that names the method.

    The error quotes the first line of the method's docstring.
    """

    @functools.wraps(method)
    def checked(*arguments: Parameters.args, **options: Parameters.kwargs) -> Built:
        try:
            return method(*arguments, **options)
        except (TypeError, ValueError, LookupError, AttributeError, AssertionError, ArithmeticError) as error:
            if isinstance(error, EqsatError):
                raise
            given = ", ".join(brief(each) for each in (*arguments, *options.values()))
            purpose = (method.__doc__ or "").partition("\n")[0]
            raise BuildError(f"UOp.{method.__name__}: {error}, given {given}; it gives: {purpose}") from error

    return checked


def by_axis(values: Sequence[Each]) -> tuple[Each, ...]:
    """The argument of a movement operation: a tuple with one value for each axis.

    Raises:
        ValueError: there are more than `MOST_AXES` values. They are counted first, because the tuple itself might fill the memory.
    """
    if len(values) > MOST_AXES:
        raise ValueError(f"{len(values)} axes are more than {MOST_AXES}")
    return tuple(values)


def bits_of(arg: Any, depth: int = 0) -> Any:
    """A key that differs whenever two arguments differ: floats become their bits, and items of tuples and records keep their classes.

    So `0.0` differs from `-0.0`, and inside a tuple `True` differs from `1`.

    Raises:
        TypeError: tuples are nested more than `DEEPEST` deep, which Python might not be able to print.
    """
    if isinstance(arg, float):
        return struct.pack("<d", arg)
    if isinstance(arg, RECORDS):
        return bits_of(tuple(getattr(arg, name) for name in arg.__slots__), depth)
    if isinstance(arg, tuple):
        if depth == DEEPEST:
            raise TypeError(f"tuples are nested more than {DEEPEST} deep")
        kinds = tuple(map(type, arg))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        if TOLD_APART.issuperset(kinds):
            return kinds, arg  # pyright: ignore[reportUnknownVariableType]
        return tuple((item.__class__, bits_of(item, depth + 1)) for item in arg)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType, reportUnknownMemberType]
    return arg


def constant_value(dtype: DType, value: Number) -> Number:
    """`value` as the Python number that a CONST of `dtype` carries. A float is rounded to the nearest value of its dtype.

    Raises:
        DTypeError: the value is not a number, an integer does not fit the dtype, or an integer dtype is given a fraction.
    """
    try:
        if dtype.scalar.is_float:
            return nearest(dtype, float(value))
        if dtype.scalar.is_bool:
            return bool(value)
        if int(value) != value:
            raise DTypeError(f"{brief(value)} is no {dtype}; round it, or use a float dtype")
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise DTypeError(
            f"{brief(value)} is no number of {brief(dtype)}; give a bool, an int or a float"
        ) from error
    scalar = dtype.scalar
    if not scalar.is_index and not scalar.min <= value <= scalar.max:
        raise DTypeError(
            f"{brief(value)} does not fit {dtype} ({scalar.min}..{scalar.max}); use a wider dtype"
        )
    return int(value)
