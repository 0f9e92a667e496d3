"""Encodes and decodes arguments of UOps as JSON, and checks that a decoded argument has the form that its operation needs.

A document may come from anybody. The shape rules and the checks of `spec` compute with arguments. Values that would break them (text
in place of a number, a rank of a million, an extent of a thousand digits) are refused before a UOp is made from them.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple
from typing import Any

from eqsat.dtype import AddrSpace, DType, PtrDType, parse_dtype
from eqsat.errors import GraphFileError, brief
from eqsat.extents import Extent, dim, extent_of_terms, quotient
from eqsat.extents.factors import Dim, Factor, Terms
from eqsat.ops import AxisType, BufferizeOpts, KernelInfo, Op, View
from eqsat.uop.limits import MOST_BITS, MOST_TOGETHER, is_extent, is_integer, is_size

DEEPEST = 8  # levels of nested tuples
MOST_AXES = 256  # axes of an array; NumPy allows 64
MOST_OPERANDS = 3  # operands of an operation on elements
MOST_LANES = 1 << 16  # lanes of a vector
LONGEST_NAME = 1000  # characters
MOST_TERMS, MOST_FACTORS, MOST_DIVISIONS = 64, 8, 4  # terms of an extent, factors of a term, nested divisions

_READ_BACK = frozenset({type(None), bool, int, str, float, tuple})  # a subclass would come back as its base

# Their arguments are code, or name code, that runs as given
CODE = frozenset({Op.CUSTOM, Op.CUSTOMI, Op.CUSTOM_FUNCTION, Op.SOURCE, Op.PROGRAM_BINARY})


def encode_argument(arg: Any, depth: int = DEEPEST) -> Any:
    """Encodes an argument of a UOp for JSON: tuples become lists; a value that JSON lacks becomes {"kind": value}.

    Raises:
        GraphFileError: the argument is nested too deeply, is malformed, or exists in this process only, as data does.
    """
    match arg:
        case Extent():
            return {"extent": _encode_terms(arg.terms)}
        case None | bool() | int() | str() if arg.__class__ in _READ_BACK:
            return arg
        case float() if arg.__class__ in _READ_BACK:
            if math.isnan(arg):  # NaNs differ in their bits
                return {"nan": struct.pack(">d", arg).hex()}
            return arg if math.isfinite(arg) else {"float": arg.hex()}
        case tuple() if depth and arg.__class__ in _READ_BACK:  # pyright: ignore[reportUnknownMemberType]
            return [encode_argument(item, depth - 1) for item in arg]  # pyright: ignore[reportUnknownVariableType]
        case Op():
            return {"op": arg.name}
        case AxisType():
            return {"axis": arg.name}
        case DType() | PtrDType():
            return {"dtype": arg.name}
        case KernelInfo() if _is_kernel_info(arg):
            plain = arg == KernelInfo(arg.name)
            return {"kernel": arg.name if plain else list(astuple(arg))}
        case BufferizeOpts() if _is_options(arg):
            return {"bufferize": [arg.device, arg.space.name, arg.removable]}
        case View() if _is_view(arg):
            return {
                "view": [
                    encode_argument(arg.shape),
                    encode_argument(arg.strides),
                    arg.offset,
                    encode_argument(arg.mask),
                ]
            }
        case bytes() if arg.__class__ is bytes:
            return {"bytes": arg.hex()}
        case _:
            raise GraphFileError(
                f"{brief(arg)} is nested too deeply, malformed, or held by this process only, so its graph cannot be written; use PARAMs for data"
            )


def decode_argument(arg: Any, depth: int = DEEPEST) -> Any:
    """Decodes what `encode_argument` returned.

    Raises:
        GraphFileError: lists are nested too deeply, or an extent is malformed.
        ValueError, TypeError, KeyError, OverflowError: there is no such kind, or the value does not fit the kind.
    """
    if isinstance(arg, list):
        if depth == 0:
            raise GraphFileError(f"lists are nested more than {DEEPEST} deep")
        return tuple([decode_argument(item, depth - 1) for item in arg])  # pyright: ignore[reportUnknownVariableType]
    if isinstance(arg, dict):
        ((kind, value),) = arg.items()  # pyright: ignore[reportUnknownVariableType]
        return _DECODERS[kind](value)
    return arg


def _decode_float(text: str) -> float:
    return float.fromhex(text)


def _decode_nan(bits: str) -> float:
    (value,) = struct.unpack(">d", bytes.fromhex(bits))
    if not math.isnan(value):
        raise ValueError(f"{bits} are the bits of {value}, which is no NaN")
    return value


def _decode_view(fields: Sequence[Any]) -> View:
    return View(*(decode_argument(field) for field in fields))


def _decode_kernel(value: Any) -> KernelInfo:
    return KernelInfo(*value) if isinstance(value, list) else KernelInfo(value)  # pyright: ignore[reportUnknownArgumentType]


def _decode_options(fields: Sequence[Any]) -> BufferizeOpts:
    device, space, removable = fields
    return BufferizeOpts(device, AddrSpace[space], removable)


def _encode_terms(terms: Terms) -> list[Any]:
    return [[scale, [_encode_factor(each) for each in product]] for product, scale in terms]


def _encode_factor(factor: Factor) -> list[Any]:
    """Encodes a variable as its name and bounds, and a quotient as its dividend and divisor."""
    return list(factor) if isinstance(factor, Dim) else [_encode_terms(factor.terms), factor.divisor]


def _decode_extent(terms: Any, depth: int = 0) -> int:
    if not isinstance(terms, list) or len(terms) > MOST_TERMS or depth > MOST_DIVISIONS:  # pyright: ignore[reportUnknownArgumentType]
        raise GraphFileError(
            f"an extent is a sum of at most {MOST_TERMS} products, divided at most {MOST_DIVISIONS} times"
        )
    return extent_of_terms((_product(factors, depth), _factor(scale)) for scale, factors in terms)  # pyright: ignore[reportUnknownVariableType]


def _product(factors: Any, depth: int) -> list[Factor]:
    if not isinstance(factors, list) or len(factors) > MOST_FACTORS:  # pyright: ignore[reportUnknownArgumentType]
        raise GraphFileError(f"a product of an extent has at most {MOST_FACTORS} factors")
    return [each for row in factors for each in _decode_factor(row, depth)]  # pyright: ignore[reportUnknownVariableType]


def _decode_factor(row: Any, depth: int) -> tuple[Factor, ...]:
    """Decodes one variable, or one quotient that does not simplify to a sum."""
    if len(row) == 3:
        return dim(*row).dims
    terms, divisor = row
    found = quotient(_decode_extent(terms, depth + 1), _factor(divisor))
    if not isinstance(found, Extent) or len(found.terms) != 1 or found.terms[0][1] != 1:
        raise GraphFileError(f"the quotient {found!r} is no factor of an extent; write it as a sum")
    return found.terms[0][0]


def _factor(value: Any) -> int:
    if not is_integer(value):
        raise GraphFileError(f"a factor of an extent is an integer, not {brief(value)}")
    return value


_DECODERS: dict[str, Callable[[Any], Any]] = {
    "float": _decode_float,
    "nan": _decode_nan,
    "op": Op.__getitem__,
    "axis": AxisType.__getitem__,
    "dtype": parse_dtype,
    "kernel": _decode_kernel,
    "view": _decode_view,
    "bufferize": _decode_options,
    "bytes": bytes.fromhex,
    "extent": _decode_extent,
}


def misfit(op: Op, arg: Any) -> str | None:
    """The form that the argument of `op` must have, in words for a message; None if `arg` has that form."""
    form = _FORMS.get(op)
    if form is None:
        return None if _is_plain(arg) else "a number, a name, or a short tuple of those"
    words, fits = form
    return None if fits(arg) else words


def _is_large_integer(value: Any) -> bool:
    return value.__class__ is int and value.bit_length() <= MOST_BITS


def _is_number(value: Any) -> bool:
    return value.__class__ is bool or value.__class__ is float or _is_large_integer(value)


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_NAME


def _is_tuple_of(check: Callable[[Any], bool], most: int = MOST_AXES) -> Callable[[Any], bool]:
    return lambda arg: isinstance(arg, tuple) and len(arg) <= most and all(map(check, arg))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _is_record(*checks: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Whether an argument is a tuple with one member for each check."""
    return lambda arg: (
        isinstance(arg, tuple)
        and len(arg) == len(checks)  # pyright: ignore[reportUnknownArgumentType]
        and all(check(item) for check, item in zip(checks, arg, strict=True))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    )


