"""What C-like languages spell differently: one `Dialect` for each language that kernels are rendered in.

To add a dialect, write its row beside these (`opencl`, `c`), list it in `dialects`, and render the golden kernels in it. A dialect
decides only how things are spelled, not what is rendered or in which order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from string import Template, digits
from types import MappingProxyType

from eqsat.dtype import AddrSpace, DType, index

DIMENSIONS = 3  # the most dimensions of an OpenCL launch
COORDINATES = tuple(f"{prefix}{axis}" for prefix in ("gid", "gidx", "lid") for axis in range(DIMENSIONS))
"""The names of SPECIALs: `gid` (work-item), `gidx` (group) or `lid` (work-item in its group), and a dimension."""

SCALARS = {
    "bool": "bool", "index": "long",
    "int8": "char", "int16": "short", "int32": "int", "int64": "long",
    "uint8": "uchar", "uint16": "ushort", "uint32": "uint", "uint64": "ulong",
    "float16": "float", "bfloat16": "float", "float32": "float", "float64": "double",
}  # fmt: skip
"""The OpenCL C type of a value in a register, by the name of its dtype."""

_STORAGE = {"bool": "uint8", "float16": "uint16", "bfloat16": "uint16"}
_MASKS = {8: "int8", 16: "int16", 32: "int32", 64: "int64"}
_NOTHING: Mapping[str, str] = MappingProxyType({})
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Dialect:
    """One C-like language, or the form of a language that one kind of compiler reads.

    A template is a `string.Template` whose names `helpers` and `functions.function` explain. In addition, `$inline` stands before each
    function, `$table` before each constant array and `$in_table` before a pointer into one. `$contracted`, `$uncontracted` and
    `$unrolled` are lines of their own, which are left out if the language has no such directive.

    Attributes:
        name: the name of the language in messages.
        scalars: the type of a value in a register, by the name of its dtype; a vector type has the number of lanes at its end.
        kernel: the text before the name of a kernel.
        spaces: the qualifier before the type that a pointer points to, by address space.
        table, in_table, inline: see above.
        contracted, uncontracted: the directives that allow or forbid the compiler to round a product and a sum only once (contraction).
        unrolled: the directive that unrolls the following loop.
        double: the directive that a text with doubles begins with.
        head: the text that every file begins with.
        coordinates: the call that gives a work-item's number, by the name of a SPECIAL.
        barrier: the statement at which the work-items of a group wait for each other.
        functions: the functions on integers that the language has; the others are written out.
        templates: the helper functions that are written differently in this language.
        definitions: definitions of names that texts use and the language lacks, by name or by a pattern of names; each is put before the texts
            that use it.
        matrices: the instructions for products of matrices that the language can write, by their text in `eqsat.fragments`.
        items_are_lanes: whether neighbouring work-items run as the lanes of one register, as on graphics cards.
        sub_group: the number of work-items of a sub-group, which are consecutive items of a group and reduce without local memory; 0 if unknown.
        sub_group_attribute: the attribute of kernels that reduce in sub-groups; it requests sub-groups of that size.
        sequential: whether one thread does the whole launch, one lane at a time: the language has neither work-items nor vectors.
        masks_shifts: whether the language takes the amount of a shift modulo the width.
        index_bits: the bits of positions and loop variables.
        short_indices: whether a kernel uses 32-bit indices if all its positions fit, as on graphics cards, which take several instructions
            for 64-bit arithmetic.
        aligned_bytes: arrays begin at a multiple of so many bytes; 0 if they may begin anywhere. Vectors up to this size are accessed whole
            where their position is a multiple of their lanes.
        vector_pointers: whether vectors are read and written through pointers to under-aligned vector types, which every compiler built on Clang
            has; otherwise `vloadN` and `vstoreN` are used. PoCL 3.0 aborts on the 16-wide functions.
        shuffle: the function that picks lanes of two vectors of one type, which every compiler built on Clang has; if empty, lanes are picked
            one by one.
        stream: the function that stores a vector past the caches, which every compiler built on Clang has; if empty, such stores are plain.
        restrict: the qualifier of an argument that nothing else writes to. It lets a graphics card load for later iterations before it stores;
            empty if processors run ahead by themselves.
        x86_builtins: whether compilers for x86 may read the text. It then names their builtin functions for masks (AVX-512) and for dot products of
            bytes, and divides vectors of integers as floats.
        gathers: whether the text names the builtin function by which compilers for x86 with AVX-512 load lanes from arbitrary addresses.
        tiles: whether kernels may use the matrix registers of x86 (AMX); `definitions` has their instructions.
        float64: whether double arithmetic exists.
        contract: whether the compiler may round a product and a sum only once.
    """

    name: str
    scalars: Mapping[str, str]
    kernel: str
    spaces: Mapping[AddrSpace, str]
    inline: str
    table: str
    in_table: str = ""
    contracted: str = ""
    uncontracted: str = ""
    unrolled: str = ""
    double: str = ""
    head: str = ""
    coordinates: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    barrier: str = ""
    functions: frozenset[str] = frozenset()
    templates: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    definitions: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    matrices: frozenset[str] = frozenset()
    items_are_lanes: bool = False
    sub_group: int = 0
    sub_group_attribute: str = ""
    sequential: bool = False
    masks_shifts: bool = True
    index_bits: int = 64
    short_indices: bool = False
    aligned_bytes: int = 0
    vector_pointers: bool = True
    shuffle: str = ""
    stream: str = ""
    restrict: str = ""
    x86_builtins: bool = False
    gathers: bool = False
    tiles: bool = False
    float64: bool = True
    contract: bool = True

    @property
    def doubles_are_fast(self) -> bool:
        """Whether doubles run at about half the speed of floats, as on processors. On graphics cards they take up to 64 times as long."""
        return self.float64 and not self.items_are_lanes

    def with_short_indices(self) -> Dialect:
        """The same language for a kernel whose positions fit in 32 bits."""
        return replace(self, index_bits=32, scalars={**self.scalars, index.name: self.scalars["int32"]})

    def bits(self, dtype: DType) -> int:
        """The bits of one lane of a value in a register."""
        return self.index_bits if dtype.scalar.is_index else dtype.bits

    def value_type(self, dtype: DType, mask_bits: int = 32) -> str:
        """The type of a value in a register: half precision is held in float, a vector of bools as a mask of signed integers."""
        if dtype.is_bool and dtype.lanes > 1:
            return self.scalars[_MASKS[mask_bits]] + str(dtype.lanes)
        return self.scalars[dtype.scalar.name] + suffix(dtype.lanes)

    def storage_type(self, dtype: DType) -> str:
        """The type of one element in memory."""
        name = dtype.scalar.name
        return self.scalars[_STORAGE.get(name, name)]

    def mask_bits(self, dtype: DType) -> int:
        """The bits of one lane of the mask that a comparison of values of `dtype` gives."""
        return 32 if is_rounded(dtype) else max(8, self.bits(dtype))

    def unsigned_type(self, dtype: DType) -> str:
        """The unsigned integer type of the width of `dtype`."""
        return self.scalars[f"uint{self.bits(dtype)}"] + suffix(dtype.lanes)

    def fill(self, template: str, **names: object) -> str:
        """Fills a template in for this language."""
        directives = {
            "contracted": self.contracted,
            "uncontracted": self.uncontracted,
            "unrolled": self.unrolled,
        }
        lacking = {f"${name}" for name, line in directives.items() if not line}
        if lacking:
            template = "\n".join(line for line in template.split("\n") if line.strip() not in lacking)
        own = {"inline": self.inline, "table": self.table, "in_table": self.in_table}
        return Template(template).substitute(names | directives | own)

    def whole(self, text: str) -> str:
        """A complete file: the head, then the definitions that the text uses, then the text of kernels and helper functions."""
        words = set(_WORD.findall(text))
        directives = [self.contracted if self.contract else self.uncontracted]
        if any(word.rstrip(digits) == "double" for word in words):
            directives.insert(0, self.double)
        head = "\n".join(line for line in (self.head, *directives) if line)
        return "\n".join([head, "", self.defined(text)])

    def defined(self, text: str) -> str:
        """The text, preceded by the definitions of names that it uses and the language lacks."""
        words = set(_WORD.findall(text))
        definitions: list[str] = []
        for name in reversed(list(self.definitions)):  # a definition names only those before it
            if name in words or (not name.isidentifier() and any(re.fullmatch(name, word) for word in words)):
                definitions.insert(0, self.definitions[name])
                words.update(_WORD.findall(self.definitions[name]))
        return "\n".join([*definitions, *([""] if definitions else []), text])


def suffix(lanes: int) -> str:
    """The suffix that makes a vector type from the name of a scalar type; empty for one lane."""
    return "" if lanes == 1 else str(lanes)


def is_rounded(dtype: DType) -> bool:
    """Whether values are computed in float and rounded after each operation."""
    return dtype.kind == "f" and dtype.bits == 16
