"""Expansion: UPCAST ranges become vector lanes, UNROLL ranges become copies.

Before: a SINK of the kernel stage. After: no UPCAST or UNROLL range, no UNROLL, CONTRACT or PTRCAT is left. A value that does
not vary along the lanes stays scalar and is broadcast where it meets a vector; an access whose address is contiguous along the
lanes is one vector access. A REDUCE over lanes accumulates a vector and combines its lanes after the loop. A REDUCE over copies has
as many accumulators as `KernelInfo.chains` says, and combines them after the loop. If the source of a REDUCE has several
times its lanes (VECTORIZE or CAT of copies), the parts are added to one accumulator in turn.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from functools import partial
from itertools import groupby, product
from math import prod

from eqsat.codegen.expansion import combining
from eqsat.codegen.expansion.access import (
    accumulate,
    consecutive,
    load_of,
    scanned_copy,
    store_whole_or_parts,
    whole_or_parts,
    without_duplicates,
)
from eqsat.codegen.expansion.borders import ends_among, lanes_where, masked, parts_of
from eqsat.codegen.expansion.combining import joining, members
from eqsat.codegen.expansion.demand import Expanding, Request, on_demand
from eqsat.codegen.expansion.dependence import (
    CopyAxis,
    Dependence,
    by_kind,
    extent,
    nested,
    row_major,
    unroll_axes,
)
from eqsat.codegen.expansion.gathers import gathered_lanes
from eqsat.codegen.expansion.interleaving import Write, destination, stores_of_writes
from eqsat.codegen.expansion.lanes import added, balanced, broadcast, elementwise, fold, pick, vector_of
from eqsat.codegen.expansion.older_forms import modernize
from eqsat.codegen.expansion.recurrences import following_values, recurrence
from eqsat.codegen.expansion.seams import joined
from eqsat.codegen.expansion.selection import Cover
from eqsat.codegen.expansion.strides import Strides, is_read
from eqsat.codegen.expansion.transposition import transpose
from eqsat.dtype import DType, bool_, index, void
from eqsat.integers.conditions import conjuncts
from eqsat.integers.linear import Affine, affine_forms
from eqsat.ops import ABREAST, ALU, AxisType, Op
from eqsat.uop import UOp, toposort


def expand(sink: UOp) -> UOp:
    """The same kernel with explicit lanes and copies.

    Raises:
        CodegenError: a value varies along two UPCAST ranges, or an explicit vector varies along one.
    """
    kernel = modernize(sink)
    return _Expansion(toposort([kernel]), sink.arg.chains).sink(kernel)


class _Expansion:
    """One run of `expand`; every form of every node is built once, on demand."""

    def __init__(self, order: list[UOp], chains: int) -> None:
        self.chains = chains
        dependence = Dependence.of(order)
        self.copies, self.lane, self.touched = dependence.copies, dependence.lane, dependence.touched
        self.forms = affine_forms(order[-1:])
        self.has_variables = any(node.op is Op.DEFINE_VAR for node in order)  # then sizes may depend on them
        self.following = following_values(order)
        self.built: dict[Request, UOp] = {}
        self.strides = Strides.of_kernel(order, self.forms, dependence)
        self.transposed: dict[tuple[UOp, ...], list[UOp]] = {}

    def sink(self, sink: UOp) -> UOp:
        """The kernel with every store once per copy."""
        stores: list[UOp] = []
        for _, beside in groupby(sink.src, destination):
            roots = list(beside)
            if len(roots) == 1:
                stores += self._statements(roots[0])
            else:  # pieces of one array
                stores += stores_of_writes([write for root in roots for write in self._writes(root)])
        return sink.with_src(without_duplicates(stores))

    def _statements(self, root: UOp) -> list[UOp]:
        """The copies of one statement. A statement that holds others becomes the copies of these: statements have no order unless one waits."""
        if root.op in (Op.GROUP, Op.END, Op.AFTER, Op.BARRIER):
            held = root.src[:1] if root.op is Op.END else root.src
            statements = [statement for source in held for statement in self._statements(source)]
            return [root.with_src(without_duplicates(statements))] if root.op is Op.BARRIER else statements
        if root.op is not Op.STORE:
            lanes = range(extent(self.lane[root])) if root in self.lane else (None,)
            copies = product(*(range(extent(axis)) for axis in self.copies[root]))
            return [self._value((root, values, lane)) for values in copies for lane in lanes]
        copies = self._writes(root)
        if root.arg is not None:
            return [
                UOp(Op.STORE, void, (target, value, *write.loops), root.arg)
                for write in copies
                for target, value in write.parts()
            ]
        if len(copies[0].targets) > 1 and self.strides.convex(root.src[0]) == 1:
            return [
                statement
                for write in copies
                for statement in store_whole_or_parts(list(write.targets), write.value, write.loops)
            ]
        return stores_of_writes(copies)

    def _writes(self, root: UOp) -> list[Write]:
        """The copies of one store, as writes."""
        own = {bound: None for bound in root.src[2:] if bound.arg[1] is AxisType.UNROLL}
        axes = tuple(dict.fromkeys((*self.copies[root.src[0]], *self.copies[root.src[1]], *own)))
        return [
            self._write(root, dict(zip(axes, values, strict=True)))
            for values in product(*(range(extent(axis)) for axis in axes))
        ]

    def _write(self, store: UOp, copy: dict[CopyAxis, int]) -> Write:
        """One copy of a store: a scalar or vector store, or one per lane."""
        address, value = store.src[:2]
        loops = tuple(bound for bound in store.src[2:] if bound.arg[1] not in ABREAST)
        stored = self._value(self._request(value, copy))
        lane = self.lane.get(address, self.lane.get(value))
        targets = self._addresses(address, copy, lane)
        if lane is not None:
            stored = broadcast(stored, extent(lane))
        return Write(tuple(targets), stored, loops)

    def _addresses(self, address: UOp, copy: dict[CopyAxis, int], lane: UOp | None) -> list[UOp]:
        """The addresses of a store: one if it is scalar or contiguous, else one per lane."""
        if address.op is Op.PTRCAT:
            parts = [self._value(self._request(source, copy)) for source in address.src]
            return parts[:1] if consecutive(parts) else parts
        if lane is None or self.strides.of(address) == 1:
            return [self._value(self._request(address, copy, 0 if lane is not None else None))]
        return [self._value(self._request(address, copy, position)) for position in range(extent(lane))]

    # values, on demand

    def _request(self, node: UOp, copy: dict[CopyAxis, int], lane: int | None = None) -> Request:
        return node, tuple(copy[axis] for axis in self.copies[node]), lane if node in self.lane else None

    def _value(self, request: Request) -> UOp:
        """One form of a node."""
        return on_demand(request, self.built, self._expanding)

    def _expanding(self, request: Request) -> Expanding:
        node, values, lane = request
        copy = dict(zip(self.copies[node], values, strict=True))
        if node.dtype is index and node in self.forms and self.forms[node].terms != ((node, 1),):
            return self._affine(self.forms[node], copy, lane)
        if node not in self.touched and node.op not in (Op.LOAD, Op.INDEX, Op.PTRCAT, Op.AFTER):
            return self._rebuilt(node, copy, lane)
        if node.op in ALU:
            return self._alu(node, copy, lane)
        match node.op:
            case Op.RANGE:
                return self._range(node, copy, lane)
            case Op.LOAD:
                return self._load(node, copy, lane)
            case Op.REDUCE | Op.ARGREDUCE:
                return self._reduce(node, copy, lane)
            case Op.SCAN:
                return self._scan(node, copy, lane)
            case Op.CARRY | Op.RECUR:
                return recurrence(node, copy, lane, self.lane, self.following, self._request)
            case Op.AFTER:
                return self._after(node, copy, lane)
            case Op.UNROLL:
                return self._unroll(node, copy)
            case Op.CONTRACT:
                return self._contract(node, copy)
            case _:
                return self._rebuilt(node, copy, lane)

    def _rebuilt(self, node: UOp, copy: dict[CopyAxis, int], lane: int | None) -> Expanding:
        """The node on expanded sources; loops stay as they are."""
        if node.op is Op.RANGE:
            return node
        if node in self.lane and lane is None:
            return (yield from self._each_lane(node, copy))
        sources: list[UOp] = []
        for source in node.src:
            sources.append((yield self._request(source, copy, lane)))
        return node.with_src(tuple(sources)) if node.op not in ALU else fold(node.with_src(tuple(sources)))

    def _each_lane(self, node: UOp, copy: dict[CopyAxis, int]) -> Expanding:
        """The lanes, one by one, of a node that has no vector form, such as text."""
        lanes: list[UOp] = []
        for number in range(extent(self.lane[node])):
            lanes.append((yield self._request(node, copy, number)))
        return UOp(Op.VECTORIZE, lanes[0].dtype.scalar.vec(len(lanes)), tuple(lanes))

    def _range(self, node: UOp, copy: dict[CopyAxis, int], lane: int | None) -> Expanding:
        if node in copy:
            return UOp.const(index, copy[node])
        if lane is not None:
            return UOp.const(index, lane)
        return UOp(Op.VCONST, index.vec(extent(node)), (), tuple(range(extent(node))))
        yield  # makes this a generator, though the form needs no other

    def _alu(self, node: UOp, copy: dict[CopyAxis, int], lane: int | None) -> Expanding:
        """An elementwise operation. One lane of an index or a bool is computed by itself; one lane of another value is picked from its vector."""
        if lane is not None and node.dtype not in (index, bool_):
            return pick((yield self._request(node, copy)), (lane,))
        sources: list[UOp] = []
        for source in node.src:
            sources.append((yield self._request(source, copy, lane)))
        value = elementwise(node, sources)
        if node.op is Op.WHERE and lane is None and node.src[0] in self.lane:
            return (yield from joined(node, value, self.strides, partial(self._request, copy=copy)))
        return value

    def _affine(self, form: Affine, copy: dict[CopyAxis, int], lane: int | None) -> Expanding:
        """A linear form as a sum. Terms of outer loops come first, so that partial sums move out of inner loops; the lane's part is a constant."""
        constant, terms = form.constant, dict[UOp, int]()
        vectors: list[UOp] = []
        for atom, coefficient in nested(form.terms):
            if atom in copy:
                constant += coefficient * copy[atom]
            elif atom.op is Op.RANGE and atom not in self.touched:  # shortcut
                terms[atom] = coefficient
            elif self.lane.get(atom) is not atom:
                term = yield self._request(atom, copy, lane)
                if term.dtype.lanes > 1:
                    scale = broadcast(UOp.const(index, coefficient), term.dtype.lanes)
                    vectors.append(term if coefficient == 1 else term.alu(Op.MUL, scale))
                elif term.op is Op.CONST:
                    constant += coefficient * term.arg
                else:
                    terms[term] = terms.get(term, 0) + coefficient
            elif lane is not None:
                constant += coefficient * lane
            else:
                steps = tuple(coefficient * each for each in range(extent(atom)))
                vectors.append(UOp(Op.VCONST, index.vec(len(steps)), (), steps))
        scalar = Affine(constant, tuple(term for term in terms.items() if term[1])).build()
        return added(scalar, vectors)

    def _load(self, node: UOp, copy: dict[CopyAxis, int], lane: int | None) -> Expanding:
        """A load: scalar, a contiguous vector (in either direction), selected from whole vectors, transposed, gathered, or lane by lane."""
        address, *alternative = node.src
        if address.op is Op.PTRCAT:
            return (yield from self._load_pointers(node, copy))
        if node not in self.lane:
            return (yield from self._access(node, copy, None, 1))
        stride, lanes = self.strides.of(address), extent(self.lane[node])
        same = not any(value in self.lane for value in alternative)
        selected = stride is not None and same and self.strides.is_selected(address, stride)
        if lane is not None:
            if stride == 1 or (stride == -1 and selected):  # one load has all lanes
                return pick((yield self._request(node, copy)), (lane,))
            return (yield from self._access(node, copy, lane, 1))
        if stride == 1:
            return (yield from self._access(node, copy, 0, lanes))
        if stride is not None and selected:
            return (yield from self._select(node, copy, stride, lanes))
        row = self.strides.contiguous_copies(node, lanes)
        if row is not None:
            return (yield from self._transpose(node, copy, row, lanes))
        if stride is None and is_read(self.forms[address.src[1]]):
            return (yield from self._gather(node, copy, lanes))
        return (yield from self._lane_by_lane(node, copy, lanes))

    def _lane_by_lane(self, node: UOp, copy: dict[CopyAxis, int], lanes: int) -> Expanding:
        """Loads of single lanes; whole loads take their place at run time if the gate is convex and all lanes are inside."""
        address, *alternative = node.src
        gathered: list[UOp] = []
        for position in range(lanes):
            gathered.append((yield self._request(node, copy, position)))
        stride = self.strides.convex(address)
        if stride is None or not (stride == 1 or self.strides.is_selected(address, stride)):
            return vector_of(gathered)
        first, last = (yield self._request(address, copy, 0)), (yield self._request(address, copy, lanes - 1))
        gate = address.src[2]
        ends = ends_among(conjuncts(gate), self.forms[address.src[1]], self.forms)
        is_known = bool(ends) or not self.has_variables
        if stride == 1 and is_known and self.strides.is_only_read(address):
            sizes: list[UOp] = []
            for each in ends:
                sizes.append((yield self._request(each.src[1], copy)))
            inside: list[UOp] = []
            for condition, start, step in parts_of(gate, self.lane, self.forms):
                if condition in ends:
                    continue  # a whole load ends before the end, so the condition holds
                if start is None:
                    inside.append((yield self._request(condition, copy)))
                else:
                    inside.append(lanes_where(step, (yield from self._affine(start, copy, 0)), lanes))
            otherwise = yield self._request(alternative[0], copy)
            return masked(first, sizes, inside, gathered, broadcast(otherwise, lanes))
        return whole_or_parts((first, last), stride, gathered, self.has_variables)

    def _gather(self, node: UOp, copy: dict[CopyAxis, int], lanes: int) -> Expanding:
        """Lanes at addresses that are loaded from memory: addresses and gates are computed as vectors."""
        base = yield self._request(node.src[0].src[0], copy)
        parts: list[UOp] = []
        for part in (*node.src[0].src[1:], *node.src[1:]):
            parts.append(broadcast((yield self._request(part, copy)), lanes))
        return gathered_lanes(node, base, parts, lanes, has_variables=self.has_variables)

    def _select(self, node: UOp, copy: dict[CopyAxis, int], stride: int, lanes: int) -> Expanding:
        """Lanes at a small stride, selected from whole loads; one gate holds for all lanes."""
        first = yield from self._access(node, copy, 0 if stride > 0 else lanes - 1, lanes)
        if first.op is not Op.LOAD:
            return first  # the alternative value, since the gate is known to be false
        cover = Cover.of(first.src[0], stride, lanes, self.has_variables)
        return cover.selected(cover.loads(first, [first.src[1:]] * len(cover.starts)))

    def _transpose(self, node: UOp, copy: dict[CopyAxis, int], row: UOp, lanes: int) -> Expanding:
        """Lanes that have as many contiguous copies as there are lanes: the copies of each lane are a whole load, and the loads are transposed."""
        start = copy[row] - copy[row] % lanes
        rows: list[UOp] = []
        for lane in range(lanes):
            rows.append((yield from self._access(node, copy | {row: start}, lane, lanes)))
        key = tuple(rows)
        if key not in self.transposed:
            self.transposed[key] = transpose(rows)
        return self.transposed[key][copy[row] - start]

    def _access(self, node: UOp, copy: dict[CopyAxis, int], lane: int | None, lanes: int) -> Expanding:
        """One LOAD of `lanes` elements from the address of the given lane; a gate that is constant is removed."""
        assert isinstance(node.dtype, DType)
        address = yield self._request(node.src[0], copy, lane)
        dtype = node.dtype.scalar.vec(lanes) if lanes > 1 else node.dtype
        alternative: list[UOp] = []
        for value in node.src[1:]:
            alternative.append(
                broadcast((yield self._request(value, copy, None if lanes > 1 else lane)), lanes)
            )
        if address.src[2:] and address.src[2].op is Op.CONST:
            if not address.src[2].arg:
                return alternative[0]
            return UOp(Op.LOAD, dtype, (address.with_src(address.src[:2]),))
        return UOp(Op.LOAD, dtype, (address, *alternative))

    def _load_pointers(self, node: UOp, copy: dict[CopyAxis, int]) -> Expanding:
        """A LOAD from several addresses."""
        addresses: list[UOp] = []
        for source in node.src[0].src:
            addresses.append((yield self._request(source, copy)))
        return load_of(node, addresses)

    def _after(self, node: UOp, copy: dict[CopyAxis, int], lane: int | None) -> Expanding:
        """Memory or a value after all copies of the statements before it."""
        first = yield self._request(node.src[0], copy, lane)  # it may be an AFTER itself
        before = [each for source in node.src[1:] for each in self._statements(source)]
        return UOp(Op.AFTER, first.dtype, (first, *without_duplicates(before)))

    def _reduce(self, node: UOp, copy: dict[CopyAxis, int], lane: int | None) -> Expanding:
        """Accumulators over the loops that remain; lanes and copies are combined after the loops."""
        if lane is not None:
            return pick((yield self._request(node, copy)), (lane,))
        values, join = members(node), joining(node)
        loops, unrolled, across = by_kind(node.src[len(values) :])
        found: list[list[UOp]] = []
        for value in values:
            found.append((yield from self._copies(value, copy, unrolled, across)))
        lanes = max(each.dtype.lanes for copies in found for each in copies)
        copies = list(zip(*([broadcast(each, lanes) for each in of_one] for of_one in found), strict=True))
        chains = min(len(copies), max(1, self.chains // prod(map(extent, self.copies[node]))))
        total = balanced([accumulate(node, copies[chain::chains], loops) for chain in range(chains)], join)
        total = combining.combine_lanes(total, join) if across else total
        return combining.result(node, total, in_loops=bool(loops))

    def _scan(self, node: UOp, copy: dict[CopyAxis, int], lane: int | None) -> Expanding:
        """The value carried from earlier iterations, combined with the copies and the lanes up to this one."""
        if lane is not None:
            return pick((yield self._request(node, copy)), (lane,))
        loops, unrolled, across = by_kind(node.src[1:])
        copies = yield from self._copies(node.src[0], copy, unrolled, across)
        number = row_major(tuple(map(extent, unrolled)), [copy[axis] for axis in unrolled])
        return scanned_copy(copies, number, node.arg, loops, bool(across))

    def _copies(
        self, value: UOp, copy: dict[CopyAxis, int], unrolled: Sequence[CopyAxis], across: Sequence[UOp]
    ) -> Generator[Request, UOp, list[UOp]]:
        """Every copy of a value along these axes, the last one varying fastest; a vector, if there are lanes."""
        copies: list[UOp] = []
        for values in product(*(range(extent(axis)) for axis in unrolled)):
            part = yield self._request(value, copy | dict(zip(unrolled, values, strict=True)))
            copies.append(broadcast(part, extent(across[0])) if across else part)
        return copies

    def _unroll(self, node: UOp, copy: dict[CopyAxis, int]) -> Expanding:
        """One iteration of UNROLL, which is a lane of its source; the last axis varies fastest."""
        source = yield self._request(node.src[0], copy)
        axes = list(unroll_axes(node))
        return pick(source, (row_major(tuple(map(extent, axes)), [copy[axis] for axis in axes]),))

    def _contract(self, node: UOp, copy: dict[CopyAxis, int]) -> Expanding:
        """A vector of all iterations of the axes."""
        return vector_of((yield from self._copies(node.src[0], copy, list(unroll_axes(node)), ())))
