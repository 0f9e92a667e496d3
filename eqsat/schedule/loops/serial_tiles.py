"""How many tiles of a parallel range one work-item walks through."""

from __future__ import annotations

from functools import cache
from math import isqrt

SERIAL = (1, 2, 4, 8, 16, 32, 64, 128, 256)  # most tiles that one work-item walks through
REPEATED = 16  # at most one of so many tiles repeats the last one
MOST_TRIED = 1 << 16  # greatest number that is tried as a divisor of the number of tiles


@cache
def numbers_of_tiles(extent: int, tile: int, *, even: bool) -> tuple[int, ...]:
    """The numbers to try, the smallest first; see `serial_tiles`."""
    return tuple(dict.fromkeys(serial_tiles(extent, tile, most, even=even) for most in SERIAL))


@cache
def serial_tiles(extent: int, tile: int, most: int, *, even: bool) -> int:
    """The number of tiles that one work-item walks through, at most `most` if possible: a divisor of the number of all tiles, or nearly.

    If the divisors are much smaller than `most`, or if there are none, the last work-item has fewer tiles, and repeats the very last one. With
    `even`, only divisors are taken (see `Profile.shares_evenly`).

    If `tile` does not divide `extent`, the last tile overlaps the one before. One work-item must then compute both, or two would race, so
    the number is at least two, and the last work-item has at least two tiles.
    """
    tiles = -(-extent // tile)
    least = 2 if extent % tile else 1
    highest = min(most, tiles)

    def is_shared(number: int) -> bool:
        rest = tiles % number
        return not rest or (not even and rest >= least and (number - rest) * REPEATED <= tiles)

    lowest = least if even else max(least, highest // 2 + 1)
    if numbers := [number for number in range(lowest, highest + 1) if is_shared(number)]:
        return numbers[-1] if even else min(reversed(numbers), key=lambda number: -tiles % number)
    tried = range(least, min(isqrt(tiles), MOST_TRIED) + 1)
    return next((number for number in tried if is_shared(number)), tiles)
