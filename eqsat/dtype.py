"""Data types of elements.

A `DType` is a scalar or a short vector of scalars; a `PtrDType` is the address of elements in one of three memories.
`index` is a mathematical integer with known bounds, used for index arithmetic only; it has no width and is computed in 64 bits.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache

import numpy as np

from eqsat.errors import DTypeError, brief
from eqsat.support.enumeration import direct


@dataclass(frozen=True, slots=True, eq=False)
class DType:
    """One element type. `kind` is 'b' bool, 'i' signed, 'u' unsigned, 'f' float, 'x' index, 'v' void; `bits` is the width of one lane.

    It compares equal to NumPy dtypes as they do with each other, and NumPy accepts it as a dtype. NumPy has no bfloat16, `index` or
    vectors: these equal none of its dtypes, and NumPy refuses them.

    >>> float32 == np.float32, float32 == "float64", float32 in (np.dtype("f8"), np.dtype("f4"))
    (True, False, True)
    >>> np.zeros(2, dtype=int8).dtype
    dtype('int8')
    """

    name: str
    kind: str
    bits: int
    lanes: int = 1

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Callable[[str], DType | PtrDType], tuple[str]]:
        return parse_dtype, (self.name,)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, DType):
            return self.name == other.name
        if isinstance(other, str) and other == self.name:
            return True
        if isinstance(other, np.dtype | type | str):
            own = _NUMPY.get(self.name)
            return own is not None and bool(own == other)
        return NotImplemented

    def __hash__(self) -> int:
        return _HASHES.get(self.name) or hash(self.name)

    @property
    def dtype(self) -> np.dtype:
        """The NumPy dtype of this element type; NumPy itself reads this attribute.

        Raises:
            DTypeError: NumPy has no such type.
        """
        if self.name not in _NUMPY:
            raise DTypeError(
                f"NumPy has no dtype {self}; hold its values in {to_numpy(self) if self.kind != 'v' else 'another one'}"
            )
        return _NUMPY[self.name]

    @property
    def type(self) -> type[np.generic]:
        """NumPy's class of one element, such as `numpy.float32`."""
        return self.dtype.type

    @property
    def __numpy_dtype__(self) -> np.dtype:
        return self.dtype

    def vec(self, lanes: int) -> DType:
        """A vector of `lanes` elements of this scalar type; one lane is the scalar itself."""
        if lanes.__class__ is not int:
            raise DTypeError(f"a vector of {self} has lanes, a number from 1, not {brief(lanes)}")
        scalar = self.scalar
        return scalar if lanes == 1 else _vector(scalar, lanes)

    @property
    def scalar(self) -> DType:
        """The type of one lane."""
        return self if self.lanes == 1 else _scalar(self.name, self.lanes)

    @property
    def itemsize(self) -> int:
        """Bytes of one value, all lanes included; a bool takes one byte."""
        return max(1, self.bits // 8) * self.lanes

    @property
    def is_float(self) -> bool:
        """Whether a lane is an IEEE (or bfloat16) floating-point number."""
        return self.kind == "f"

    @property
    def significand(self) -> int:
        """Bits of the significand of a float, the hidden one included: all whole numbers of as many bits are floats."""
        return _FORMATS[self.scalar.name][0]

    @property
    def least_exponent(self) -> int:
        """The exponent of the least normal number of a float, a power of two."""
        return _FORMATS[self.scalar.name][1]

    @property
    def greatest_exponent(self) -> int:
        """The exponent of the greatest power of two of a float."""
        return 1 - self.least_exponent

    @property
    def greatest_number(self) -> float:
        """The greatest finite number of a float.

        >>> float16.greatest_number, float64.greatest_number
        (65504.0, 1.7976931348623157e+308)
        """
        return _FORMATS[self.scalar.name][2]

    @property
    def is_int(self) -> bool:
        """Whether a lane is a fixed-width, wrapping integer."""
        return self.kind in "iu"

    @property
    def is_signed(self) -> bool:
        """Whether a lane is a fixed-width signed integer."""
        return self.kind == "i"

    @property
    def is_bool(self) -> bool:
        """Whether a lane is a truth value."""
        return self.kind == "b"

    @property
    def is_index(self) -> bool:
        """Whether this is the mathematical integer of index arithmetic."""
        return self.kind == "x"

    @property
    def min(self) -> int:
        """The least value of a bool, fixed-width integer or index (which is computed in 64 bits)."""
        return -(1 << (self.bits - 1)) if self.kind in "ix" else 0

    @property
    def max(self) -> int:
        """The greatest value of a bool, fixed-width integer or index."""
        return (1 << (self.bits - (self.kind in "ix"))) - 1

    @property
    def all_ones(self) -> int:
        """The bool, fixed-width integer or index whose bits are all set."""
        return self.max if self.kind in "ub" else -1


@direct
class AddrSpace(Enum):
    """The memory that a pointer points into."""

    GLOBAL = "global"
    LOCAL = "local"
    REG = "reg"


@dataclass(frozen=True, slots=True)
class PtrDType:
    """The address of `size` elements of `base` in `space`."""

    base: DType
    space: AddrSpace
    size: int

    def __repr__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """The name as printed and serialized: `float32*global[64]`."""
        return f"{self.base.name}*{self.space.value}[{self.size}]"

    @property
    def scalar(self) -> DType:
        """The type of one lane of the element pointed to."""
        return self.base.scalar

    @property
    def lanes(self) -> int:
        """Lanes of the element pointed to."""
        return self.base.lanes


@cache
def _scalar(name: str, lanes: int) -> DType:
    return _BY_NAME[name[: -len(str(lanes)) - 1]]


@cache
def _vector(scalar: DType, lanes: int) -> DType:
    if lanes < 1 or scalar.kind == "v":
        raise DTypeError(
            f"no vector of {lanes} lanes of {scalar}; lanes must be positive and the scalar a value type"
        )
    return replace(scalar, name=f"{scalar.name}x{lanes}", lanes=lanes)


void = DType("void", "v", 0)
index = DType("index", "x", 64)
bool_ = DType("bool", "b", 1)
int8, int16, int32, int64 = (DType(f"int{bits}", "i", bits) for bits in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (DType(f"uint{bits}", "u", bits) for bits in (8, 16, 32, 64))
float16, float32, float64 = (DType(f"float{bits}", "f", bits) for bits in (16, 32, 64))
bfloat16 = DType("bfloat16", "f", 16)

SIGNED = (int8, int16, int32, int64)
UNSIGNED = (uint8, uint16, uint32, uint64)
INTS = SIGNED + UNSIGNED
FLOATS = (float16, bfloat16, float32, float64)
ALL = (bool_, *INTS, *FLOATS, index)
LANES = (2, 3, 4, 8, 16)  # lanes of vectors in OpenCL C; in memory three of them have no padding either
# The bits of the significand, the hidden one included; the least exponent of a normal number; and the greatest number
_FORMATS = {
    name: (bits, least, (2 - 2.0 ** (1 - bits)) * 2.0 ** (1 - least))
    for name, bits, least in (
        ("float16", 11, -14),
        ("bfloat16", 8, -126),
        ("float32", 24, -126),
        ("float64", 53, -1022),
    )
}
_BY_NAME = {dtype.name: dtype for dtype in (void, *ALL)}
_NUMPY = {dtype.name: np.dtype(dtype.name) for dtype in (bool_, *INTS, float16, float32, float64)}
_HELD = {
    index.name: np.dtype(np.int64),
    bfloat16.name: np.dtype(np.float32),
}  # by which types NumPy holds what it has not got
# Equal dtypes have equal hashes, NumPy's and ours
_HASHES = {name: hash(dtype) for name, dtype in _NUMPY.items()}
_FROM_NUMPY = {dtype: _BY_NAME[name] for name, dtype in _NUMPY.items()}


def parse_dtype(name: str) -> DType | PtrDType:
    """The dtype whose `.name` this is.

    Raises:
        DTypeError: no dtype has this name.
    """
    if "*" in name:
        base, _, rest = name.partition("*")
        space, _, size = rest.partition("[")
        if space in {member.value for member in AddrSpace} and size[:-1].isdigit() and size.endswith("]"):
            element = parse_dtype(base)
            assert isinstance(element, DType)
            return PtrDType(element, AddrSpace(space), int(size[:-1]))
    if name in _BY_NAME:
        return _BY_NAME[name]
    scalar, _, lanes = name.rpartition("x")
    if scalar in _BY_NAME and lanes.isdigit():
        return _BY_NAME[scalar].vec(int(lanes))
    raise DTypeError(
        f"no dtype is named {name!r}; there are {', '.join(_BY_NAME)}, vectors such as float32x8, and pointers"
    )


def from_numpy(dtype: np.dtype | type | str) -> DType:
    """The element type of a NumPy array. bfloat16 is found by its name, since NumPy has it only from packages such as ml_dtypes.

    Raises:
        DTypeError: eqsat has no such type (complex, object, strings, dates).
    """
    given = np.dtype(dtype)
    found = bfloat16 if given.name == "bfloat16" else _FROM_NUMPY.get(given.newbyteorder("="))
    if found is None:
        raise DTypeError(f"NumPy's {given} has no eqsat dtype; convert it to one of {', '.join(_NUMPY)}")
    return found


def to_numpy(dtype: DType) -> np.dtype:
    """The NumPy type that holds one lane exactly: `index` is an int64; a bfloat16 is held, already rounded, in a float32.

    Raises:
        DTypeError: void has no elements.
    """
    found = _NUMPY.get(dtype.scalar.name) or _HELD.get(dtype.scalar.name)
    if found is None:
        raise DTypeError(f"{dtype} has no elements, so NumPy cannot hold it")
    return found


def nearest(dtype: DType, value: float) -> float:
    """The number of a float dtype that is nearest to `value`; an infinity beyond the largest.

    >>> nearest(float16, 0.1), nearest(float16, 1e6), nearest(bfloat16, 1.0078125 + 2**-9)
    (0.0999755859375, inf, 1.0078125)
    """
    form = {float16: "<e", float32: "<f", bfloat16: "<f"}.get(dtype.scalar)
    if form is None:
        return value
    try:
        bits = struct.pack(form, value)
    except OverflowError:
        return math.copysign(math.inf, value)
    if dtype.scalar == bfloat16 and not math.isnan(value):
        whole = int.from_bytes(bits, "little")
        bits = ((whole + 0x7FFF + (whole >> 16 & 1)) & 0xFFFF0000).to_bytes(4, "little")
    return struct.unpack(form, bits)[0]


@cache
def promote(*dtypes: DType) -> DType:
    """The type of a result computed from arrays of these types, by NumPy's promotion table.

    `index` gives way to any other dtype. bfloat16 with itself, integers and bools gives bfloat16; with another float it counts as float32.
    """
    known = [dtype for dtype in dtypes if dtype is not index]
    if not known:
        return index
    if bfloat16 in known:
        others = [dtype for dtype in known if dtype is not bfloat16]
        if not any(dtype.is_float for dtype in others):
            return bfloat16
        known = [float32, *others]
    return from_numpy(np.result_type(*(to_numpy(dtype) for dtype in known)))


def wrap(dtype: DType, value: bool | int | float) -> bool | int | float:
    """`value` as a constant of `dtype`: fixed-width integers wrap, floats are rounded."""
    if dtype.is_float:
        return nearest(dtype, value)
    if not dtype.is_int:
        return value
    wrapped = int(value) & ((1 << dtype.bits) - 1)
    return wrapped - (1 << dtype.bits) if dtype.is_signed and wrapped > dtype.max else wrapped
