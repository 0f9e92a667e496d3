"""Subscripts: positions, slices, lists of positions."""

from __future__ import annotations

from collections.abc import Callable

from tests.drawn_arrays.operations.forms import call
from tests.drawn_arrays.operations.step import Choice, Drawn, Operation


def subscript(choice: Choice) -> Drawn | None:
    """Positions, slices, new axes and an ellipsis."""
    place = choice.one(least_rank=1)
    if place is None:
        return None
    key: list[str] = []
    shape = choice.values[place].shape
    covered = choice.chance.randint(1, len(shape))
    for extent in shape[:covered]:
        kind = choice.chance.random()
        if kind < 0.3 and extent:
            key.append(str(choice.chance.randrange(-extent, extent)))
        elif kind < 0.4:
            key += ["None", ":"]
        else:
            key.append(_slice(choice, extent))
    if choice.chance.random() < 0.2:
        key.insert(choice.chance.randrange(len(key) + 1) if covered == len(shape) else len(key), "...")
    return Drawn(f"{{}}[{', '.join(key)}]", (place,))


def _slice(choice: Choice, extent: int) -> str:
    bounds = [
        choice.chance.choice(("", str(choice.chance.randint(-extent - 1, extent + 1)))) for _ in range(2)
    ]
    return ":".join([*bounds, choice.chance.choice(("", "1", "2", "3", "-1", "-2", "7"))])


def gather(choice: Choice) -> Drawn | None:
    """Subscripts with lists of positions among them."""
    place = choice.one(least_rank=1, filled=True)
    if place is None:
        return None
    key: list[str] = []
    count = choice.chance.randint(1, 3)
    for extent in choice.values[place].shape[: choice.chance.randint(1, 3)]:
        kind = choice.chance.random()
        if kind < 0.5:
            key.append(f"xp.asarray({_positions(choice, extent, count)})")
        elif kind < 0.6:
            key.append(str(choice.chance.randrange(-extent, extent)))
        else:
            key.append(":")
    if sum(part.isdigit() or part[0] == "-" for part in key) and any("[" in part for part in key):
        return None  # NumPy counts integers beside arrays among the arrays when it places axes
    return Drawn(f"{{}}[{', '.join(key)}]", (place,))


def _positions(choice: Choice, extent: int, count: int) -> list[int]:
    return [choice.chance.randrange(-extent, extent) for _ in range(count)]


def take(choice: Choice) -> Drawn | None:
    place = choice.one(filled=True, least_rank=1)
    axis = None if place is None else choice.axis(place)
    if place is None or axis is None:
        return None
    positions = _positions(choice, choice.values[place].shape[axis], choice.chance.randint(1, 5))
    return Drawn(f"xp.take({{}}, xp.asarray({positions}), axis={axis})", (place,))


def take_along_axis(choice: Choice) -> Drawn | None:
    place = choice.one(filled=True, least_rank=1)
    axis = None if place is None else choice.axis(place)
    if place is None or axis is None:
        return None
    positions = f"xp.argmin({{}}, axis={axis}, keepdims=True)"
    return Drawn(f"xp.take_along_axis({{}}, {positions}, axis={axis})", (place, place))


def searchsorted(choice: Choice) -> Drawn | None:
    """All elements of a value, and among what is in order: their running maximum."""
    place = choice.one()
    if place is None:
        return None
    side = choice.chance.choice(("", ', side="right"'))
    return Drawn(
        f"xp.searchsorted(xp.cumulative_max(xp.reshape({{}}, (-1,)), axis=0), {{}}{side})", (place, place)
    )


def few(extent: int) -> tuple[int, int]:
    """The fewest and the most elements that are drawn of an axis."""
    return 0, min(3, extent)


def top_k(choice: Choice, count: Callable[[int], tuple[int, int]] = few) -> Drawn | None:
    """The greatest elements, or their positions."""
    place = choice.one(least_rank=1)
    axis = None if place is None else choice.axis(place)
    if place is None or axis is None:
        return None
    k = choice.chance.randint(*count(choice.values[place].shape[axis]))
    return Drawn(f"xp.top_k({{}}, {k}, axis={axis})[{choice.chance.randint(0, 1)}]", (place,))


INDEXING = (
    Operation("[:]", subscript),
    Operation("[[]]", gather),
    Operation("take", take),
    Operation("take_along_axis", take_along_axis),
    Operation("searchsorted", searchsorted),
    Operation("top_k", top_k),
    Operation("diagonal", call("xp.diagonal({}, offset={diagonal})", least_rank=2)),
)
