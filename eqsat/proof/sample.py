"""Checks an obligation on samples: draws random matches and compares both sides with the reference."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from eqsat.proof.matches.agreement import compare
from eqsat.proof.matches.counterexample import Counterexample, smallest
from eqsat.proof.matches.data import ALL_POINTS, DataDraw
from eqsat.proof.matches.draw import LARGE_SHAPES, Draw
from eqsat.proof.obligation import Obligation
from eqsat.rules.language.rule import Soundness

GRID = 1024  # points of a grid of combinations of special values
THOROUGH = 3  # matches with many more points, for claims about the bits of floats
ATTEMPTS = 4000  # the most draws, of which some satisfy the guard
LARGER_EVERY = 900  # draws in a row without a match, after which shapes may be larger
LARGER_SOON = 200  # the same before the first match; shapes grow step by step, then start again
ENOUGH_LARGE = 2  # matches that suffice once shapes are large
SEARCH = 40  # matches that are drawn to find a smaller counterexample, once there is one


@dataclass(frozen=True, slots=True)
class Sampled:
    """How often an obligation was checked, and where it failed.

    Attributes:
        matches: how many drawn matches satisfied the guard.
        elements: how many elements were compared, in all matches together.
        counterexample: the smallest one found, if any.
    """

    matches: int
    elements: int
    counterexample: Counterexample | None


def sample(obligation: Obligation, matches: int) -> Sampled:
    """Checks an obligation on up to `matches` random matches. If one fails, it draws more, to find a small counterexample."""
    rule = obligation.rule
    chance = random.Random(f"{rule.name} {obligation.dtypes}")
    tame = rule.soundness is Soundness.REAL
    has_floats = any(dtype.is_float for dtype in obligation.values.values())
    thorough = THOROUGH if has_floats and not tame else 0
    has_ends = has_floats and not tame and not obligation.is_pointwise
    count = elements = missed = larger = 0
    found: list[Counterexample] = []
    for attempt in range(ATTEMPTS):
        if missed == (LARGER_EVERY if count else LARGER_SOON):
            missed, larger = 0, larger % len(LARGE_SHAPES) + 1
        grid = ALL_POINTS if thorough else GRID
        draw = Draw(
            obligation,
            chance,
            large=larger if larger and chance.random() < 0.5 else 0,
            tame=tame,
            points=grid if obligation.is_pointwise and attempt % 4 < 3 else None,
            directed=True,
        )
        match = draw.match()
        if match is None:
            missed += 1
            continue
        count, missed, larger = count + 1, 0, draw.large
        thorough -= draw.points == ALL_POINTS
        if (match.left.dtype, match.left.shape) != (match.right.dtype, match.right.shape):
            found.append(Counterexample.of_types(match))
        else:
            arrays = DataDraw(match, chance, tame, draw.points)
            drawn = arrays.draw()
            at_ends = arrays.at_ends(drawn, count) if has_ends and not draw.large else ()
            for data in (drawn, *at_ends):
                comparison = compare(match, data)
                elements += int(np.count_nonzero(comparison.compared))
                if np.any(comparison.differs):
                    shown = Counterexample.of_values(match, data, comparison)
                    found += [] if shown is None else [shown]
        wanted = ENOUGH_LARGE if draw.large else SEARCH if found else matches
        if count >= wanted and (found or elements >= min(matches, wanted)):
            break
    return Sampled(count, elements, smallest(found))
