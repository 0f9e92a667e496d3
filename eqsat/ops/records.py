"""Arguments of operations that are records."""

from __future__ import annotations

from dataclasses import dataclass

from eqsat.dtype import AddrSpace
from eqsat.shape import Shape


@dataclass(frozen=True, slots=True)
class View:
    """A strided window of a buffer: element (i0, i1, …) is at offset + Σ i·stride; outside `mask` (begin, end per axis) it is 0."""

    shape: Shape
    strides: tuple[int, ...]
    offset: int = 0
    mask: tuple[tuple[int, int], ...] | None = None


@dataclass(frozen=True, slots=True)
class KernelInfo:
    """Marks a SINK as one kernel, names it by what it computes, and says how to run it.

    Attributes:
        name: the name of the kernel.
        chains: the most accumulators that all unrolled copies of a reduction share; each accumulator depends on itself only.
        group: the most work-items of a work-group; kernels with LOCAL ranges take the number from these ranges instead.
        streams: whether it stores whole vectors past the caches (non-temporal stores).
    """

    name: str
    chains: int = 1
    group: int = 1
    streams: bool = False


@dataclass(frozen=True, slots=True)
class BufferizeOpts:
    """Where a BUFFERIZE stores its elements.

    Attributes:
        device: the name of the device of an array; None for the device of its readers.
        space: GLOBAL for arrays between kernels; in a kernel LOCAL, which a work-group shares, or REG, which is private to a work-item.
        removable: whether an array may be inlined into its readers, so that it is never stored in memory.
    """

    device: str | None = None
    space: AddrSpace = AddrSpace.GLOBAL
    removable: bool = True
