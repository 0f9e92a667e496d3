"""A model as it is written: lines of Python, and the value that each has in NumPy."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any

import numpy as np

from tests.drawn_arrays.oracle import ORACLE
from tests.drawn_arrays.values import Numbers

MOST_ELEMENTS = 60_000
WIDTHS = (1, 2, 3, 4, 5, 6, 8, 12, 16, 17, 24, 32, 33, 48, 64)


class TooLargeError(Exception):
    """A line has a value with more elements than a model may have."""


@dataclass
class Draft:
    """A model of one batch of inputs, `x`, and of parameters `w0`, `w1`, …; axis 0 of its values are the members of the batch.

    Attributes:
        chance: decides. dtype: of floats. values: of each name, in NumPy: floats in double precision. lines: of the function's body.
    """

    chance: Random
    dtype: str
    values: dict[str, Numbers] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)

    @cached_property
    def random(self) -> np.random.Generator:
        return np.random.default_rng(self.chance.getrandbits(64))

    def start(self, shape: tuple[int, ...]) -> str:
        """The input."""
        self.values["x"] = self._numbers(shape, 1.0)
        return "x"

    def weights(self, *shape: int, scale: float | None = None) -> str:
        """A parameter, by default so small that sums along its first axis are about as large as what it is multiplied with."""
        name = f"w{len(self.values) - len(self.lines) - 1}"
        self.values[name] = self._numbers(shape, 1 / math.sqrt(max(shape[0], 1)) if scale is None else scale)
        return name

    def _numbers(self, shape: tuple[int, ...], scale: float) -> Numbers:
        if np.dtype(self.dtype).kind in "iu":
            limits = np.iinfo(self.dtype)
            least = max(limits.min, -9) if self.chance.random() < 0.7 else limits.min
            greatest = 9 if least > limits.min or least == 0 else limits.max
            return self.random.integers(least, greatest, shape, self.dtype, endpoint=True)
        return (self.random.normal(size=shape) * scale).astype(self.dtype).astype(np.float64)

    def line(self, text: str) -> str:
        """One more value. Names of others stand in its text as they are."""
        name = f"v{len(self.lines)}"
        with np.errstate(all="ignore"):
            value = np.asarray(eval(text, {"xp": ORACLE, **self.values}))
        if value.size > MOST_ELEMENTS:
            raise TooLargeError(text)
        self.lines.append(f"{name} = {text}")
        self.values[name] = value
        return name

    def shape(self, name: str) -> tuple[int, ...]:
        return self.values[name].shape

    def model(self, outputs: tuple[str, ...]) -> Model:
        """The model whose results are these values."""
        parameters = [name for name in self.values if name[0] in "xw"]
        body = "".join(f"    {line}\n" for line in self.lines)
        text = f"def model(xp, {', '.join(parameters)}):\n{body}    return ({', '.join(outputs)},)\n"
        arguments = tuple(self.values[name] for name in parameters)
        return Model(text, arguments, self.dtype, tuple(self.values[name] for name in outputs))


@dataclass(frozen=True)
class Model:
    """A function of a namespace and arrays as text, its arguments (floats in double precision), and what NumPy makes of them."""

    text: str
    arguments: tuple[Numbers, ...]
    dtype: str
    expected: tuple[Numbers, ...]

    @cached_property
    def function(self) -> Any:
        names: dict[str, Any] = {}
        exec(self.text, names)
        return names["model"]

    def given(self, dtype: str) -> list[Numbers]:
        """The arguments as a program of this dtype takes them."""
        return [argument.astype(dtype) for argument in self.arguments]
