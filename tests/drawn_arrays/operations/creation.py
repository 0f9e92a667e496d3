"""New arrays, alone or in the shape of another."""

from __future__ import annotations

import numpy as np

from tests.drawn_arrays.operations.forms import SCALARS, Draw, filled_in
from tests.drawn_arrays.operations.step import Choice, Drawn, Operation
from tests.drawn_arrays.values import DTYPES

HELD = tuple(name for name in DTYPES if name != "bfloat16")  # by NumPy under the same name


def new(*texts: str) -> Draw:
    """One of these templates, without an operand; [dtype] and [number] are replaced by a dtype, and a number that fits it."""

    def draw(choice: Choice) -> Drawn | None:
        dtype = choice.chance.choice(HELD)
        text = choice.chance.choice(texts).replace("[dtype]", f'"{dtype}"')
        text = text.replace("[number]", choice.chance.choice(SCALARS[np.dtype(dtype).kind]))
        written = filled_in(text, choice, 0)
        return None if written is None else Drawn(written, ())

    return draw


def like(text: str) -> Draw:
    """In the shape and dtype of an operand."""

    def draw(choice: Choice) -> Drawn | None:
        place = choice.one()
        written = None if place is None else filled_in(text, choice, place)
        return (
            None
            if place is None or written is None
            else Drawn(written, (place,), dtype=choice.values[place].dtype)
        )

    return draw


CREATION = (
    Operation("full", new("xp.full({new_shape}, [number], dtype=[dtype])", "xp.full({new_shape}, [number])")),
    Operation("zeros", new("xp.zeros({new_shape}, dtype=[dtype])")),
    Operation("ones", new("xp.ones({new_shape}, dtype=[dtype])")),
    Operation("eye", new("xp.eye({few}, {few}, k={diagonal}, dtype=[dtype])")),
    Operation(
        "arange",
        new(
            "xp.arange({shift}, {end}, {step})",
            "xp.arange({end})",
            "xp.arange({fraction}, {end}, {step_of_floats})",
        ),
    ),
    # one gap after another is multiplied by its number and added to the start; the sum is rounded in NumPy and here
    Operation(
        "linspace",
        new("xp.linspace({shift}, {shift}, {end}, endpoint={bool})"),
        product=lambda result: 2 * np.abs(result) + np.abs(result[:1]),
    ),
    Operation("zeros_like", like("xp.zeros_like({})")),
    Operation("ones_like", like("xp.ones_like({})")),
    Operation("full_like", like("xp.full_like({}, {number})")),
)
