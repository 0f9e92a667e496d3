"""Draws the extents, element types and axes of workloads."""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

from benchmarks.kernels.workload import Function, Input, Shape

MOST = 1 << 22  # elements of the largest array of a workload
MULTIPLE = 8  # users like extents that are multiples of this


class Made(NamedTuple):
    """A workload without a name.

    Attributes:
        function, inputs, tolerance, spelled: as in `Workload`.
        detail: a description of what was drawn besides the inputs.
    """

    function: Function
    inputs: tuple[Input, ...]
    detail: str = ""
    tolerance: float = 1e-4
    spelled: dict[str, Function] = {}  # noqa: RUF012  (the default of a tuple, which nobody changes)


class Draw(Random):
    """Draws workloads whose largest array has at most about `most` elements; the draws are the same in every process."""

    def __new__(cls, seed: str, *_: int) -> Draw:
        """Passes `Random` only the seed, because it takes nothing else."""
        return super().__new__(cls, seed)

    def __init__(self, seed: str, most: int = MOST) -> None:
        super().__init__(seed)
        self.most = most

    def extent(self, least: int, most: int) -> int:
        """An extent, uniform on a logarithmic scale; a third are multiples of 8."""
        most = max(least, min(most, self.most))
        drawn = round(least * (most / least) ** self.random())
        return (
            drawn - drawn % MULTIPLE if drawn - drawn % MULTIPLE >= least and self.random() < 0.34 else drawn
        )

    def shape(self, rank: int) -> Shape:
        """The shape of an array with so many axes; its number of elements is uniform on a logarithmic scale."""
        left = self.extent(max(4, self.most >> 12), self.most)
        extents: list[int] = []
        for rest in range(rank, 1, -1):
            extents.append(max(2, round(left ** (self.uniform(0.4, 1.6) / rest))))
            left = max(2, left // extents[-1])
        extents.append(left)
        self.shuffle(extents)
        return tuple(extents)

    def shape_and_axis(self) -> tuple[Shape, int]:
        """The shape of an array with one to three axes, and one of these axes."""
        rank = self.randint(1, 3)
        return self.shape(rank), self.randrange(rank)

    def floating(self) -> str:
        """A float type, mostly float32."""
        return self.choices(("float32", "float64", "float16"), (7, 2, 0.5))[0]

    def wide(self) -> str:
        """A float type in which sums are accurate enough."""
        return self.choices(("float32", "float64"), (3, 1))[0]

    def number(self) -> str:
        """Any element type of numbers that all libraries have."""
        return self.choices(("float32", "float64", "int32", "int64", "uint8", "int16"), (6, 2, 1, 1, 1, 0.5))[
            0
        ]

    def axes(self, rank: int) -> tuple[int, ...]:
        """Some axes, at least one."""
        return tuple(sorted(self.sample(range(rank), self.randint(1, rank))))


def array(*shape: int, dtype: str = "float32", **given: Any) -> Input:
    """An input; tests draw small ones."""
    return Input(shape, shape, dtype, **given)


def tolerance(dtype: str, terms: int = 1) -> float:
    """The tolerance of results that add up so many terms."""
    unit = {"float16": 2e-3, "float64": 1e-13}.get(dtype, 1e-6)
    return unit * max(30.0, 3.0 * terms**0.5)
