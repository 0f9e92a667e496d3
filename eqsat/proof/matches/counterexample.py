"""Counterexamples: values of a rule's variables for which its two sides differ, with a program that shows the difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eqsat.proof.matches.agreement import Comparison, compare
from eqsat.proof.matches.match import Data, Match, match
from eqsat.proof.matches.script import script
from eqsat.reference.number import Array
from eqsat.rules.language.instantiate import build
from eqsat.uop import UOp

TRIED = 16  # elements that may be the counterexample


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A match whose sides differ.

    Attributes:
        text: the rule, the values of its variables, and the values of both sides.
        code: a program that builds both sides and evaluates them with the reference.
        size: orders counterexamples: by the number of input elements, then by the magnitudes of the numbers.
    """

    text: str
    code: str
    size: tuple[int, float]

    @staticmethod
    def of_types(found: Match) -> Counterexample:
        """The counterexample of a match whose sides have different dtypes or shapes."""
        left, right = found.left, found.right
        difference = f"{left.dtype}{left.shape} became {right.dtype}{right.shape}"
        data = {slot: np.zeros(slot.shape or (), bool) for slot in found.slots.values()}
        return _counterexample(found, data, difference)

    @staticmethod
    def of_values(found: Match, data: Data, comparison: Comparison) -> Counterexample | None:
        """The counterexample of a match whose sides have different values somewhere.

        For a pointwise rule it is reduced to one element. None if no element differs on its own: NumPy's loops over arrays may round
        an elementary function differently.
        """
        if found.obligation.is_pointwise and found.left.shape:
            return _of_one_element(found, data, comparison)
        return _counterexample(found, data, _difference(comparison))


def smallest(found: Sequence[Counterexample]) -> Counterexample | None:
    """The smallest counterexample; None if there is none."""
    return min(found, key=lambda each: each.size, default=None)


def _counterexample(found: Match, data: Data, difference: str) -> Counterexample:
    obligation = found.obligation
    text = f"{obligation.rule.name} on {obligation.dtypes}: {difference}\n{_inputs(found, data)}"
    magnitude = sum(_magnitude(array) for array in data.values())
    constants = [value for value in found.bindings.values() if isinstance(value, int | float)]
    size = sum(array.size for array in data.values()), magnitude + _magnitude(np.array(constants, float))
    return Counterexample(text, script(found, data, difference), size)


def _of_one_element(found: Match, data: Data, comparison: Comparison) -> Counterexample | None:
    """The counterexample at one element: of those that differ on their own, the one with the smallest inputs."""
    places = np.flatnonzero(comparison.differs)
    magnitudes = sum((_magnitudes(array[places]) for array in data.values()), np.zeros(len(places)))
    scalars = {name: UOp.param(slot.arg[0], 1, slot.dtype.scalar) for name, slot in found.slots.items()}
    bindings = dict(found.bindings) | {name: slot.reshape(()) for name, slot in scalars.items()}
    obligation = found.obligation
    left = build(obligation.rule.left, bindings, obligation.dtype)
    single = match(obligation, bindings, found.bounds, scalars, left)
    assert single is not None, "an element of a match is a match"
    for place in places[np.argsort(magnitudes, kind="stable")[:TRIED]]:
        element = {scalars[name]: data[slot][place : place + 1] for name, slot in found.slots.items()}
        alone = compare(single, element)
        if np.any(alone.differs):
            return _counterexample(single, element, _difference(alone))
    return None


def _difference(comparison: Comparison) -> str:
    place = tuple(int(coordinate) for coordinate in np.argwhere(comparison.differs)[0])
    one, other = comparison.left[place], comparison.right[place]
    if not comparison.has_value[place]:
        return f"{one!r} became something without a value"
    if not comparison.compared[place]:
        return f"something without a value became {other!r}"
    where = f" at {place}" if place else ""
    return f"{one!r} became {other!r}{where}"


def _inputs(found: Match, data: Data) -> str:
    plain = {name: value for name, value in found.bindings.items() if name not in found.slots}
    lines = [f"  {name} = {value!r}" for name, value in plain.items()]
    for name, slot in found.slots.items():
        bounds = f", within {found.bounds[name]}" if name in found.bounds else ""
        lines.append(
            f"  {name} = {data[slot].tolist()} of shape {found.bindings[name].shape}, {slot.dtype}{bounds}"
        )
    return "\n".join(lines)


def _magnitude(array: Array) -> float:
    return float(np.sum(_magnitudes(array)))


def _magnitudes(array: Array) -> Array:
    """log(1 + |x|) for each element x, so that sums do not overflow. An infinity counts more than any number, and a NaN more than an infinity."""
    with np.errstate(all="ignore"):
        return np.nan_to_num(np.log1p(np.abs(array.astype(np.float64))), nan=3000.0, posinf=2000.0)
