"""Functions in OpenCL C that multiply words of four bytes by the matrix registers of x86 (AMX)."""

from __future__ import annotations

from eqsat.codegen.dialects import Dialect
from eqsat.dtype import AddrSpace
from eqsat.machine import TILE_ROWS, TILE_VECTORS, TILE_WORDS

WORD = 4  # bytes
ROW_BYTES = WORD * TILE_WORDS
SUMS, LEFT, RIGHT, LAST_LEFT, LAST_RIGHT = range(TILE_VECTORS), 4, 5, 6, 7
"""The matrix registers: sums of up to four vectors; rows and columns of 16 words; rows and columns of the words left after the last 16."""

UNSIGNED_ROWS, SIGNED_ROWS = 1, 2  # TDPBUSD, TDPBSUD


def shapes_of(last: int) -> list[int]:
    """The operand of LDTILECFG, as 32 numbers of 16 bits: the bytes of a row, and the rows, of each register.

    `last` is the number of words left after the last group of 16.

    >>> shapes_of(5)[8:16], [hex(pair) for pair in shapes_of(5)[24:28]]
    ([64, 64, 64, 64, 64, 64, 20, 64], ['0x1010', '0x1010', '0x1010', '0x510'])
    """
    bytes_, rows = [ROW_BYTES] * 8, [TILE_ROWS] * 8
    if last:
        bytes_[LAST_LEFT], rows[LAST_RIGHT] = last * WORD, last
    pairs = [first | second << 8 for first, second in zip(rows[::2], rows[1::2], strict=True)]
    return [1, *[0] * 7, *bytes_, *[0] * 8, *pairs, *[0] * 4]


def function_name(vectors: int, signs: int, spaces: tuple[AddrSpace, AddrSpace]) -> str:
    """The name of the function for loops over `vectors` vectors of columns, where rows and columns are in these memories."""
    where = "_".join(space.name.lower() for space in spaces)
    return f"multiply_tiles_{vectors}_{where}{'' if signs == UNSIGNED_ROWS else '_signed'}"


def function(
    vectors: int, signs: int, spaces: tuple[AddrSpace, AddrSpace], dialect: Dialect, dot: str
) -> str:
    """The text of a function that stores the sums of 16 rows of each vector, one vector after the other; steps are in words.

    Processors without matrix registers compute the same by the function `dot`.
    """
    left, right = (dialect.spaces[space] for space in spaces)
    columns = "".join(
        f"{right}const int *columns{vector}, const long step{vector}, " for vector in range(vectors)
    )
    zeros = " ".join(f"TILE_ZERO({vector});" for vector in SUMS[:vectors])
    stores = " ".join(
        f"TILE_STORE({vector}, (ulong)(sums + {TILE_ROWS * vector}), {ROW_BYTES}UL);"
        for vector in SUMS[:vectors]
    )
    moves = " ".join(f"columns{vector} += {TILE_WORDS} * step{vector};" for vector in range(vectors))
    plain = "\n".join(
        f"            sums[row + {TILE_ROWS * vector}] = {_dot_of(dot, vector, signs)};"
        for vector in range(vectors)
    )
    return (
        f"// Of the words of {TILE_ROWS} rows times those of {TILE_WORDS * vectors} columns, by matrix registers.\n"
        f"{dialect.inline} void {function_name(vectors, signs, spaces)}("
        f"int16 *sums, {left}const int *rows, const long row_step, {columns}const long words) {{\n"
        f"#ifdef __x86_64__\n"
        f"    {zeros}\n"
        f"    for (long word = 0; word < words / {TILE_WORDS}; word++) {{\n"
        f"        {_products(vectors, signs, LEFT, RIGHT)}\n"
        f"        rows += {TILE_WORDS}; {moves}\n"
        f"    }}\n"
        f"    if (words % {TILE_WORDS}) {{ {_products(vectors, signs, LAST_LEFT, LAST_RIGHT)} }}\n"
        f"    {stores}\n"
        f"#else\n"
        f"    for (long row = 0; row < {TILE_ROWS * vectors}; row++) sums[row] = (int16)(0);\n"
        f"    for (long word = 0; word < words; word++) {{\n"
        f"        for (long row = 0; row < {TILE_ROWS}; row++) {{\n"
        f"            const int16 left = (int16)(rows[row * row_step + word]);\n"
        f"{plain}\n"
        f"        }}\n"
        f"    }}\n"
        f"#endif\n"
        "}"
    )


def _products(vectors: int, signs: int, left: int, right: int) -> str:
    each = (
        f"TILE_LOAD({right}, (ulong)columns{vector}, {WORD}UL * step{vector}); TILE_PRODUCT({vector}, {left}, {right}, {signs});"
        for vector in range(vectors)
    )
    return " ".join([f"TILE_LOAD({left}, (ulong)rows, {WORD}UL * row_step);", *each])


def _dot_of(dot: str, vector: int, signs: int) -> str:
    factors = ["left", f"vload16(0, columns{vector} + word * step{vector})"]
    if signs == SIGNED_ROWS:
        factors.reverse()
    return f"{dot}(sums[row + {TILE_ROWS * vector}], {', '.join(factors)})"
