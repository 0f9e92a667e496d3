"""Other dtypes for the same values, or for the same bits."""

from __future__ import annotations

import numpy as np

from tests.drawn_arrays.operations.step import Choice, Drawn, Operation
from tests.drawn_arrays.operations.undefined import cast_range, nan_sign
from tests.drawn_arrays.values import DTYPES, INTEGERS


def astype(choice: Choice) -> Drawn | None:
    place = choice.one()
    dtype = choice.chance.choice(DTYPES)
    return None if place is None else Drawn(f'xp.astype({{}}, "{dtype}")', (place,), dtype=dtype)


def bitcast(choice: Choice) -> Drawn | None:
    place = choice.one()
    if place is None or choice.values[place].dtype == "bfloat16":
        return None
    size = choice.array(place).dtype.itemsize
    names = ("bool", *INTEGERS, "float16", "float32", "float64")
    dtypes = [name for name in names if np.dtype(name).itemsize == size]
    return Drawn(f'xp.bitcast({{}}, "{choice.chance.choice(dtypes)}")', (place,))


CONVERSION = (
    Operation("astype", astype, undefined=cast_range),
    Operation("bitcast", bitcast, undefined=nan_sign),
)
