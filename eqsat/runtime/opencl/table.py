"""The memory in which a crew finds a program: its launches, the arguments of kernels, and the addresses of arrays.

All that may differ from call to call lies in one block, so that a run with other groups or other values of variables takes one copy.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from eqsat.dtype import PtrDType
from eqsat.ops import Op
from eqsat.runtime.buffers import allocate_host
from eqsat.runtime.device import Values
from eqsat.runtime.opencl.crew import (
    CONTEXT_WORDS,
    GIVEN_WORDS,
    PORTIONS,
    WRITTEN_WORDS,
    Crew,
    Function,
    address_of,
    context_of,
    words,
)

if TYPE_CHECKING:
    from eqsat.codegen import RenderedKernel
    from eqsat.runtime.layout import Layout

LAUNCH_WORDS = GIVEN_WORDS + WRITTEN_WORDS
WORD = (1 << 64) - 1
GRID = (1 << 16) - 1  # most work-items in a dimension for which PoCL uses the functions that are found here

WorkItems = Sequence[tuple[int, ...]]  # for each kernel, its work-items per dimension


class Table:
    """The words of a program: the addresses of arrays by number, then the launches, the contexts and the variables of all kernels.

    Attributes:
        words: all words, as an array.
        arguments: the address of the arguments of `run_groups`.
    """

    def __init__(
        self, kernels: Sequence[RenderedKernel], functions: Sequence[Function], layout: Layout, crew: Crew
    ) -> None:
        self._kernels, self._threads, self._count = kernels, crew.threads, layout.count
        self._owned: list[Any] = []
        variables = [len(kernel.variables) for kernel in kernels]
        self.words = np.zeros(
            layout.count + sum(variables) + (LAUNCH_WORDS + CONTEXT_WORDS) * len(kernels), np.uint64
        )
        first = self.words.ctypes.data
        launches = first + 8 * layout.count
        contexts = launches + 8 * LAUNCH_WORDS * len(kernels)
        variable = contexts + 8 * CONTEXT_WORDS * len(kernels)
        self._launches: list[tuple[int, int, int]] = []  # addresses of function, arguments and context
        for kernel, function, numbers in zip(kernels, functions, layout.parameters, strict=True):
            places = [first + 8 * number for number in numbers]
            places += [variable + 8 * number for number in range(len(kernel.variables))]
            each = [
                self._own([*places, *(self._own([address]) for address in self._local_memory(kernel))])
                for _ in range(crew.threads)
            ]
            self._launches.append((address_of(function), self._own(each), contexts))
            contexts += 8 * CONTEXT_WORDS
            variable += 8 * len(kernel.variables)
        given = [self._own([word]) for word in (launches, len(kernels), crew.shared)]
        self.arguments = self._own(given)

    def image(self, addresses: dict[int, int], sizes: WorkItems, values: Values) -> np.ndarray | None:
        """The content of `words` for a run; None if a dimension has more work-items than the functions are made for.

        Addresses that only a call knows are 0.
        """
        if any(size > GRID for each in sizes for size in each):
            return None
        found = [addresses.get(number, 0) for number in range(self._count)]
        contexts: list[int] = []
        for kernel, launch, size in zip(self._kernels, self._launches, sizes, strict=True):
            items = zip(size, kernel.local_size, strict=True)
            groups = [*(extent // item for extent, item in items), 1, 1][:3]
            count = prod(groups)
            portion = max(1, count // (PORTIONS * self._threads))
            found += [*launch, *groups[:2], count | portion << 32, *[0] * WRITTEN_WORDS]
            contexts += context_of(kernel, groups)
        variables = [int(value) & WORD for each in values for value in each]
        return np.array([*found, *contexts, *variables], np.uint64)

    def _own(self, values: Sequence[int]) -> int:
        """The address of new memory with these words, which lives as long as the table."""
        self._owned.append(words(values))
        return ctypes.addressof(self._owned[-1])

    def _local_memory(self, kernel: RenderedKernel) -> Iterator[int]:
        """The addresses of a kernel's local arrays. Each has room for the largest, because PoCL's order of these arrays is not known."""
        sizes: list[int] = []
        for node in kernel.linear.src:
            if node.op is Op.DEFINE_LOCAL:
                assert isinstance(node.dtype, PtrDType)
                sizes.append(node.dtype.size * node.dtype.base.itemsize)
        for _ in sizes:
            self._owned.append(allocate_host(max(sizes)))
            yield self._owned[-1].ctypes.data
