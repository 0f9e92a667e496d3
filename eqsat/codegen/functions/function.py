"""One elementary function as C text, for one float dtype and every number of lanes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from eqsat.codegen.dialects import Dialect
from eqsat.codegen.dialects.dialect import suffix
from eqsat.dtype import DType, float32, float64, int32, int64, uint64

REGISTER_BITS = frozenset({128, 256, 512})  # sizes of vector registers on x86


@dataclass(frozen=True, slots=True)
class Rows:
    """A constant array from which each lane reads one row of adjacent elements.

    Attributes:
        table: the name of the array, without the type at its end.
        values: the names of the two or four variables for the elements of a row; each is a vector with one lane for each row that is read.
    """

    table: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """The text of one C function, a template as explained in `Dialect`.

    $T is the value type (`float8`), $S its scalar, $I and $U the signed and the unsigned integer type of the same
    width and lanes. $D, $L and $M are `double`, `long` and `ulong` with as many lanes, $N is the lanes as a suffix, $lanes their number.
    $gathered is statements that read a row for each lane; a $U called `place` has the positions of their first elements.
    $merged is statements that return whether any lane of an $I called `mask` is not 0; each lane has all bits set or none.
    $picked is statements that return the element of `column`, a pointer to 16 of them, that each lane of a $U called `row` names by its
    lowest four bits.

    Attributes:
        text: the definition of `name_$T`, in which names of other functions end in `_$T` or `_$S`.
        needs: the functions that it calls with as many lanes.
        needs_scalar: the functions that it calls lane by lane.
        vector_form: the function for several lanes, if it differs from that for one.
        rows: the table that $gathered reads.
    """

    text: str
    needs: tuple[str, ...] = ()
    needs_scalar: tuple[str, ...] = ()
    vector_form: Function | None = None
    rows: Rows | None = None

    def of(self, dtype: DType) -> Function:
        """This function for as many lanes as `dtype` has."""
        return self.vector_form if self.vector_form and dtype.lanes > 1 else self

    def render(self, dtype: DType, dialect: Dialect) -> str:
        """The definition for values of `dtype`, float32 or float64 in any number of lanes, in a language."""
        lanes = dtype.lanes
        integer = int64 if dtype.scalar == float64 else int32
        return dialect.fill(
            self.text,
            T=dialect.value_type(dtype),
            S=dialect.value_type(dtype.scalar),
            I=dialect.value_type(integer.vec(lanes)),
            U=dialect.unsigned_type(integer.vec(lanes)),
            D=dialect.value_type(float64.vec(lanes)),
            L=dialect.value_type(int64.vec(lanes)),
            M=dialect.value_type(uint64.vec(lanes)),
            N=suffix(lanes),
            lanes=lanes,
            gathered=_gathered(self.rows, dtype, dialect) if self.rows else "",
            merged=_merged(integer, lanes, dialect),
            picked=_picked(dtype, dialect),
        )


def _merged(integer: DType, lanes: int, dialect: Dialect) -> str:
    """Combines the halves of the mask by OR until two or three lanes are left. Compilers turn this into one instruction, but not `any`.

    With the mask registers of AVX-512 it takes two instructions, which the text names.
    """
    statements: list[str] = []
    name = "mask"
    rest = lanes
    while rest > 3:
        rest //= 2
        half = f"mask{rest}"
        statements.append(f"const {dialect.value_type(integer.vec(rest))} {half} = {name}.lo | {name}.hi;")
        name = half
    parts = [f"{name}.s{lane}" for lane in range(rest)] if rest > 1 else [name]
    statements.append(f"return ({' | '.join(parts)}) != 0;")
    plain = "\n".join(f"    {each}" for each in statements)
    bits = lanes * integer.bits
    if not dialect.x86_builtins or bits not in REGISTER_BITS:
        return plain
    asked = f"__builtin_ia32_cvt{'q' if integer.bits == 64 else 'd'}2mask{bits}(mask) != 0"
    return f"#ifdef __AVX512DQ__\n    return {asked};\n#else\n{plain}\n#endif"


def _picked(dtype: DType, dialect: Dialect) -> str:
    """The statements of $picked: one by one, or by the instructions that AVX2 and AVX-512 have for 8 and 16 floats in registers."""
    kind, scalar, lanes = dialect.value_type(dtype), dialect.value_type(dtype.scalar), dtype.lanes
    if lanes == 1:
        return "    return column[row & 15];"
    loop = [
        f"{kind} found;",
        *([dialect.unrolled] if dialect.unrolled else []),
        f"for (int lane = 0; lane < {lanes}; lane++)",
        f"    (({scalar} *)&found)[lane] = column[(({dialect.unsigned_type(dtype.scalar)} *)&row)[lane] & 15];",
        "return found;",
    ]
    if not dialect.x86_builtins or dtype.scalar != float32 or lanes < 8:
        return "\n".join(f"    {line}" for line in loop)
    pointer = f"{dialect.in_table}const registers *"
    by_eight = [
        _REGISTERS.format(8),
        f"const float8 low = *({pointer})column, high = *({pointer})(column + 8);",
        *_picked_by_eight("row" if lanes == 8 else "row.lo", "first"),
        *(_picked_by_eight("row.hi", "second") if lanes == 16 else ()),
        "return first;" if lanes == 8 else "return (float16)(first, second);",
    ]
    by_sixteen = [
        _REGISTERS.format(16),
        f"return as_float16(__builtin_ia32_permvarsf512(*({pointer})column, as_int16(row)));",
    ]
    ways = [("__AVX2__", by_eight)]
    if lanes == 16:
        ways.insert(0, ("__AVX512F__", by_sixteen))
    lines: list[str] = []
    for place, (feature, statements) in enumerate(ways):
        lines += [f"#{'elif' if place else 'if'} defined({feature})", *(f"    {each}" for each in statements)]
    return "\n".join([*lines, "#else", *(f"    {each}" for each in loop), "#endif"])


_REGISTERS = "typedef float registers __attribute__((ext_vector_type({}), aligned(4)));"


def _picked_by_eight(row: str, name: str) -> list[str]:
    """Statements that declare `name`: eight lanes of elements from `low` and `high`. A selection looks at the highest bit of each lane."""
    picked = (f"as_float8(__builtin_ia32_permvarsf256({half}, {name}_row))" for half in ("high", "low"))
    return [
        f"const int8 {name}_row = as_int8({row});",
        f"const float8 {name} = {name}_row << 28 ? {' : '.join(picked)};",
    ]


def _gathered(rows: Rows, dtype: DType, dialect: Dialect) -> str:
    """The statements of $gathered. Each row is one load; the rows are transposed by shuffles of whole registers, not element by element."""
    kind, scalar, lanes = dialect.value_type(dtype), dialect.value_type(dtype.scalar), dtype.lanes
    integer = dialect.unsigned_type(dtype.scalar)
    table, width = f"{rows.table}_{kind}", len(rows.values)
    if not dialect.shuffle or lanes % width:
        parts = (f"(({scalar} *)&{value})[lane] = row[{place}];" for place, value in enumerate(rows.values))
        loop = [
            f"{kind} {', '.join(rows.values)};",
            *([dialect.unrolled] if dialect.unrolled else []),
            f"for (int lane = 0; lane < {lanes}; lane++) {{",
            f"    {dialect.in_table}const {scalar} *row = {table} + (({integer} *)&place)[lane];",
            *(f"    {part}" for part in parts),
            "}",
        ]
        return "\n    ".join(loop)
    row = f"{scalar}{width}"
    statements = [
        f"typedef {scalar} row __attribute__((ext_vector_type({width}), aligned({dtype.scalar.itemsize})));"
    ]
    for lane in range(lanes):
        at = f"(({integer} *)&place)[{lane}]"
        statements.append(f"const {row} row{lane} = *({dialect.in_table}const row *)({table} + {at});")
    for first in range(
        width
    ):  # a vector of every width-th row: the rows of lanes that follow each other are the same block of different vectors
        blocks = ", ".join(f"row{lane}" for lane in range(first, lanes, width))
        statements.append(f"const {kind} rows{first} = ({kind})({blocks});")
    return "\n    ".join([*statements, *_transposed(rows.values, kind, lanes, dialect.shuffle)])


def _transposed(values: Sequence[str], kind: str, lanes: int, shuffle: str) -> Iterator[str]:
    """Statements that declare `values` as the columns of `rows0`, `rows1` and so on, transposed block by block.

    In rows of four, columns that are half a row apart are collected first: one cheap instruction moves doubles only within 128 bits of a vector.
    """
    width = len(values)

    def picked(name: str, first: str, second: str, *own: int) -> str:
        """A shuffle that picks the same elements of each block of two vectors; numbers from `width` on are elements of the second."""
        places = (
            start + each % width + each // width * lanes for start in range(0, lanes, width) for each in own
        )
        return f"const {kind} {name} = ({kind})({shuffle}({first}, {second}, {', '.join(map(str, places))}));"

    if width == 2:
        for column, value in enumerate(values):
            yield picked(value, "rows0", "rows1", column, 2 + column)
        return
    for column, name in enumerate(("even", "odd")):
        for first in (0, 2):
            own = column, 4 + column, 2 + column, 6 + column
            yield picked(f"{name}{first}", f"rows{first}", f"rows{first + 1}", *own)
    for column, value in enumerate(values):
        name, half = ("even", "odd")[column % 2], column // 2 * 2
        yield picked(value, f"{name}0", f"{name}2", half, half + 1, 4 + half, 5 + half)


# Functions by name and by the scalar dtype that they compute in.
FunctionTable = dict[tuple[str, DType], Function]
