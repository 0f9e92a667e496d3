"""The buffers of kernels: their numbers, and which temporaries share memory. Layers are joined into one program here, too."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol, TypeVar

from eqsat.schedule.draft import Draft, Drafts
from eqsat.schedule.kernel import BufferSpec, Role
from eqsat.schedule.layers import Layer
from eqsat.spec.memory import definition
from eqsat.uop import UOp

B = TypeVar("B", bound=Hashable)
B_co = TypeVar("B_co", bound=Hashable, covariant=True)


class Traffic(Protocol[B_co]):
    """The buffers that a kernel reads and stores."""

    @property
    def reads(self) -> Sequence[B_co]:
        """The buffers that it reads."""
        ...

    @property
    def stores(self) -> Sequence[B_co]:
        """The buffers that it stores."""
        ...


def buffers_of(
    kernels: Sequence[Traffic[B]],
    slots: Mapping[B, int],
    outputs: Sequence[B],
    spec: Callable[[B], BufferSpec],
) -> tuple[tuple[BufferSpec, ...], dict[B, int]]:
    """All buffers that are used, inputs first, and the number of each of them.

    Args:
        kernels: the kernels in the order in which they run.
        slots: the input slot of each buffer that is the caller's input.
        outputs: the buffers of the results.
        spec: returns the description of a buffer as a temporary.
    """
    used = {*outputs, *(buffer for kernel in kernels for buffer in kernel.reads)}
    inputs = sorted(used & slots.keys(), key=slots.__getitem__)
    arenas = _arenas(kernels, {*outputs, *inputs})
    specs: list[BufferSpec] = []
    numbers: dict[B, int] = {}
    for buffer in (*inputs, *outputs, *(each for kernel in kernels for each in kernel.stores)):
        if buffer in numbers:
            continue
        numbers[buffer] = len(specs)
        own = replace(spec(buffer), arena=arenas.get(buffer, -1))
        if buffer in slots:
            own = replace(own, role=Role.INPUT, slot=slots[buffer], shape=())
        elif buffer in outputs:
            own = replace(own, role=Role.OUTPUT, slot=outputs.index(buffer))
        specs.append(own)
    return tuple(specs), numbers


def _arenas(kernels: Sequence[Traffic[B]], callers: Collection[B]) -> dict[B, int]:
    """An arena for each temporary; the live ranges of temporaries in one arena do not overlap."""
    last_read = {buffer: time for time, kernel in enumerate(kernels) for buffer in kernel.reads}
    free_at: list[int] = []  # by arena: the last time at which its present owner is read
    arenas: dict[B, int] = {}
    for time, kernel in enumerate(kernels):
        for buffer in kernel.stores:
            if buffer in callers:
                continue
            arena = next((number for number, until in enumerate(free_at) if until < time), len(free_at))
            free_at[arena:arena + 1] = [last_read.get(buffer, time)]  # fmt: skip
            arenas[buffer] = arena
    return arenas


class _Kernel(NamedTuple):
    """A kernel with buffers of the whole program."""

    draft: Draft
    reads: Sequence[int]
    stores: Sequence[int]


def joined(sink: UOp, layers: Sequence[tuple[Layer, Drafts]]) -> Drafts:
    """The kernels of a program from those of its layers."""
    if len(layers) == 1:
        return layers[0][1]
    specs: list[BufferSpec] = []
    slots: dict[int, int] = {}
    place: dict[UOp, int] = {}  # index in `specs` of each input and of each result of a layer
    kernels: list[_Kernel] = []
    for layer, drafts in layers:
        own: list[int] = []
        for spec in drafts.buffers:
            node = layer.reads[spec.slot] if spec.role is Role.INPUT else None
            if node is None or node not in place:
                own.append(len(specs))
                specs.append(replace(spec, role=Role.TEMPORARY, slot=-1, arena=-1))
            else:
                own.append(place[node])
            if node is not None and node not in place:
                place[node], slots[own[-1]] = own[-1], node.arg[0]
        place |= {node: own[number] for node, number in zip(layer.results, drafts.outputs, strict=True)}
        begins = [
            layer.offsets.get(spec.slot, 0) if spec.role is Role.INPUT else 0 for spec in drafts.buffers
        ]
        for draft in drafts.kernels:
            buffers = [own[number] for number in draft.buffers]
            offsets = tuple(begins[number] for number in draft.buffers)
            stored = len({definition(store.src[0]) for store in draft.sink.src})
            moved = replace(draft, buffers=tuple(buffers), offsets=offsets if any(offsets) else ())
            kernels.append(_Kernel(moved, buffers[stored:], buffers[:stored]))
    outputs = [place[node] for node in sink.src]
    found, numbers = buffers_of(kernels, slots, outputs, specs.__getitem__)
    return Drafts(
        tuple(replace(each.draft, buffers=tuple(numbers[b] for b in each.draft.buffers)) for each in kernels),
        found,
        tuple(number for number, spec in enumerate(found) if spec.role is Role.INPUT),
        tuple(numbers[buffer] for buffer in outputs),
        sum(drafts.lower_bound for _, drafts in layers),
    )
