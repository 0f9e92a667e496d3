"""Random arguments of movements and reductions."""

from __future__ import annotations

import random
from math import prod
from typing import Any

from eqsat.ops import Op
from eqsat.shape import Shape

FEW = 64  # the most elements that an EXPAND repeats many times
MANY = (512, 768, 523)  # how many times it repeats them


def random_movement(
    chance: random.Random, op: Op, shape: Shape, wanted: Shape | None = None, *, may_continue: bool = False
) -> tuple[Any, ...]:
    """Draws a legal argument for a movement of this shape, or axes to reduce or scan. PAD and EXPAND reach the shape `wanted` if they can.

    With `may_continue`, a quarter of other PADs continue one axis at its end, which is how arrays are padded before others are joined to them. A
    tenth of the EXPANDs of few elements repeat these many times along one axis, which is how labels are compared with many positions.
    """
    rank = len(shape)
    match op:
        case Op.RESHAPE:
            return _shape_of_as_many(chance, shape)
        case Op.PERMUTE:
            return tuple(chance.sample(range(rank), rank))
        case Op.EXPAND if wanted is not None and _expands(shape, wanted) and chance.random() < 0.5:
            return wanted
        case Op.EXPAND if may_continue and 1 in shape and prod(shape) <= FEW and chance.random() < 0.1:
            repeated = chance.choice([axis for axis, extent in enumerate(shape) if extent == 1])
            return tuple(chance.choice(MANY) if axis == repeated else n for axis, n in enumerate(shape))
        case Op.EXPAND:
            return tuple(chance.choice((0, 1, 2, 3, 4, 5)) if extent == 1 else extent for extent in shape)
        case Op.PAD if wanted is not None and _fits(shape, wanted):
            return tuple(_sides(chance, new - old) for old, new in zip(shape, wanted, strict=True))
        case Op.PAD if may_continue and rank and chance.random() < 0.25:
            continued = chance.randrange(rank)
            return tuple((0, chance.randint(1, 3) if axis == continued else 0) for axis in range(rank))
        case Op.PAD:
            return tuple((chance.choice((0, 0, 1, 2)), chance.choice((0, 0, 1, 3))) for _ in shape)
        case Op.SHRINK:
            return tuple(_window(chance, extent) for extent in shape)
        case Op.FLIP:
            return tuple(chance.random() < 0.5 for _ in shape)
        case Op.SCAN_AXIS:
            return (chance.randrange(max(1, rank)),)
        case _:
            return tuple(chance.sample(range(rank), chance.choice((rank, chance.randint(0, rank)))))


def _expands(shape: Shape, wanted: Shape) -> bool:
    return len(shape) == len(wanted) and all(old in (1, new) for old, new in zip(shape, wanted, strict=True))


def _fits(shape: Shape, wanted: Shape) -> bool:
    return len(shape) == len(wanted) and all(old <= new for old, new in zip(shape, wanted, strict=True))


def _sides(chance: random.Random, zeros: int) -> tuple[int, int]:
    """Splits a number of zeros at random into those before and those after."""
    before = chance.choice((0, zeros, chance.randint(0, zeros)))
    return before, zeros - before


def _window(chance: random.Random, extent: int) -> tuple[int, int]:
    begin, end = sorted((chance.randint(0, extent), chance.choice((extent, chance.randint(0, extent)))))
    return begin, end


def _shape_of_as_many(chance: random.Random, shape: Shape) -> Shape:
    """A random shape with the same number of elements: it merges or splits axes, and adds or drops axes of extent 1."""
    if 0 in shape:
        return chance.choice((shape, (0,), (*shape, 2)))
    result: list[int] = []
    for factor in _factors(chance, shape):
        if result and chance.random() < 0.25:
            result[-1] *= factor
        else:
            result.append(factor)
    for _ in range(chance.choice((0, 0, 1, 2))):
        result.insert(chance.randint(0, len(result)), 1)
    return tuple(result)


def _factors(chance: random.Random, shape: Shape) -> list[int]:
    """Splits some extents in two factors, and drops some extents of 1."""
    factors: list[int] = []
    for extent in shape:
        divisors = [divisor for divisor in range(2, min(extent, 100)) if extent % divisor == 0]
        if divisors and chance.random() < 0.4:
            first = chance.choice(divisors)
            factors += [first, extent // first]
        elif extent != 1 or chance.random() < 0.5:
            factors.append(extent)
    return factors