def _either(*checks: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda arg: any(check(arg) for check in checks)


def _is_none(value: Any) -> bool:
    return value is None


def _is_bool(value: Any) -> bool:
    return value.__class__ is bool


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_bytes(value: Any) -> bool:
    return isinstance(value, bytes)


def _is_axis(value: Any) -> bool:
    return isinstance(value, AxisType)


def _is_lanes(value: Any) -> bool:
    return is_size(value) and value <= MOST_LANES


def _is_op(value: Any) -> bool:
    return isinstance(value, Op)


def _is_view(value: Any) -> bool:
    return (
        isinstance(value, View)
        and _is_axes(value.shape)
        and _is_tuple_of(is_integer)(value.strides)
        and is_integer(value.offset)
        and (value.mask is None or _is_tuple_of(_is_record(is_size, is_size))(value.mask))
    )


def _is_kernel(value: Any) -> bool:
    return value is None or _is_kernel_info(value)


def _is_kernel_info(value: Any) -> bool:
    counts = isinstance(value, KernelInfo) and all(
        is_size(count) and 0 < count <= MOST_TOGETHER for count in (value.chains, value.group)
    )
    return counts and _is_name(value.name) and isinstance(value.streams, bool)


def _is_kernel_or_shapes(value: Any) -> bool:
    """A kernel, or the shapes of the arguments of a traced function: None for those that are unknown."""
    is_known = _either(_is_none, _is_shape)
    return _is_kernel(value) or (isinstance(value, tuple) and all(map(is_known, value)))  # pyright: ignore[reportUnknownArgumentType]


def _is_plain(value: Any, depth: int = 3) -> bool:
    if isinstance(value, tuple):
        return depth > 0 and len(value) <= MOST_AXES and all(_is_plain(item, depth - 1) for item in value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return (
        value is None
        or value.__class__ in (bool, float)
        or is_integer(value)
        or _is_name(value)
        or isinstance(value, bytes | Op | AxisType | DType | PtrDType)
        or _is_kernel_info(value)
    )


def _is_options(value: Any) -> bool:
    return value is None or (
        isinstance(value, BufferizeOpts)
        and (value.device is None or _is_name(value.device))
        and isinstance(value.space, AddrSpace)  # pyright: ignore[reportUnnecessaryIsInstance]
        and _is_bool(value.removable)
    )


def _is_element_type(value: Any) -> bool:
    return isinstance(value, DType)


_is_variable = _is_record(_is_name, _is_large_integer, _is_large_integer)
_is_formula = _is_record(
    _is_op,
    _is_element_type,
    _is_tuple_of(is_size, MOST_OPERANDS),
    _either(_is_variable, _is_number, _is_plain),
)
_is_formulas = _is_record(_is_tuple_of(_is_formula, MOST_LANES), _is_tuple_of(is_size))
_is_shape = _is_tuple_of(is_extent)
_is_windows = _is_tuple_of(_is_record(is_extent, is_extent))
_is_axes = _is_tuple_of(is_size)
_SHAPE = ("a list of extents, each in 0..2⁶³-1", _is_shape)
_WINDOWS = ("a list of pairs of counts, one for each axis", _is_windows)
_NAME = (f"a name of at most {LONGEST_NAME} characters", _is_name)
_TEXT = ("a text", _is_text)
_AXES = (
    f"a list of (axis, size), each size in 0..{MOST_LANES}",
    _is_tuple_of(_is_record(is_integer, _is_lanes)),
)
_REDUCING = ("an operation", _is_op)

_FORMS: Mapping[Op, tuple[str, Callable[[Any], bool]]] = {
    Op.SINK: ("the name of a kernel, the shapes of arguments, or nothing", _is_kernel_or_shapes),
    Op.LINEAR: ("the name of a kernel, or nothing", _is_kernel),
    Op.NAME: _NAME,
    Op.DEVICE: _NAME,
    Op.SPECIAL: _NAME,
    Op.CUSTOM: _TEXT,
    Op.CUSTOMI: _TEXT,
    Op.CUSTOM_FUNCTION: _TEXT,
    Op.SOURCE: _TEXT,
    Op.PROGRAM_BINARY: ("bytes", _is_bytes),
    Op.MULTI: ("(axis or nothing, one truth value for each shard)", _is_record(_either(_is_none, is_size), _is_tuple_of(_is_bool))),
    Op.MSELECT: ("the number of a device", is_size),
    Op.ALLREDUCE: _REDUCING,
    Op.COPY: ("a truth value or nothing", _either(_is_none, _is_bool)),
    Op.DEFINE_VAR: ("(name, least, greatest)", _is_record(_is_name, _is_large_integer, _is_large_integer)),
    Op.EMPTY: (_SHAPE[0], _either(_is_none, _is_shape)),
    Op.CONST: ("a number", _is_number),
    Op.VCONST: ("a list of numbers", _is_tuple_of(_is_number, MOST_LANES)),
    Op.RESHAPE: _SHAPE,
    Op.EXPAND: _SHAPE,
    Op.PERMUTE: ("a list of axes", _is_axes),
    Op.PAD: _WINDOWS,
    Op.SHRINK: _WINDOWS,
    Op.FLIP: ("one truth value for each axis", _is_tuple_of(_is_bool)),
    Op.VIEW: ("a view", _is_view),
    Op.PARAM: ("(slot, size)", _is_record(is_size, is_extent)),
    Op.BUFFER: ("a size", is_size),
    Op.BUFFERIZE: ("options or nothing", _is_options),
    Op.BUFFER_VIEW: ("(size, offset)", _is_record(is_size, is_size)),
    Op.STORE: ("an operation or nothing", _either(_is_none, _is_op)),
    Op.DEFINE_GLOBAL: ("the number of an argument", is_size),
    Op.REDUCE_AXIS: ("(operation, axes)", _is_record(_is_op, _is_axes)),
    Op.REDUCE: _REDUCING,
    Op.SCAN_AXIS: ("(operation, axes)", _is_record(_is_op, _is_axes)),
    Op.RECUR_AXIS: ("(formulas of a recurrence, axes)", _is_record(_is_formulas, _is_axes)),
    Op.CARRY: ("(number of a recurrence, number of a kept value, number of elements)", _is_record(is_size, is_size, is_size)),
    Op.RECUR: ("a number of pairs", is_size),
    Op.SCAN: ("(operation, truth value)", _is_record(_is_op, _is_bool)),
    Op.ARGREDUCE_AXIS: ("(operation, axes)", _is_record(_is_op, _is_axes)),
    Op.SCATTER_AXIS: ("(operation, axes)", _is_record(_is_op, _is_axes)),
    Op.ARGREDUCE: ("(operation, the number of a member)", _is_record(_is_op, is_size)),
    Op.RANGE: ("(number, axis type), or a number", _either(is_integer, _is_record(is_integer, _is_axis))),
    Op.GEP: ("a list of lanes", _is_tuple_of(is_size, MOST_LANES)),
    Op.UNROLL: _AXES,
    Op.CONTRACT: _AXES,
    Op.GET_TUPLE: ("a number", is_size),
}  # fmt: skip
