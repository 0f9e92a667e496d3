"""Short scalar expressions and longer ones that compute the same: how short the longer ones become again measures simplification.

The three kinds are what compilers of arrays make: addresses that go through reshapes, sums of multiples, and conditions that guard an
access. The same number makes the same case on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from random import Random

import eqsat as eq
from eqsat.uop import UOp


@dataclass(frozen=True)
class Case:
    """A short expression, and a longer one that computes the same."""

    short: UOp
    long: UOp


def lengthened(kind: str, number: int) -> Case:
    """The case of this number."""
    return KINDS[kind](Random(f"{kind} {number}"))


def address(random: Random) -> Case:
    """An axis, or an address of a view, after reshapes and permutations that are undone."""
    extents = [random.choice((2, 3, 4, 5, 8)) for _ in range(random.randint(2, 3))]
    axes = [eq.variable(f"i{axis}", 0, extent - 1) for axis, extent in enumerate(extents)]
    moved = axes
    for _ in range(random.randint(1, 2)):
        order = random.sample(range(len(axes)), len(axes))
        permuted = [extents[axis] for axis in order]
        folded = _flat([moved[axis] for axis in order], permuted)
        if random.random() < 0.5:
            row = random.choice(permuted[1:])
            folded = _flat(_split(folded, (prod(extents) // row, row)), (prod(extents) // row, row))
        back = _split(folded, permuted, random.random() < 0.5)
        moved = [back[order.index(axis)] for axis in range(len(axes))]
    axis = random.randrange(len(axes))
    if random.random() < 0.5:
        return Case(axes[axis], moved[axis])
    return Case(_flat(axes, extents), _flat(moved, extents))


def _flat(positions: Sequence[UOp], extents: Sequence[int]) -> UOp:
    """The row-major address of positions."""
    flat = positions[0]
    for position, extent in zip(positions[1:], extents[1:], strict=True):
        flat = flat * extent + position
    return flat


def _split(flat: UOp, extents: Sequence[int], remainder_first: bool = False) -> list[UOp]:
    """The positions of a row-major address."""
    if remainder_first:
        return [flat % prod(extents[axis:]) // prod(extents[axis + 1 :]) for axis in range(len(extents))]
    return [
        flat // prod(extents[axis + 1 :]) % extent if axis else flat // prod(extents[1:])
        for axis, extent in enumerate(extents)
    ]


def multiples(random: Random) -> Case:
    """A sum of multiples, times that sum and a variable; each of the two is taken apart in its own way."""
    variables = [eq.variable(name, -10, 50) for name in "abcd"[: random.randint(2, 4)]]
    factors = [random.choice((-3, -1, 1, 2, 4, 6, 7)) for _ in variables]
    other = eq.variable("e", 0, 9)
    short = _sum([*map(_times, variables, factors), random.randint(1, 9)])
    first, second = (_taken_apart(random, variables, factors, short) for _ in range(2))
    return Case(short * (short + other), first * (second + other))


def _taken_apart(random: Random, variables: Sequence[UOp], factors: Sequence[int], short: UOp) -> UOp:
    """A sum of multiples as a longer one; `short` ends with its constant."""
    terms: list[UOp | int] = [short.src[1], 5, -5]
    for x, factor in zip(variables, factors, strict=True):
        part, spare = random.randint(-4, 4), random.choice(variables)
        terms += [_times(x, part), (x - spare) * (factor - part), _times(spare, factor - part)]
    random.shuffle(terms)
    return _sum(terms)


def _times(x: UOp, factor: int) -> UOp:
    return x if factor == 1 else x * factor


def _sum(terms: Sequence[UOp | int]) -> UOp:
    total, *others = sorted(terms, key=lambda term: isinstance(term, int))
    assert isinstance(total, UOp)
    return sum(others, start=total)


def gate(random: Random) -> Case:
    """A guarded position, whose guards repeat what others of them or the ranges of the variables say."""
    extent, frame = random.randint(4, 60), random.randint(1, 4)
    x, y = eq.variable("x", 0, extent + 2 * frame - 1), eq.variable("y", 0, 30)
    guards = [x >= frame, x < extent + frame]
    if random.random() < 0.5:
        guards.append(y < random.randint(5, 25))
    implied = [
        x + 1 >= frame, x - frame < extent + frame, y * 2 >= -1, (x + y) < extent + 2 * frame + 31,
        (x - frame) * 3 < extent * 3, (x < frame).logical_not(), (x >= frame) | (y < 3),
    ]  # fmt: skip
    position = x - frame
    more = [*guards, *random.sample(implied, random.randint(1, 4))]
    random.shuffle(more)
    inside = _every(more).where(position.maximum(0).minimum(extent + 5), -1)
    outer = random.choice(guards)
    return Case(_every(guards).where(position, -1), outer.where(inside, -1))


def _every(guards: Sequence[UOp]) -> UOp:
    every = guards[0]
    for guard in guards[1:]:
        every = every & guard
    return every


KINDS: dict[str, Callable[[Random], Case]] = {"address": address, "multiples": multiples, "gate": gate}
