"""One elementary function as C text, for one float dtype and every number of lanes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from eqsat.codegen.dialects import Dialect
from eqsat.codegen.dialects.dialect import suffix
from eqsat.dtype import DType, float64, int32, int64, uint64

REGISTER_BITS = frozenset({128, 256, 512})  # of vectors on x86


@dataclass(frozen=True, slots=True)
class Rows:
    """A constant array that each lane reads a few elements of, side by side.

    Attributes:
        table: its name, without the type at its end.
        values: the names of the elements of a row, two or four, each of as many lanes as there are places.
    """

    table: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """The text of one C function, a template as `Dialect` has them.

    $T is the value type (`float8`), $S its scalar, $I and $U the signed and the unsigned integer type of the same
    width and lanes, $D, $L and $M `double`, `long` and `ulong` with as many lanes, $N the lanes as a suffix, $lanes their number,
    $gathered statements that read the row of each lane of which the first element is at a $U called `place`,
    $merged statements that return whether a lane of an $I called `mask` is not 0, where each has all bits or none.

    Attributes:
        text: the definition of `name_$T`, in which names of other functions end in `_$T` or `_$S`.
        needs: functions called with as many lanes.
        needs_scalar: functions called lane by lane.
        of_vectors: the function for several lanes, where it is another.
        rows: what $gathered reads.
    """

    text: str
    needs: tuple[str, ...] = ()
    needs_scalar: tuple[str, ...] = ()
    of_vectors: Function | None = None
    rows: Rows | None = None

    def of(self, dtype: DType) -> Function:
        """This function for as many lanes as `dtype` has."""
        return self.of_vectors if self.of_vectors and dtype.lanes > 1 else self

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
        )


def _merged(integer: DType, lanes: int, dialect: Dialect) -> str:
    """One half of the lanes or the other, until two are left: compilers see one instruction in it, and none in `any`.

    With registers of masks it is two, which are asked for by name.
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
    if not dialect.masks_of_x86 or bits not in REGISTER_BITS:
        return plain
    asked = f"__builtin_ia32_cvt{'q' if integer.bits == 64 else 'd'}2mask{bits}(mask) != 0"
    return f"#ifdef __AVX512DQ__\n    return {asked};\n#else\n{plain}\n#endif"


def _gathered(rows: Rows, dtype: DType, dialect: Dialect) -> str:
    """Each row is one load, and rows are transposed: some shuffles of whole registers instead of one for each element."""
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
    ):  # each width-th row: blocks of a vector, of which that of one lane is beside those of the next in the others
        blocks = ", ".join(f"row{lane}" for lane in range(first, lanes, width))
        statements.append(f"const {kind} rows{first} = ({kind})({blocks});")
    return "\n    ".join([*statements, *_transposed(rows.values, kind, lanes, dialect.shuffle)])


def _transposed(values: Sequence[str], kind: str, lanes: int, shuffle: str) -> Iterator[str]:
    """Statements that make `values` of the columns of `rows0`, `rows1` and so on, block by block.

    Columns that are half a row of four apart meet first: doubles of one vector change places only within 128 bits in one cheap instruction.
    """
    width = len(values)

    def picked(name: str, first: str, second: str, *own: int) -> str:
        """Elements of each block of two vectors: those from `width` on are of the second."""
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


# By name of the function and scalar dtype that it computes in.
FunctionTable = dict[tuple[str, DType], Function]
