"""Programs with extents that only calls know, and with separate kernels for few and for many elements.

Loops that suit 4,096 rows compute whole tiles even if there is only one row. So the values of a dim are cut into ranges. The graph is planned for
each range, as for a dim with these narrower bounds, when a call first needs it. A range of one value has an ordinary program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise, product
from threading import Lock
from typing import Any

import numpy as np

from eqsat.codegen import RenderedKernel
from eqsat.dtype import DType
from eqsat.errors import ExecutionError, ExtentError, brief
from eqsat.extents import Bounds
from eqsat.extents.factors import Dim
from eqsat.pipeline.functions.closed import Closed
from eqsat.pipeline.planning.planned import Compilation
from eqsat.pipeline.programs.program import Call, Program, params_of
from eqsat.pipeline.programs.saving import PartToSave
from eqsat.pipeline.programs.several import together
from eqsat.runtime import Device
from eqsat.schedule.kernel import Schedule
from eqsat.shape import Shape

Range = Mapping[str, Bounds]  # the bounds of each dim, by name
CUTS: Sequence[Sequence[int]] = ((), (1, 4, 16, 64, 384), (1, 64), (64,))
"""By the number of dims, the greatest values of ranges below the last one. There are at most nine combinations of ranges."""
WORTH = 2  # a cut is used if the greatest value of the dim is at least so many times the cut

_PARTS = "the program has kernels for ranges of its dims; its parts have one each: program.parts[0]"


def ranges_of(dims: Iterable[Dim]) -> list[Range]:
    """The ranges that the values of dims are cut into, the least values first.

    >>> ranges_of([Dim("n", 1, 40)])
    [{'n': (1, 1)}, {'n': (2, 4)}, {'n': (5, 16)}, {'n': (17, 40)}]
    """
    every = sorted(set(dims))
    cuts = CUTS[len(every)] if len(every) < len(CUTS) else ()
    each = [[(dim.name, bounds) for bounds in _cut(dim, cuts)] for dim in every]
    return [dict(chosen) for chosen in product(*each)]


def _cut(dim: Dim, cuts: Sequence[int]) -> list[Bounds]:
    ends = [cut for cut in cuts if dim.least <= cut and WORTH * cut <= dim.greatest]
    return [(low + 1, high) for low, high in pairwise((dim.least - 1, *ends, dim.greatest))]


class RangedProgram(Program):
    """A compiled graph whose dims are cut into ranges. Call it on NumPy arrays.

    Attributes:
        ranges: for each part, the bounds of each dim by name.
    """

    def __init__(
        self,
        closed: Closed,
        ranges: Sequence[Range],
        compilation: Callable[[int], Compilation],
        device: Device,
    ) -> None:
        """`compilation` returns the compilation of a range by its number; it is called once for each, when the range is first needed."""
        self.device = device
        self.ranges = tuple(ranges)
        self.variables = closed.variables
        self._closed = closed
        self._planned = compilation
        self._made: dict[int, Program] = {}
        self._lock = Lock()
        self._bind(closed.binding)

    def __repr__(self) -> str:
        return f"RangedProgram(ranges={list(self.ranges)}, device={self.device.name!r})"

    @staticmethod
    def of(closed: Closed, device: Device, compilation: Callable[[Closed], Compilation]) -> Program:
        """The program of a graph with dims, which have one range or several."""
        assert closed.dynamic is not None, "there are dims"
        ranges = ranges_of(dim for extent in closed.dynamic.known for dim in extent.dims)
        if len(ranges) == 1:
            return Program(closed, compilation(closed), device)
        return RangedProgram(
            closed, ranges, lambda number: compilation(closed.within(ranges[number])), device
        )

    @cached_property
    def kernels(self) -> tuple[RenderedKernel, ...]:
        """The kernels of all parts, one after another; a call runs one part."""
        return tuple(kernel for part in self.parts for kernel in part.kernels)

    @cached_property
    def schedule(self) -> Schedule:
        """The schedules of all parts, one after another."""
        return together([part.schedule for part in self.parts])

    @property
    def parts(self) -> tuple[Program, ...]:
        """The program of each range. This plans the ranges that no call has needed yet."""
        return tuple(self._part(number) for number in range(len(self.ranges)))

    def _params(self) -> Iterable[tuple[int, DType]]:
        return params_of(self._closed)

    def plan_greatest(self) -> None:
        """Plans the range of the greatest values.

        Raises:
            ScheduleError: the graph cannot be turned into kernels.
        """
        self._part(len(self.ranges) - 1)

    def part(self, values: Mapping[str, int]) -> Program:
        """The program for these values of the dims.

        Raises:
            ExtentError: a dim has no value, or one outside of its bounds.
        """
        if not isinstance(values, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ExtentError(f"values are given by the names of dims, not as {brief(values)}")
        for name in self.ranges[0]:
            least, greatest = self.ranges[0][name][0], self.ranges[-1][name][1]
            value: object = values.get(name)
            if not isinstance(value, int | np.integer) or not least <= value <= greatest:
                raise ExtentError(
                    f"dim {name!r} is {brief(value)} and must be an integer in {least}..{greatest}"
                )
        return self._part(self._number(values))

    def _number(self, values: Mapping[str, int]) -> int:
        return next(
            number
            for number, bounds in enumerate(self.ranges)
            if all(least <= values[name] <= greatest for name, (least, greatest) in bounds.items())
        )

    def _part(self, number: int) -> Program:
        with self._lock:
            if number not in self._made:
                closed = self._closed.within(self.ranges[number])
                self._made[number] = Program(closed, self._planned(number), self.device)
        return self._made[number]

    def _prepared(self, values: Mapping[str, int], shapes: tuple[Shape, ...]) -> Call:
        return self.part(values)._prepared(values, shapes)

    def _parts_to_save(self) -> list[PartToSave]:
        rows = zip(self.ranges, self.parts, strict=True)
        return [PartToSave(bounds, part._compilation, part._executable) for bounds, part in rows]

    def stage(self, step: str) -> Any:
        """Raises ExecutionError, because only the parts are UOps, one for each range."""
        raise ExecutionError(f"{_PARTS}.stage({brief(step)})")
