"""Instructions for the matrix registers of x86 (AMX) in OpenCL C, written as bytes so that compilers need not know them.

The numbers of matrix registers and the signedness of the factors are constants in the bytes. The bytes also fix the general registers that
hold addresses and steps.
"""

from __future__ import annotations

from dataclasses import replace

from eqsat.codegen.dialects.dialect import Dialect

_ELSEWHERE = (
    "#ifdef __x86_64__\n{}\n#else\n#define {}\n#endif"  # other processors, and simulators, do without
)
INSTRUCTIONS = {
    "TILE_SHAPES": _ELSEWHERE.format(
        '#define TILE_SHAPES(shapes) __asm__ volatile(".byte 0xc4, 0xe2, 0x78, 0x49, 0x00" :: "a"(shapes) : "memory")',
        "TILE_SHAPES(shapes)",
    ),
    "TILE_RELEASE": _ELSEWHERE.format(
        '#define TILE_RELEASE() __asm__ volatile(".byte 0xc4, 0xe2, 0x78, 0x49, 0xc0")', "TILE_RELEASE()"
    ),
    "TILE_ZERO": '#define TILE_ZERO(tile) __asm__ volatile(".byte 0xc4, 0xe2, 0x7b, 0x49, %c0" :: "i"(0xc0 | (tile) << 3))',
    "TILE_LOAD": (
        '#define TILE_LOAD(tile, from, step) __asm__ volatile(".byte 0xc4, 0xe2, 0x7b, 0x4b, %c2, 0x08"'
        ' :: "a"(from), "c"(step), "i"(4 | (tile) << 3) : "memory")'
    ),
    "TILE_STORE": (
        '#define TILE_STORE(tile, to, step) __asm__ volatile(".byte 0xc4, 0xe2, 0x7a, 0x4b, %c2, 0x08"'
        ' :: "a"(to), "c"(step), "i"(4 | (tile) << 3) : "memory")'
    ),
    "TILE_PRODUCT": (
        '#define TILE_PRODUCT(sums, left, right, signs) __asm__ volatile(".byte 0xc4, 0xe2, %c0, 0x5e, %c1"'
        ' :: "i"((15 - (right)) << 3 | (signs)), "i"(0xc0 | (sums) << 3 | (left)))'
    ),
}
"""Macros of OpenCL C that encode LDTILECFG, TILERELEASE, TILEZERO, TILELOADD, TILESTORED, and TDPBUSD or TDPBSUD."""


def with_tiles(dialect: Dialect) -> Dialect:
    """OpenCL C for processors whose matrix registers may be used."""
    return replace(
        dialect,
        name=f"{dialect.name} with matrix registers",
        tiles=True,
        definitions={**dialect.definitions, **INSTRUCTIONS},
    )
