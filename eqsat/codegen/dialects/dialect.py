"""What C-like languages spell differently: one `Dialect` a language, which kernels are rendered in.

To add a dialect, write its row beside these (`opencl`, `c`), list it in `dialects`, and render the golden kernels in it. What is rendered
and in which order is none of its business: only how it is spelled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from string import Template, digits
from types import MappingProxyType

from eqsat.dtype import AddrSpace, DType, index

DIMENSIONS = 3  # of an OpenCL launch
COORDINATES = tuple(f"{prefix}{axis}" for prefix in ("gid", "gidx", "lid") for axis in range(DIMENSIONS))
"""The names of SPECIALs: `gid` (work-item), `gidx` (group) or `lid` (work-item in its group), and a dimension."""

SCALARS = {
    "bool": "bool", "index": "long",
    "int8": "char", "int16": "short", "int32": "int", "int64": "long",
    "uint8": "uchar", "uint16": "ushort", "uint32": "uint", "uint64": "ulong",
    "float16": "float", "bfloat16": "float", "float32": "float", "float64": "double",
}  # fmt: skip
"""The names of OpenCL C for the types of values in registers, by dtype."""

_STORAGE = {"bool": "uint8", "float16": "uint16", "bfloat16": "uint16"}
_MASKS = {8: "int8", 16: "int16", 32: "int32", 64: "int64"}
_NOTHING: Mapping[str, str] = MappingProxyType({})
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Dialect:
    """One C-like language, or one language as a kind of compilers reads it.

    A template is a `string.Template` whose names `helpers` and `functions.function` explain; besides, `$inline` stands before each
    function, `$table` before each constant array and `$in_table` before a pointer into one; `$contracted`, `$uncontracted` and
    `$unrolled` are lines of their own, left out where the language has no such directive.

    Attributes:
        name: for messages.
        scalars: the type of a value in a register, by the name of its dtype; a vector's has the number of lanes at its end.
        kernel: what stands before the name of a kernel.
        spaces: what stands before the type behind a pointer.
        table, in_table, inline: see above.
        contracted, uncontracted: directives that let a compiler round a product once with the sum that it is part of, or forbid it.
        unrolled: the directive that unrolls the following loop.
        double: the directive that a text with doubles begins with.
        head: what every text begins with.
        coordinates: the call that gives a work-item's number, by the name of a SPECIAL.
        barrier: the statement at which the work-items of a group wait for each other.
        functions: those on integers that the language has; the others are written out.
        templates: of helper functions that are written in this language only.
        definitions: what texts use and the language lacks, by name or a pattern of names; each is put before the texts that name it.
        matrices: the instructions for products of matrices that the language can write, by their text in `eqsat.fragments`.
        side_by_side: whether work-items are the lanes of a register, as on graphics cards.
        sub_group: items of a sub-group, which follow each other in a group and reduce without local memory; 0 where it is not known.
        sub_group_attribute: what stands before kernels whose sub-groups reduce, so that these have that many items.
        sequential: one thread does the whole launch, one lane at a time: the language has neither work-items nor vectors.
        masks_shifts: whether the language takes the amount of a shift modulo the width.
        index_bits: of positions and loop variables.
        short_indices: whether kernels whose positions all have room in 32 bits are better off with as many, as on graphics cards, which take several
            instructions for 64 bits.
        aligned_bytes: vectors up to this size are accessed whole where their position is a multiple of their lanes: arrays begin at a multiple
            of so many bytes. 0 where arrays begin anywhere.
        vector_pointers: vectors are read and written through pointers to under-aligned vector types, which every compiler built on Clang
            has; otherwise through `vloadN` and `vstoreN`. PoCL 3.0 aborts on the 16-wide functions.
        shuffle: the function that picks lanes of two vectors of one type, which every compiler built on Clang has; they are picked one by one
            where there is none.
        stream: the function that stores a vector past the caches, which every compiler built on Clang has; such stores are plain where there
            is none.
        restrict: what says of an argument that nothing else writes to it, so that a card loads what later iterations need before it stores; empty
            where processors run ahead by themselves.
        masks_of_x86: whether compilers for x86 may read it, which with AVX-512 are asked by name to move signs of lanes to a register of masks.
        gathers: whether compilers for x86 are asked by name, with AVX-512, for the instruction that loads lanes from anywhere.
        tiles: whether kernels may use the matrix registers of x86 (AMX), whose instructions `definitions` has.
        float64: whether double arithmetic exists.
        contract: whether the compiler may round a product once with the sum that it is part of.
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
    side_by_side: bool = False
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
    masks_of_x86: bool = False
    gathers: bool = False
    tiles: bool = False
    float64: bool = True
    contract: bool = True

    @property
    def wide(self) -> bool:
        """Whether doubles are about half as fast as floats, as on processors. Graphics cards take up to 64 times as long for them."""
        return self.float64 and not self.side_by_side

    def with_short_indices(self) -> Dialect:
        """The same language for a kernel whose positions have room in 32 bits."""
        return replace(self, index_bits=32, scalars={**self.scalars, index.name: self.scalars["int32"]})

    def bits(self, dtype: DType) -> int:
        """Bits of one lane of a value in a register."""
        return self.index_bits if dtype.scalar.is_index else dtype.bits

    def value_type(self, dtype: DType, mask_bits: int = 32) -> str:
        """The type of a value in a register: half precision is held in float, a vector of bools in a mask of signed integers."""
        if dtype.is_bool and dtype.lanes > 1:
            return self.scalars[_MASKS[mask_bits]] + str(dtype.lanes)
        return self.scalars[dtype.scalar.name] + suffix(dtype.lanes)

    def storage_type(self, dtype: DType) -> str:
        """The type of one element in memory."""
        name = dtype.scalar.name
        return self.scalars[_STORAGE.get(name, name)]

    def mask_bits(self, dtype: DType) -> int:
        """Bits of one lane of the mask that comparing such values gives."""
        return 32 if is_rounded(dtype) else max(8, self.bits(dtype))

    def unsigned_type(self, dtype: DType) -> str:
        """The unsigned integer type of the width of `dtype`."""
        return self.scalars[f"uint{self.bits(dtype)}"] + suffix(dtype.lanes)

    def fill(self, template: str, **names: object) -> str:
        """A template in this language."""
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
        """A text of kernels and helper functions, with what every file begins with and what the text uses."""
        words = set(_WORD.findall(text))
        directives = [self.contracted if self.contract else self.uncontracted]
        if any(word.rstrip(digits) == "double" for word in words):
            directives.insert(0, self.double)
        head = "\n".join(line for line in (self.head, *directives) if line)
        return "\n".join([head, "", self.defined(text)])

    def defined(self, text: str) -> str:
        """A text after the definitions of what it uses and the language lacks."""
        words = set(_WORD.findall(text))
        definitions: list[str] = []
        for name in reversed(list(self.definitions)):  # a definition names only those before it
            if name in words or (not name.isidentifier() and any(re.fullmatch(name, word) for word in words)):
                definitions.insert(0, self.definitions[name])
                words.update(_WORD.findall(self.definitions[name]))
        return "\n".join([*definitions, *([""] if definitions else []), text])


def suffix(lanes: int) -> str:
    """What follows the name of a scalar type to make it a vector."""
    return "" if lanes == 1 else str(lanes)


def is_rounded(dtype: DType) -> bool:
    """Whether values are computed in float and rounded after each operation."""
    return dtype.kind == "f" and dtype.bits == 16
