"""Forms that many operations share: how operands and arguments are drawn.

A `call` is a template: each `{}` stands for the operand, and a name in braces for an argument of the table `ARGUMENTS`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np

from tests.drawn_arrays.operations.step import Choice, Drawn, axes_listed

Draw = Callable[[Choice], Drawn | None]
SCALARS = {
    "b": ("True", "False"),
    "i": ("0", "1", "2", "-1", "3", "7", "100", "-5"),
    "u": ("0", "1", "2", "3", "7", "100"),
    "f": (
        *("0", "1", "2", "-3", "0.5", "-0.0", "1.5", "True", "xp.inf", "-xp.inf", "xp.nan"),
        *("-2.0", "0.25", "8"),
    ),
}
EXPONENTS = ("0", "1", "2", "3", "4", "5", "8", "0.5", "1.5", "2.5", "(-1)", "(-2)", "(-0.5)", "0.1")


def call(
    text: str, kinds: str = "biuf", filled: bool = False, rank: int | None = None, least_rank: int = 0
) -> Draw:
    """A call with one operand of these kinds and ranks, and arguments as `text` names them."""

    def draw(choice: Choice) -> Drawn | None:
        place = choice.one(kinds, filled, rank, least_rank)
        written = None if place is None else filled_in(text, choice, place)
        return None if place is None or written is None else Drawn(written, (place,) * text.count("{}"))

    return draw


def filled_in(text: str, choice: Choice, place: int) -> str | None:
    """A template with its arguments drawn; None where nothing fits."""
    parts = re.split(r"\{(\w+)\}", text)
    drawn = [ARGUMENTS[name](choice, place) for name in parts[1::2]]
    if any(argument is False for argument in drawn):
        return None
    parts[1::2] = [str(argument) for argument in drawn]
    return "".join(parts)


def unary(name: str, kinds: str = "biuf") -> Draw:
    """A function of one operand."""
    return call(f"xp.{name}({{}})", kinds)


def binary(name: str, kinds: str = "biuf", both_bools: bool = True, scalars: bool = True) -> Draw:
    """A function of two operands, or the sign between them; one may be a number."""
    pattern = f"xp.{name}({{}}, {{}})" if name.isidentifier() else f"{{}} {name} {{}}"
    divides = name in ("floor_divide", "remainder", "fmod")

    def draw(choice: Choice) -> Drawn | None:
        first = choice.one(kinds)
        if first is None:
            return None
        if scalars and choice.chance.random() < 0.25:
            number = _number_beside(choice, first, both_bools, divides)
            parts = ("{}", number) if choice.chance.random() < 0.6 else (number, "{}")
            return None if number is None else Drawn(pattern.format(*parts), (first,))
        second = choice.partner(first, kinds=kinds)
        if second is None:
            return None
        if not both_bools and choice.array(first).dtype.kind == choice.array(second).dtype.kind == "b":
            return None
        return Drawn(pattern, (first, second))

    return draw


def _number_beside(choice: Choice, place: int, both_bools: bool, divides: bool) -> str | None:
    kind = choice.array(place).dtype.kind
    if kind == "b" and not both_bools:
        return None
    numbers = [each for each in SCALARS[kind] if each != "0" or kind == "f" or not divides]
    number = choice.chance.choice(numbers)
    return f"({number})" if number[0] == "-" else number


def integers_together(name: str, both_bools: bool = True) -> Draw:
    """Two operands whose common dtype is no float (int64 and uint64 have none)."""
    inner = binary(name, "biu", both_bools)

    def draw(choice: Choice) -> Drawn | None:
        drawn = inner(choice)
        if drawn and np.result_type(*(choice.array(place).dtype for place in drawn.operands)).kind == "f":
            return None
        return drawn

    return draw


def reduction(name: str, kinds: str = "biuf", filled: bool = False, more: Sequence[str] = ("",)) -> Draw:
    """Over None, an axis or several, which may be kept; `more` are further arguments."""

    def draw(choice: Choice) -> Drawn | None:
        place = choice.one(kinds)
        axes = False if place is None else choice.axes(place, filled)
        if place is None or axes is False:
            return None
        keep = choice.chance.random() < 0.4
        shape = choice.values[place].shape
        return Drawn(
            f"xp.{name}({{}}, axis={axes}{choice.chance.choice(more)}, keepdims={keep})",
            (place,),
            math.prod(shape[axis] for axis in axes_listed(axes, len(shape))),
        )

    return draw


def along(
    name: str, kinds: str = "biuf", filled: bool = False, flat: bool = False, more: Sequence[str] = ("",)
) -> Draw:
    """Along one axis; where `flat`, along none too, which flattens the operand."""

    def draw(choice: Choice) -> Drawn | None:
        place = choice.one(kinds)
        if place is None:
            return None
        axis = choice.axis(place, filled)
        shape = choice.values[place].shape
        if flat and (math.prod(shape) or not filled) and choice.chance.random() < 0.3:
            return Drawn(
                f"xp.{name}({{}}, axis=None{choice.chance.choice(more)})", (place,), math.prod(shape)
            )
        if axis is None:
            return None
        return Drawn(f"xp.{name}({{}}, axis={axis}{choice.chance.choice(more)})", (place,), shape[axis])

    return draw


# arguments of templates; False where nothing fits


def _axis(choice: Choice, place: int) -> Any:
    axis = choice.axis(place)
    return False if axis is None else axis


def _axis_or_all(choice: Choice, place: int) -> Any:
    return None if choice.chance.random() < 0.2 else _axis(choice, place)


def _new_axis(choice: Choice, place: int) -> int:
    rank = choice.array(place).ndim
    return choice.chance.randint(-rank - 1, rank)


def _order(choice: Choice, place: int) -> tuple[int, ...]:
    rank = choice.array(place).ndim
    return tuple(choice.chance.sample(range(rank), rank))


def _axes_of_one(choice: Choice, place: int) -> tuple[int, ...]:
    return tuple(axis for axis, extent in enumerate(choice.values[place].shape) if extent == 1)


def _shape_of_same_size(choice: Choice, place: int) -> tuple[int, ...]:
    size = choice.array(place).size
    shape = _factors(choice.chance, size)
    if shape and size and choice.chance.random() < 0.3:
        shape[choice.chance.randrange(len(shape))] = -1
    return tuple(shape)


def _factors(chance: Random, size: int) -> list[int]:
    shape: list[int] = []
    rest = size
    while rest > 1 and len(shape) < 4:
        divisor = chance.choice([factor for factor in range(1, rest + 1) if rest % factor == 0])
        shape.append(divisor)
        rest //= divisor
    if rest != 1:
        shape.append(rest)
    return shape


def _stretched_shape(choice: Choice, place: int) -> tuple[int, ...]:
    shape = [choice.chance.randint(0, 4) if extent == 1 else extent for extent in choice.values[place].shape]
    return tuple([choice.chance.randint(1, 3) for _ in range(choice.chance.randint(0, 1))] + shape)


def _new_shape(choice: Choice, _: int) -> tuple[int, ...]:
    return tuple(choice.chance.randint(1, 7) for _ in range(choice.chance.randint(0, 2)))


ARGUMENTS: dict[str, Callable[[Choice, int], Any]] = {
    "axis": _axis,
    "axes": lambda choice, place: choice.axes(place),
    "filled_axes": lambda choice, place: choice.axes(place, filled=True),
    "axis_or_all": _axis_or_all,
    "new_axis": _new_axis,
    "axes_of_one": _axes_of_one,
    "order": _order,
    "shape_of_same_size": _shape_of_same_size,
    "stretched_shape": _stretched_shape,
    "new_shape": _new_shape,
    "shift": lambda choice, _: choice.chance.randint(-9, 9),
    "diagonal": lambda choice, _: choice.chance.randint(-3, 3),
    "exponent": lambda choice, _: choice.chance.choice(EXPONENTS),
    "few": lambda choice, _: choice.chance.randint(0, 3),
    "fews": lambda choice, _: tuple(choice.chance.randint(0, 3) for _ in range(choice.chance.randint(1, 3))),
    "number": lambda choice, place: choice.chance.choice(SCALARS[choice.array(place).dtype.kind]),
    "end": lambda choice, _: choice.chance.randint(0, 17),
    "step": lambda choice, _: choice.chance.choice((1, 2, -1, -3)),
    "fraction": lambda choice, _: choice.chance.choice((0.5, -2.25, 1.0)),
    "step_of_floats": lambda choice, _: choice.chance.choice((0.5, -0.25, 1.5)),
    "bool": lambda choice, _: choice.chance.random() < 0.5,
}
