"""The arrays that the kernels of a schedule work on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from eqsat.extents import Extent, capacity
from eqsat.integers.values import value_of
from eqsat.runtime.storage import stored_dtype
from eqsat.schedule.kernel import BufferSpec, Role


@dataclass(frozen=True, slots=True)
class Layout:
    """The numbered arrays of a run, as a device makes them, and which of them each kernel is given.

    Attributes:
        count: number of arrays.
        inputs: for each array that the caller gives, its number and its position among the caller's arrays.
        outputs: for each array that a run returns, its number, how many elements it has, and their dtype; in the order of their slots.
        temporaries: for each block of memory, the numbers of the arrays that share it, and its size in bytes.
        kept: for each array that persists from run to run, its number and its size in bytes.
        empty: the numbers of the arrays without elements.
        parameters: for each kernel, the numbers of the arrays that are its arguments.
    """

    count: int
    inputs: tuple[tuple[int, int], ...]
    outputs: tuple[tuple[int, int, np.dtype], ...]
    temporaries: tuple[tuple[tuple[int, ...], int], ...]
    kept: tuple[tuple[int, int], ...]
    empty: tuple[int, ...]
    parameters: tuple[tuple[int, ...], ...]

    @staticmethod
    def of(specs: Sequence[BufferSpec], parameters: Sequence[Sequence[int]]) -> Layout:
        """The layout of the buffers of a schedule."""
        numbered = [(number, spec) for number, spec in enumerate(specs) if capacity(spec.size)]
        slots = sorted(numbered, key=lambda item: item[1].slot)
        shared: dict[int, list[int]] = {}
        for number, spec in numbered:
            if spec.role is Role.TEMPORARY:
                shared.setdefault(spec.arena if spec.arena >= 0 else ~number, []).append(number)
        return Layout(
            count=len(specs),
            inputs=tuple((number, spec.slot) for number, spec in slots if spec.role is Role.INPUT),
            outputs=tuple(
                (number, spec.size, stored_dtype(spec.dtype))
                for number, spec in slots
                if spec.role is Role.OUTPUT
            ),
            temporaries=tuple(
                (tuple(numbers), max(specs[each].size * specs[each].dtype.itemsize for each in numbers))
                for numbers in shared.values()
            ),
            kept=tuple(
                (number, spec.size * spec.dtype.itemsize)
                for number, spec in numbered
                if spec.role is Role.KEPT
            ),
            empty=tuple(number for number, spec in enumerate(specs) if not capacity(spec.size)),
            parameters=tuple(tuple(numbers) for numbers in parameters),
        )

    def at(self, specs: Sequence[BufferSpec], values: Mapping[str, int]) -> Layout:
        """The layout for given values of the variables that the sizes of buffers depend on."""

        def elements(number: int) -> int:
            spec = specs[number]
            if spec.capacity is not None:
                return value_of(spec.capacity, values)
            return spec.size.at(values) if isinstance(spec.size, Extent) else spec.size

        return replace(
            self,
            outputs=tuple((number, elements(number), dtype) for number, _, dtype in self.outputs),
            temporaries=tuple(
                (numbers, max(elements(each) * specs[each].dtype.itemsize for each in numbers))
                for numbers, _ in self.temporaries
            ),
        )
