"""Scalar expressions drawn at random for measuring theories: integers of two dtypes, extremes, views of tensors, views with unknown extents.

No theory was written for them. Each kind is a random program over some operations and dtypes. The same number draws the same expression.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from random import Random

import eqsat as eq
from eqsat.dtype import INTS, DType, bool_, index
from eqsat.ops import Op
from eqsat.uop import UOp, toposort
from tests.lengthened import lengthened

LEAST, MOST = 6, 40  # nodes
_BINARY = (Op.ADD, Op.ADD, Op.SUB, Op.MUL, Op.AND, Op.OR, Op.XOR, Op.MAX, Op.MIN)
_ORDERED = (Op.MAX, Op.MIN, Op.MAX, Op.MIN, Op.ADD, Op.SUB)
_DIVISIONS = (Op.FLOORDIV, Op.FLOORMOD)
_EXTENTS = (2, 3, 4, 5, 6, 7, 9, 12, 15)

Numbers = dict[DType, list[UOp]]


def bits(random: Random) -> UOp:
    """Integers of one width with and without sign: arithmetic, bitwise operations, shifts, bitcasts, casts and comparisons."""
    signed = random.choice([dtype for dtype in INTS if dtype.kind == "i"])
    unsigned = next(dtype for dtype in INTS if dtype.kind == "u" and dtype.bits == signed.bits)
    values: Numbers = {
        dtype: [_variable(random, f"{dtype.name}{number}", dtype) for number in range(2)]
        for dtype in (signed, unsigned)
    }
    return _grown(random, values, _bits_step)


def _bits_step(random: Random, dtype: DType, values: Numbers) -> UOp:
    left, right = (_any(random, dtype, values) for _ in range(2))
    kind = random.random()
    if kind < 0.2:
        return left.bitcast(random.choice([other for other in values if other != dtype]))
    if kind < 0.3:
        amount = UOp.const(dtype, random.randrange(dtype.bits))
        return left.alu(random.choice((Op.SHL, Op.SHR)), amount)
    if kind < 0.4:
        divisor = UOp.const(dtype, random.choice((2, 3, 4, 8, 16, 60)))
        return left.alu(random.choice(_DIVISIONS), divisor)
    if kind < 0.5:
        return _truth(random, left, right).where(left, _any(random, dtype, values))
    if kind < 0.6:
        return left.alu(Op.AND, UOp.const(dtype, random.choice((1, 3, 7, 12, 15, 63, 96))))
    return left.alu(random.choice(_BINARY), right)


def extremes(random: Random) -> UOp:
    """Greatest and least numbers of one dtype, with sums, negatives, complements and choices between them."""
    dtype = random.choice((index, index, *INTS))
    values: Numbers = {dtype: [_variable(random, name, dtype) for name in "abcd"]}
    return _grown(random, values, _extremes_step)


def _extremes_step(random: Random, dtype: DType, values: Numbers) -> UOp:
    left, right = (_any(random, dtype, values) for _ in range(2))
    kind = random.random()
    if kind < 0.15:
        return (
            left * -1
            if dtype.is_signed or dtype.is_index
            else left.alu(Op.XOR, UOp.const(dtype, dtype.all_ones))
        )
    if kind < 0.25:
        return _truth(random, left, right).where(left, right)
    return left.alu(random.choice(_ORDERED), right)


def truths(random: Random) -> UOp:
    """Bools: comparisons of sums, combined by AND, OR and exclusive or."""
    dtype = random.choice((index, *INTS))
    values: Numbers = {dtype: [_variable(random, name, dtype) for name in "abc"], bool_: []}
    found = [_truth(random, *random.choices(values[dtype], k=2)) for _ in range(2)]
    for _ in range(random.randint(3, 12)):
        if random.random() < 0.5:
            sides = [_any(random, dtype, values).alu(Op.ADD, _any(random, dtype, values)) for _ in range(2)]
            found.append(_truth(random, *sides))
        left, right = random.choices(found, k=2)
        found.append(random.choice((left & right, left | right, left.ne(right), left.logical_not())))
    return found[-1]


def view(random: Random) -> UOp:
    """An address, and whether there is an element, after movements of a tensor with odd extents; -1 where there is none."""
    shape = [random.choice(_EXTENTS) for _ in range(random.randint(2, 3))]
    places = [eq.variable(f"i{axis}", 0, extent - 1) for axis, extent in enumerate(shape)]
    guards: list[UOp] = []
    for _ in range(random.randint(2, 5)):
        places, shape = _moved(random, places, shape, guards)
    address = _flat(places, shape)
    if not guards:
        return address
    inside = guards[0]
    for guard in guards[1:]:
        inside = inside & guard
    return inside.where(address, -1)


def _moved(
    random: Random, places: Sequence[UOp], shape: Sequence[int], guards: list[UOp]
) -> tuple[list[UOp], list[int]]:
    """The positions in a tensor of which a movement makes one that is read at `places`; padding adds to the guards."""
    axis = random.randrange(len(shape))
    place, extent = places[axis], shape[axis]
    before, after = random.randint(0, 3), random.randint(0, 3)
    match random.choice(("permute", "flip", "shrink", "pad", "stride", "reshape", "reshape", "reshape")):
        case "permute":
            order = random.sample(range(len(shape)), len(shape))
            return [places[axis] for axis in order], [shape[axis] for axis in order]
        case "flip":
            return _with(places, axis, extent - 1 - place), list(shape)
        case "shrink":
            return _with(places, axis, place + before), _with(shape, axis, extent + before + after)
        case "pad" if before + after < extent:
            guards += [place >= before, place < extent - after]
            return _with(places, axis, place - before), _with(shape, axis, extent - before - after)
        case "stride":
            return _with(places, axis, place * (before + 2)), _with(
                shape, axis, extent * (before + 2) - after % 2
            )
        case _:
            factors = _factors(random, prod(shape))
            return _split(_flat(places, shape), factors), factors


def loops(random: Random) -> UOp:
    """An address over loops of unknown extents: positions are flattened, and split again by the same extents, or by others."""
    extents = [eq.variable(name, 1, 64) for name in "mnk"[: random.randint(2, 3)]]
    places = [UOp.range(extent, number) for number, extent in enumerate(extents)]
    order = random.sample(range(len(places)), len(places))
    moved, sizes = [places[axis] for axis in order], [extents[axis] for axis in order]
    for _ in range(random.randint(1, 2)):
        flat = _flat(moved, sizes)
        if random.random() < 0.3:
            flat = flat + random.choice(places)
        sizes = random.sample(sizes, len(sizes)) if random.random() < 0.4 else sizes
        moved = _split(flat, sizes)
    last = random.choice(moved)
    kind = random.random()
    return (
        (last < sizes[-1]).where(last, _flat(moved, sizes))
        if kind < 0.3
        else last
        if kind < 0.6
        else _flat(moved, sizes)
    )


def _flat(places: Sequence[UOp], shape: Sequence[int] | Sequence[UOp]) -> UOp:
    """The row-major address of positions."""
    flat = places[0]
    for place, extent in zip(places[1:], shape[1:], strict=True):
        flat = flat * extent + place
    return flat


def _split(flat: UOp, shape: Sequence[int] | Sequence[UOp]) -> list[UOp]:
    """The positions of a row-major address."""
    found: list[UOp] = []
    for extent in reversed(shape[1:]):
        found.append(flat % extent)
        flat = flat // extent
    return [flat, *reversed(found)]


def _factors(random: Random, size: int) -> list[int]:
    """Extents whose product is `size`."""
    found: list[int] = []
    while size > 1 and len(found) < 3:
        divisors = [divisor for divisor in range(2, size + 1) if size % divisor == 0]
        found.append(size if len(found) == 2 else random.choice(divisors))
        size //= found[-1]
    return found or [1]


def _with(items: Sequence[object], place: int, item: object) -> list:
    """A copy with one item replaced."""
    return [*items[:place], item, *items[place + 1 :]]


def _grown(random: Random, values: Numbers, step: Callable[[Random, DType, Numbers], UOp]) -> UOp:
    """The first value of a random size that steps make of values."""
    wanted = random.randint(LEAST, MOST)
    while True:
        value = step(random, random.choice(list(values)), values)
        size = len(toposort([value]))
        if size <= MOST:
            values[value.dtype.scalar].append(value)
        if wanted <= size <= MOST:
            return value


def _variable(random: Random, name: str, dtype: DType) -> UOp:
    bounds = random.choice(((0, 1), (0, 7), (0, 63), (1, 100), (-8, 8), None))
    if bounds is None or bounds[0] < dtype.min:
        bounds = (-1000, 1000) if dtype.is_index else (int(dtype.min), int(dtype.max))
    return eq.variable(name, *bounds, dtype)


def _any(random: Random, dtype: DType, values: Numbers) -> UOp:
    """A value, the later the likelier, or a small constant."""
    if random.random() < 0.15:
        return UOp.const(dtype, random.choice((0, 1, 2, 3, 7, 8, 10, 64)))
    found = values[dtype]
    return found[-1 - random.randrange(len(found)) // random.randint(1, 3)]


def _truth(random: Random, left: UOp, right: UOp) -> UOp:
    number = random.choice((0, 1, 4, 7, 20))
    return random.choice((left < right, left.ne(right), left >= number, left < number))


def _lengthened(kind: str) -> Callable[[Random], UOp]:
    return lambda random: lengthened(kind, random.randrange(1 << 40)).long


KINDS: dict[str, Callable[[Random], UOp]] = {
    "bits": bits,
    "extremes": extremes,
    "truths": truths,
    "view": view,
    "loops": loops,
    "address": _lengthened("address"),
    "multiples": _lengthened("multiples"),
    "gate": _lengthened("gate"),
}
