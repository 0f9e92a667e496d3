"""Counts the operations, accesses and reductions of a kernel, by the ranges that they depend on and the ranges that they sit in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import count, pairwise, takewhile
from math import prod
from operator import attrgetter
from typing import cast

from eqsat.dtype import DType, float16, index
from eqsat.integers import narrowing
from eqsat.integers.bounds import intervals_of
from eqsat.integers.linear import Affine, affine_forms
from eqsat.machine import ALONE, SELECTED, Machine, selected_strides
from eqsat.ops import ELEMENTARY, REDUCES, AxisType, Op
from eqsat.schedule.cost.operations import (
    ACCUMULATING,
    BARE,
    accumulated,
    combining,
    costly,
    is_float,
    latency,
    share_alone,
    widest,
)
from eqsat.schedule.cost.profile import Access, Profile, Reduction, mask_of
from eqsat.shape import extent_of
from eqsat.sub_groups import reduces
from eqsat.support.bits import union
from eqsat.uop import UOp, toposort

TiledStrides = Callable[[UOp, UOp], Mapping[int, int]]
Place = tuple[int, int, int]  # `depends`, `sits` and bytes of the widest element of some operations
_but_offset: Callable[[Access], tuple[object, ...]] = attrgetter(
    *(field.name for field in fields(Access) if field.name != "offsets")
)


def profile(sink: UOp, machine: Machine, tiled: TiledStrides | None = None) -> Profile:
    """Counts a kernel before its loops are chosen: its ranges are over outputs (LOOP), reductions (REDUCE) or scans (SCAN).

    Operations have the prices of `machine`. `tiled` returns the strides of an address inside tiles of a range, by tile size.
    """
    kernel = _Kernel(sink, tiled)
    work, narrow, bare, functions, alone = kernel.operations(machine)
    converted = union(kernel.depends[node] for node in kernel.order if node.dtype == float16)
    accesses = [
        each for node in kernel.order if node.op in (Op.LOAD, Op.STORE) for each in kernel.accesses(node)
    ]
    return Profile(
        ranges=tuple(kernel.number),
        extents=kernel.extents,
        outputs=kernel.outputs,
        fill_ranges=mask_of(kernel.number[node] for node in kernel.stages),
        around_fills=tuple(kernel.depends[node] for node in kernel.local),
        work=work,
        accesses=tuple(
            _counted([*accesses, *map(kernel.filling, kernel.local)], kernel.extents, machine.line_bytes)
        ),
        reductions=(
            *(kernel.reduction(node) for node in kernel.order if node.op in ACCUMULATING),
            *kernel.kept_values(machine),
        ),
        narrow=narrow,
        without_arithmetic=bare,
        functions=functions | converted,
        not_vectorized=alone | converted,
        combines=any(node.op is Op.STORE and node.arg is not None for node in kernel.order),
    )


class _Kernel:
    """The facts of a kernel from which its profile is made. Sets of ranges are bit masks of their numbers.

    Attributes:
        order: the nodes, operands first.
        number: the number of each range.
        extents: the extent of each range.
        stages: the ranges whose loops fill local memory.
        outputs: the ranges over outputs.
        depends: for each node, the ranges that it depends on.
        forms: the affine form of each index.
        local: the number of the local memory of each BUFFERIZE, below 0.
        read: the loads, and all nodes that depend on one.
    """

    def __init__(self, sink: UOp, tiled: TiledStrides | None) -> None:
        self.order = order = toposort([sink])
        ranges = sorted((node for node in order if node.op is Op.RANGE), key=lambda node: node.arg[0])
        self.number = number = {node: position for position, node in enumerate(ranges)}
        self.extents = tuple(node.src[0].arg for node in ranges)
        self.stages = {bound for node in order if node.op is Op.BUFFERIZE for bound in node.src[1:]}
        self.outputs = mask_of(
            number[node] for node in ranges if node.arg[1] is AxisType.LOOP and node not in self.stages
        )
        self.depends = depends = {
            node: sum(1 << number[each] for each in node.ranges) for node in order if node.op is not Op.SINK
        }
        self.forms = affine_forms(node for node in order if node.dtype is index)
        self.local = {
            node: -1 - place for place, node in enumerate(each for each in order if each.op is Op.BUFFERIZE)
        }
        self.read = _read(order)
        self._tiled = tiled
        self._beside = _beside(order, self.forms) | _between(order, self.forms)
        self._tested = _tested(order, self.outputs, depends)
        self._surroundings = _surroundings(order, number, depends)
        self._sits: dict[int, int] = {}

    def sits(self, mask: int) -> int:
        """These ranges, and those around their loops."""
        found = self._sits.get(mask)
        if found is None:
            found = self._sits[mask] = _closure(mask, self._surroundings)
        return found

    def operations(
        self, machine: Machine
    ) -> tuple[Counter[Place], Counter[Place], dict[Place, tuple[float, float]], int, int]:
        """`work`, `narrow`, `bare`, `functions` and `alone` of a profile; the last two without conversions of half-precision values."""
        made = {  # the share of all iterations in which an operation runs
            node: 1.0 / prod(n for place, n in enumerate(self.extents) if mask >> place & 1)
            for node, mask in self._tested.items()
        }
        depends = self.depends
        work: Counter[Place] = Counter()
        narrow: Counter[Place] = Counter()
        bare: dict[Place, tuple[float, float]] = {}
        functions = alone = 0
        narrowed = self._in_16_bits()
        for node, every, every_half in costly(self.order, machine):
            share_made = made.get(node, 1.0)
            cycles, half = every * share_made, every_half * share_made
            mask = depends[node.src[0]] if node.op in ACCUMULATING else depends[node]
            if node.op is Op.STORE:
                mask = depends[node.src[0]] | depends[node.src[1]]
            key = mask, self.sits(mask), narrowing.BYTES if node in narrowed else widest(node)
            work[key] += cycles  # pyright: ignore[reportArgumentType]
            narrow[key] += half  # pyright: ignore[reportArgumentType]
            if node.op in BARE:
                share, (before, narrow_before) = share_alone(node, machine), bare.get(key, (0.0, 0.0))
                bare[key] = before + share * cycles, narrow_before + share * half
            functions |= mask if node.op in ELEMENTARY else 0
            alone |= mask if node.op in ALONE else 0
        return work, narrow, bare, functions, alone

    def _in_16_bits(self) -> set[UOp]:
        """The operations that code with vectors computes in 16 bits, and the conversions of their operands and results."""
        order = self.order
        wide = narrowing.wide_operations(order)
        found = narrowing.in_16_bits(wide, order, lambda: intervals_of(order[-1:]))
        operands = {source for node in found for source in node.src if source.op is Op.CAST}
        return {*found, *operands, *(node for node in order if node.op is Op.CAST and node.src[0] in found)}

    def accesses(self, node: UOp) -> tuple[Access, ...]:
        """The access of a node, or the load and the store of a STORE that combines with the stored value; its gate is tested once."""
        own = replace(self._access(node), beside=self._beside.get(node, 1), tested=self._tested.get(node, 0))
        return (own,) if node.op is Op.LOAD or node.arg is None else (replace(own, gate=0, store=False), own)

    def _access(self, node: UOp) -> Access:
        depends, tiled = self.depends, self._tiled
        address = node.src[0]
        buffer, flat, *gates = address.src
        buffer = buffer.src[0] if buffer.op is Op.AFTER else buffer
        strides: dict[int, int] = {}
        irregular = gathered = 0
        for atom, coefficient in self.forms[flat].terms:
            if atom.op is Op.RANGE:
                strides[self.number[atom]] = coefficient
            else:
                irregular |= depends[atom]
                gathered |= depends[atom] if atom in self.read and node.op is Op.LOAD else 0
        # Sorted, because terms of a sum come in any order and equal kernels are to be priced once
        strides = dict(sorted(strides.items()))
        inside: dict[tuple[int, int], int] = {}
        for bound, position in self.number.items() if irregular and tiled else ():
            if irregular >> position & 1 and tiled:
                inside.update({(position, size): stride for size, stride in tiled(flat, bound).items()})
        store = node.op is Op.STORE
        mask = depends[address] | (depends[node.src[1]] if store else 0)
        assert isinstance(buffer.dtype, DType)
        slot, size = (self.local[buffer], _elements(buffer)) if buffer in self.local else buffer.arg
        return Access(slot, buffer.dtype.itemsize, size, strides, inside, irregular, gathered,
                      depends[gates[0]] if gates else 0, mask, self.sits(mask), store, offsets=(self.forms[flat].constant,))  # fmt: skip

    def filling(self, node: UOp) -> Access:
        """The store with which a BUFFERIZE fills local memory; its last range varies fastest."""
        strides: dict[int, int] = {}
        step = 1
        for bound in reversed(node.src[1:]):
            strides[self.number[bound]] = step
            step *= extent_of(bound)
        mask = self.depends[node.src[0]] | mask_of(strides)
        assert isinstance(node.dtype, DType)
        return Access(
            self.local[node],
            node.dtype.itemsize,
            step,
            strides,
            {},
            0,
            0,
            0,
            mask,
            self.sits(mask),
            store=True,
        )

    def reduction(self, node: UOp) -> Reduction:
        """What a REDUCE, ARGREDUCE or SCAN accumulates."""
        values = accumulated(node)
        own = sum(1 << self.number[each] for each in node.src[len(values) :])
        value = self.depends[node.src[0]] | own
        size = sum(each.dtype.itemsize for each in values if isinstance(each.dtype, DType))
        scans = node.op is Op.SCAN
        adds = combining(node) is Op.ADD and is_float(values[0])
        fuses = adds and values[0].op is Op.MUL
        result = self.depends[node] & ~own
        words = values[0].op is Op.DOT and not scans
        return Reduction(combining(node), scans, own, result, value, self.sits(value), size, fuses, reduces(node),
                         node.op is Op.ARGREDUCE, adds and not fuses, words, _tiles(values[0], own, self._access) if words else ())  # fmt: skip

    def kept_values(self, machine: Machine) -> Iterator[Reduction]:
        """What the CARRYs of RECURs accumulate."""
        recurrences = {
            node.src[2]: node for node in self.order if node.op is Op.RECUR
        }  # one of those that share CARRYs
        for node in recurrences.values():
            pairs, own = node.src[1:-1], 1 << self.number[node.src[-1]]
            cycles = latency(pairs[1::2], pairs[::2], machine)
            for kept in pairs[1::2]:
                assert isinstance(kept.dtype, DType)
                value, size = self.depends[kept], kept.dtype.itemsize
                yield Reduction(Op.MULACC, True, own, value & ~own, value, self.sits(value), size, False, latency=cycles)  # fmt: skip


def _read(order: Iterable[UOp]) -> set[UOp]:
    """The loads, and all nodes that depend on one."""
    read: set[UOp] = set()
    for node in order:
        if node.op is Op.LOAD or any(source in read for source in node.src):
            read.add(node)
    return read


def _surroundings(order: list[UOp], number: Mapping[UOp, int], depends: Mapping[UOp, int]) -> dict[int, int]:
    """For each range with a loop of its own inside others, the ranges around that loop.

    A loop that reduces or fills local memory is inside the ranges that its result depends on. A SCAN loop is inside the other ranges of its
    store.
    """
    around: dict[int, int] = {}
    for node in order:
        if node.op in REDUCES or node.op is Op.BUFFERIZE:
            for each in node.src[node.op.info.range_start :]:
                around[number[each]] = around.get(number[each], 0) | depends[node]
        if node.op is Op.STORE:
            for each in node.src[2:]:
                if each.arg[1] is AxisType.SCAN:
                    others = [other for other in node.src[2:] if other is not each]
                    if node.arg is not None:  # columns of a scatter may be inside the SCAN loop
                        others = [other for other in others if other.arg[0] < each.arg[0]]
                    around[number[each]] = around.get(number[each], 0) | mask_of(
                        map(number.__getitem__, others)
                    )
    return around


def _closure(mask: int, around: Mapping[int, int]) -> int:
    while True:
        wider = mask
        for position, outer in around.items():
            if mask >> position & 1:
                wider |= outer
        if wider == mask:
            return mask
        mask = wider


def _counted(accesses: Sequence[Access], extents: Sequence[int], line_bytes: float) -> list[Access]:
    """The different accesses; those that differ in a constant offset are one, with all their `offsets`."""
    alike: dict[object, list[Access]] = {}
    for access in accesses:
        key = tuple(map(_hashable, _but_offset(access)))
        alike.setdefault(key, []).append(access)
    return [_joined(each, extents, line_bytes) for each in alike.values()]


def _joined(accesses: Sequence[Access], extents: Sequence[int], line_bytes: float) -> Access:
    """Accesses that differ in a constant offset, as one."""
    first, offsets = accesses[0], sorted(offset for access in accesses for offset in access.offsets)
    apart = 1.0 if first.irregular else _apart(first, sorted(set(offsets)), extents, line_bytes)
    return replace(first, offsets=tuple(offset - offsets[0] for offset in offsets), apart=apart)


def _apart(access: Access, offsets: Sequence[int], extents: Sequence[int], line_bytes: float) -> float:
    """How many times as many bytes accesses at these offsets touch as one of them: the next one may touch some of the same."""
    return 1.0 + sum(
        1.0 - _shared(access, after - before, extents, line_bytes) for before, after in pairwise(offsets)
    )


def _shared(access: Access, distance: int, extents: Sequence[int], line_bytes: float) -> float:
    """The share of what an access touches that another one, so many elements further, touches too, or that is in lines that it touches."""
    share = 1.0
    for position, stride in sorted(access.strides.items(), key=lambda each: -abs(each[1])):
        times = min(round(distance / abs(stride)), extents[position] - 1)
        share *= 1.0 - times / extents[position]
        distance = abs(distance - times * abs(stride))
    return share if distance * access.itemsize < line_bytes else 0.0


def _hashable(value: object) -> object:
    return tuple(cast("Mapping[object, object]", value).items()) if isinstance(value, Mapping) else value


def _beside(order: Iterable[UOp], forms: Mapping[UOp, Affine]) -> dict[UOp, int]:
    """For each plain store, how many stores write a run of neighbouring elements with it: same array and ranges, consecutive offsets."""
    places: dict[object, dict[int, UOp]] = {}
    for node in order:
        if node.op is Op.STORE and node.arg is None:
            address = node.src[0]
            form = forms[address.src[1]]
            places.setdefault((address.src[0], frozenset(form.terms), address.src[2:]), {})[form.constant] = (
                node
            )
    found: dict[UOp, int] = {}
    for stores in places.values():
        for begin in stores:
            if begin - 1 not in stores:
                run = list(takewhile(stores.__contains__, count(begin)))
                found |= {stores[place]: len(run) for place in run}
    return found


def _between(order: Iterable[UOp], forms: Mapping[UOp, Affine]) -> dict[UOp, int]:
    """For each load with a small stride, how many loads read elements near to its own: same array and ranges, offsets few elements apart."""
    places: dict[object, dict[int, list[UOp]]] = {}
    for node in order:
        if node.op is Op.LOAD:
            address = node.src[0]
            form = forms[address.src[1]]
            assert isinstance(node.dtype, DType)
            if any(abs(step) in selected_strides(node.dtype.itemsize) for _, step in form.terms):
                key = address.src[0], frozenset(form.terms), address.src[2:]
                places.setdefault(key, {}).setdefault(form.constant, []).append(node)
    found: dict[UOp, int] = {}
    for loads in places.values():
        near: list[int] = []
        for offset, following in pairwise([*sorted(loads), max(loads) + max(SELECTED)]):
            near.append(offset)
            if following - offset >= max(SELECTED):
                found |= {node: len(near) for each in near for node in loads[each]}
                near = []
    return found


def _tested(order: Iterable[UOp], outputs: int, depends: Mapping[UOp, int]) -> dict[UOp, int]:
    """For each STORE that combines and each node of its value, the ranges over parts of the results.

    The gate depends on these ranges but the loaded label does not, so the label is in at most one of the parts.
    """
    found: dict[UOp, int] = {}
    for store in (node for node in order if node.op is Op.STORE and node.arg is not None):
        labels = toposort(store.src[0].src[2:])
        read = [depends[node] for node in labels if node.op is Op.LOAD]
        mask = outputs & union(depends[gate] for gate in store.src[0].src[2:])
        if read and (mask := mask & ~union(read)):
            found |= {node: mask for node in toposort(store.src[1:2]) if node not in labels}
            found[store] = mask
    return found


def _elements(buffer: UOp) -> int:
    return prod(map(extent_of, buffer.src[1:]))


def _tiles(product: UOp, own: int, access: Callable[[UOp], Access]) -> tuple[tuple[int, int], ...]:
    """(ranges of rows, ranges of columns), as masks, for each factor that can supply the rows of a matrix register.

    The words of such a factor are contiguous along the reduced range. Its other ranges are the rows; the columns are the contiguous ranges of
    the other factor.
    """
    if own.bit_count() != 1 or any(factor.op is not Op.LOAD for factor in product.src):
        return ()
    first, second = map(access, product.src)
    found: list[tuple[int, int]] = []
    for row, column in ((first, second), (second, first)):
        is_plain = not (row.gate | column.gate) and not (row.irregular | column.irregular) & own
        around = [each.depends & ~each.own if each.is_local else 0 for each in (row, column)]
        rows = (row.own & ~row.irregular | around[0]) & ~(own | column.depends)
        columns = (column.walked(1) | around[1]) & ~(own | row.depends)
        if is_plain and row.walked(1) & own and column.own & own and rows and columns:
            found.append((rows, columns))
    return tuple(found)
