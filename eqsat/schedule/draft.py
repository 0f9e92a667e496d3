"""Kernels whose loops are not chosen yet, and the schedules that they become once the loops are chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from eqsat.dtype import DType, index
from eqsat.machine import Machine, price
from eqsat.ops import ALU, Op
from eqsat.schedule.cost.estimates import estimate
from eqsat.schedule.cost.groups import by_sub_groups
from eqsat.schedule.cost.profile import Access, Profile
from eqsat.schedule.cost.profiling import profile
from eqsat.schedule.cost.tables import Tables
from eqsat.schedule.dynamic.positions import without_masks
from eqsat.schedule.kernel import BufferSpec, Kernel, Schedule
from eqsat.schedule.loops.axes import apply, over_loops, split, tiles_of
from eqsat.schedule.loops.bases import Bases, Indices
from eqsat.schedule.loops.search import Choice, tile_sizes
from eqsat.schedule.lowering.launch import launched
from eqsat.schedule.offsets import with_offsets
from eqsat.schedule.tiling import Tiling, Tilings
from eqsat.spec.memory import definition
from eqsat.uop import UOp, rewrite, toposort

STREAMED = 0.5  # stores are non-temporal if at least this share of the touched bytes comes from memory
STORED = 0.25  # and if at least this share of the touched bytes is stored
LONG = 4096  # contiguous bytes of which the partial lines at both ends hardly count


@dataclass(frozen=True, eq=False)
class Draft:
    """One kernel before its loops are chosen.

    Attributes:
        sink: the SINK of its stores, over ranges without tiles.
        name: says what it computes.
        profile: its operations and accesses, as cost models see them.
        device: the device that it is meant for.
        choice: the loops that were considered, with the predicted seconds of each.
        bases: its index expressions in the loops of every tiling.
        buffers: for each PARAM of `sink`, written ones first, the buffer of the schedule.
        offsets: for each of these, the element of the buffer at which its array begins; empty if all begin with their buffers.
    """

    sink: UOp
    name: str
    profile: Profile
    device: Machine
    choice: Choice
    bases: Bases
    buffers: tuple[int, ...]
    offsets: tuple[int, ...] = ()

    @staticmethod
    def of(
        sink: UOp,
        name: str,
        indices: Indices,
        choose: Callable[[Profile], Choice],
        *,
        is_masked: bool = False,
    ) -> Draft:
        """The draft of a lowered kernel, on buffers numbered as its PARAMs; `choose` returns the loops that a kernel may have.

        With `is_masked`, the kernel has masks for extents that only calls know. The cost model ignores them, as whole tiles will have none.
        """
        device, plain = indices.machine, indices.simplest(sink)
        simple = rewrite([sink], {root: form for root, form in plain.items() if form is not root})[0]
        simple = without_masks(simple) if is_masked else simple
        kernel = replace(profile(simple, device), dynamic=is_masked)
        bases = Bases(plain, tile_sizes(kernel, device), indices)
        if any(access.irregular for access in kernel.accesses):
            kernel = replace(profile(simple, device, bases.strides_inside), dynamic=is_masked)
        slots: tuple[int, ...] = tuple(param.arg[0] for param in params_in_order(sink))
        return Draft(sink, name, kernel, device, choose(kernel), bases, slots)

    @property
    def streams(self) -> bool:
        """Whether non-temporal stores pay: they need not read the lines first, and caches would evict the data before their next use anyway.

        Such stores must follow each other closely: with much to compute in between, they take longer than others on some processors.
        """
        accesses = [access for access in self.profile.accesses if not access.is_local]
        touched = {access.buffer: access.size * access.itemsize for access in accesses}
        stored = sum({access.buffer: touched[access.buffer] for access in accesses if access.store}.values())
        total = sum(touched.values())
        is_large = self.device.from_memory(total) >= STREAMED and stored >= STORED * total
        values = [store.src[1] for store in self.sink.src]
        return is_large and _instructions(values) < self.device.streamed_instructions * len(values)

    def fills_lines(self, tiling: Tiling) -> bool:
        """Whether a tile stores whole lines one after the other: with non-temporal stores, each part of a line is a transfer of its own."""
        return all(
            self._fills_lines_of(access, tiling)
            for access in self.profile.accesses
            if access.store and not access.is_local
        )

    def _fills_lines_of(self, access: Access, tiling: Tiling) -> bool:
        row = tile = rows = 1  # contiguous elements, those of them in one tile, and such rows in a tile
        is_whole = True
        for position, stride in sorted(access.strides.items(), key=lambda each: each[1]):
            extent, part = self.profile.extents[position], tiling.axes[position].tile
            if is_whole and stride == row:
                row, tile, is_whole = row * extent, tile * min(part, extent), part >= extent
            else:
                rows *= part
        in_line, in_turn = (not size * access.itemsize % self.device.line_bytes for size in (row, tile))
        return (in_line or row * access.itemsize >= LONG) and (in_turn or rows == 1)

    def on(self, places: Sequence[int]) -> Draft:
        """This kernel on other buffers; `places` has the buffer of each PARAM slot."""
        return replace(self, buffers=tuple(places[slot] for slot in self.buffers))

    def kernel(self, tiling: Tiling | None = None) -> Kernel:
        """The kernel with these loops, by default those predicted to be quickest. Its PARAMs are numbered from 0, written ones first."""
        tiling = tiling or self.choice.best
        sub_group = self.sub_group(tiling)
        splits = split(self.profile, tiling, sub_group)
        slots = {
            param: param.replace(arg=(slot, *param.arg[1:]))
            for slot, param in enumerate(params_in_order(self.sink))
        }
        indices = over_loops(self.bases.express(tiles_of(self.profile, tiling)), splits)
        ast = apply(self.sink, splits, {**indices, **slots})
        streams = self.streams and self.fills_lines(tiling)
        ast = ast.replace(arg=launched(self.name, ast, streams=streams))
        seconds = self.choice.best_seconds
        if tiling is not self.choice.best:
            (seconds,) = estimate(Tables.of(self.profile), [tiling], self.device).seconds.tolist()
        return Kernel(
            ast, self.buffers, seconds, self.choice.looked_at, describe(self.profile, tiling, sub_group)
        )

    def sub_group(self, tiling: Tiling) -> int:
        """Work-items of the sub-groups that first join their parts of shared reductions; 1 if rounds over local memory are cheaper."""
        table = Tilings.of(self.profile.extents, [tiling])
        shares = self.device.sub_group > 1 and bool((table.items > 1).any())
        if not shares or not by_sub_groups(Tables.of(self.profile), table, self.device)[0]:
            return 1
        return self.device.sub_group


@dataclass(frozen=True, eq=False)
class Drafts:
    """A schedule before the loops of its kernels are chosen; the attributes are those of `Schedule`."""

    kernels: tuple[Draft, ...]
    buffers: tuple[BufferSpec, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    lower_bound: float = 0.0
    of_part: bool = False

    def schedule(self, tilings: Mapping[int, Tiling] | None = None) -> Schedule:
        """The schedule with the loops that `tilings` has for some kernels, by number, and the loops predicted to be quickest for the others."""
        given = tilings or {}
        made: dict[tuple[UOp, Tiling], Kernel] = {}  # kernels of one structure are made once
        kernels: list[Kernel] = []
        for number, draft in enumerate(self.kernels):
            key = draft.sink, given.get(number) or draft.choice.best
            if key not in made:
                made[key] = draft.kernel(key[1])
            kernels.append(replace(made[key], buffers=draft.buffers))
        moved = with_offsets(kernels, [draft.offsets for draft in self.kernels])
        return Schedule(tuple(moved), self.buffers, self.inputs, self.outputs, self.lower_bound, self.of_part)


def _instructions(values: Sequence[UOp]) -> float:
    """Approximate number of instructions that compute an element of each value in the loops of its store; loads and reductions are free."""
    found = 0.0
    seen, agenda = {*values}, [*values]
    inside = {value.ranges for value in values}
    while agenda:
        node = agenda.pop()
        if node.op in ALU and isinstance(node.dtype, DType) and node.dtype is not index:
            found += price(node.op, node.dtype).instructions if node.ranges in inside else 0.0
            agenda += {*node.src} - seen
            seen |= {*node.src}
    return found


def params_in_order(sink: UOp) -> list[UOp]:
    """The PARAMs of a kernel, those that it stores first."""
    written = [definition(store.src[0]) for store in sink.src]
    read = [node for node in toposort([sink]) if node.op is Op.PARAM]
    return list(dict.fromkeys([*written, *read]))


def describe(kernel: Profile, tiling: Tiling, sub_group: int = 1) -> str:
    """The chosen loops in words, range by range; neighbouring work-items are in sub-groups of `sub_group`."""
    words: list[str] = []
    for position, (extent, axis) in enumerate(zip(kernel.extents, tiling.axes, strict=True)):
        output, kept = kernel.outputs >> position & 1, kernel.fill_ranges >> position & 1
        kind = "output" if output else "keep" if kept else "reduce"
        parts = [f"global/{axis.serial}" if axis.serial > 1 else "global"] if axis.parallel else ["loop"]
        if axis.items > 1:
            together = f" in sub-groups of {sub_group}" if sub_group > 1 and not axis.slow else ""
            parts.append(f"{'slow ' * axis.slow}items {axis.items}{together}")
        parts += [f"unroll {axis.copies}"] * (axis.copies > 1) + [f"vector {axis.lanes}"] * (axis.lanes > 1)
        words.append(f"{kind} {extent}: {' × '.join(parts)}")
    return "; ".join(words) or "one element"
