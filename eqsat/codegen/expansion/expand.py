"""Expansion: UPCAST ranges become vector lanes, UNROLL ranges become copies.

Before: a SINK of the kernel stage. After: no UPCAST or UNROLL range, no UNROLL, CONTRACT or PTRCAT is left. A value that does
not vary along the lanes stays scalar and is broadcast where it meets a vector; an access whose address is contiguous along the
lanes is one vector access. A REDUCE over lanes accumulates a vector and combines its lanes after the loop; over copies, it keeps
as many accumulators as the kernel says and combines them after the loop. A REDUCE whose source has several
times its lanes (VECTORIZE or CAT of copies) adds them to one accumulator in turn.
"""

from __future__ import annotations

from collections.abc import Generator
from itertools import product
from math import prod

from eqsat.codegen.expansion.access import (
    accumulate,
    consecutive,
    store_whole_or_parts,
    stores_of,
    whole_or_parts,
)
from eqsat.codegen.expansion.dependence import CopyAxis, Dependence, Values, extent, nesting, unroll_axes
from eqsat.codegen.expansion.lanes import (
    broadcast,
    combine,
    combine_lanes,
    elementwise,
    fold,
    pick,
    vector_of,
)
from eqsat.dtype import DType, bool_, index
from eqsat.errors import CodegenError
from eqsat.integers.linear import Affine, affine_forms
from eqsat.ops import ALU, AxisType, Op
from eqsat.uop import UOp, toposort

Request = tuple[UOp, Values, int | None]  # a node, the values of its copy axes, and one lane or all of them
Expanding = Generator[Request, UOp, UOp]


def expand(sink: UOp) -> UOp:
    """The same kernel with lanes and copies explicit.

    Raises:
        CodegenError: a value varies along two UPCAST ranges, or an explicit vector along one.
    """
    return _Expansion(toposort([sink]), sink.arg.chains).sink(sink)


class _Expansion:
    """One run of `expand`; every form of every node is built once, on demand."""

    def __init__(self, order: list[UOp], chains: int) -> None:
        self.chains = chains
        dependence = Dependence.of(order)
        self.copies, self.lane, self.touched = dependence.copies, dependence.lane, dependence.touched
        self.forms = affine_forms(order[-1:])
        self.built: dict[Request, UOp] = {}

    def sink(self, sink: UOp) -> UOp:
        """Every store of the kernel, once per copy."""
        stores: dict[UOp, None] = {}
        for root in sink.src:
            for store in self._statements(root):
                stores[store] = None
        return sink.with_src(tuple(stores))

    def _statements(self, root: UOp) -> list[UOp]:
        """The copies of one store; a GROUP or END gives those of what it holds."""
        if root.op in (Op.GROUP, Op.END):
            held = root.src if root.op is Op.GROUP else root.src[:1]
            return [statement for source in held for statement in self._statements(source)]
        if root.op is not Op.STORE:
            return [self._value((root, (), None))]
        own = {bound: None for bound in root.src[2:] if bound.arg[1] is AxisType.UNROLL}
        axes = tuple(dict.fromkeys((*self.copies[root.src[0]], *self.copies[root.src[1]], *own)))
        statements: list[UOp] = []
        for values in product(*(range(extent(axis)) for axis in axes)):
            statements += self._store(root, dict(zip(axes, values, strict=True)))
        return statements

    def _store(self, store: UOp, copy: dict[CopyAxis, int]) -> list[UOp]:
        """One copy of a store: a scalar or vector store, or one per lane."""
        address, value = store.src[:2]
        kept = tuple(
            bound for bound in store.src[2:] if bound.arg[1] not in (AxisType.UPCAST, AxisType.UNROLL)
        )
        stored = self._value(self._request(value, copy))
        lane = self.lane.get(address, self.lane.get(value))
        targets = self._addresses(address, copy, lane)
        if lane is not None and len(targets) == 1:
            stored = broadcast(stored, extent(lane))
        if lane is not None and len(targets) > 1 and self._is_convex(address):
            return store_whole_or_parts(targets, stored, kept)
        parts = (
            [stored] if len(targets) == 1 else [pick(stored, (position,)) for position in range(len(targets))]
        )
        return [
            each
            for target, part in zip(targets, parts, strict=True)
            for each in stores_of(target, part, kept)
        ]

    def _addresses(self, address: UOp, copy: dict[CopyAxis, int], lane: UOp | None) -> list[UOp]:
        """Where a store goes: one address if scalar or contiguous, else one per lane."""
        if address.op is Op.PTRCAT:
            parts = [self._value(self._request(source, copy)) for source in address.src]
            return parts[:1] if consecutive(parts) else parts
        if lane is None or self._stride(address) == 1:
            return [self._value(self._request(address, copy, 0 if lane is not None else None))]
        return [self._value(self._request(address, copy, position)) for position in range(extent(lane))]

    # values, on demand

    def _request(self, node: UOp, copy: dict[CopyAxis, int], lane: int | None = None) -> Request:
        return node, tuple(copy[axis] for axis in self.copies[node]), lane if node in self.lane else None

    def _value(self, request: Request) -> UOp:
        """One form of a node, by a stack of half-built forms that wait for others."""
        stack: list[tuple[Request, Expanding]] = []
        wanted: Request | None = request
        answer: UOp | None = None
        while True:
            if wanted is not None:
                answer = self.built.get(wanted)
                if answer is None:
                    stack.append((wanted, self._expanding(wanted)))
                wanted = None
            if not stack:
                assert answer is not None
                return answer
            current, work = stack[-1]
            try:
                wanted = next(work) if answer is None else work.send(answer)
                answer = None
            except StopIteration as finished:
                answer = self.built[current] = finished.value
                stack.pop()

    def _expanding(self, request: Request) -> Expanding:
        node, values, lane = request
        copy = dict(zip(self.copies[node], values, strict=True))
        if node.dtype is index and node in self.forms and not _is_atom(self.forms[node], node):
            return self._affine(self.forms[node], copy, lane)
        if node not in self.touched and node.op not in (Op.LOAD, Op.INDEX, Op.PTRCAT):
            return self._rebuilt(node, copy, lane)
        match node.op:
            case Op.RANGE:
                return self._range(node, copy, lane)
            case Op.LOAD:
                return self._load(node, copy, lane)
            case Op.REDUCE:
                return self._reduce(node, copy, lane)
            case Op.UNROLL:
                return self._unroll(node, copy)
            case Op.CONTRACT:
                return self._contract(node, copy)
            case op if op in ALU:
                return self._alu(node, copy, lane)
            case _:
                return self._rebuilt(node, copy, lane)

    def _rebuilt(self, node: UOp, copy: dict[CopyAxis, int], lane: int | None) -> Expanding:
        """The node on expanded sources; ranges that it ends stay."""
        if node in self.lane and lane is None:
            number = self.lane[node].arg[0]
            raise CodegenError(
                f"{node!r} varies along UPCAST range {number} and cannot be a vector of it; use UNROLL"
            )
        sources: list[UOp] = []
        for source in node.src:
            if source.op is Op.RANGE and source not in self.touched:
                sources.append(source)
            else:
                sources.append((yield self._request(source, copy, lane)))
        return node.with_src(tuple(sources)) if node.op not in ALU else fold(node.with_src(tuple(sources)))

    def _range(self, node: UOp, copy: dict[CopyAxis, int], lane: int | None) -> Expanding:
        if node in copy:
            return UOp.const(index, copy[node])
        if lane is not None:
            return UOp.const(index, lane)
        return UOp(Op.VCONST, index.vec(extent(node)), (), tuple(range(extent(node))))
        yield  # this form needs no other

    def _alu(self, node: UOp, copy: dict[CopyAxis, int], lane: int | None) -> Expanding:
        """Elementwise. One lane of index arithmetic is computed by itself; of anything else, picked from the vector."""
        if lane is not None and node.dtype not in (index, bool_):
            return pick((yield self._request(node, copy)), (lane,))
        sources: list[UOp] = []
        for source in node.src:
            sources.append((yield self._request(source, copy, lane)))
        return elementwise(node, sources)

    def _affine(self, form: Affine, copy: dict[CopyAxis, int], lane: int | None) -> Expanding:
        """A sum of multiples: outer loops' terms first, so that partial sums leave inner loops; the lane's part is a constant."""
        total, steps = Affine(form.constant), 0
        vectors: list[UOp] = []
        for atom, coefficient in sorted(form.terms, key=_nesting):
            if atom.op is Op.RANGE and self.lane.get(atom) is atom and lane is None:
                steps, lanes = coefficient, extent(atom)
                vectors.append(
                    UOp(Op.VCONST, index.vec(lanes), (), tuple(steps * each for each in range(lanes)))
                )
                continue
            term = yield self._request(atom, copy, lane)
            if term.dtype.lanes > 1:
                scale = broadcast(UOp.const(index, coefficient), term.dtype.lanes)
                vectors.append(term if coefficient == 1 else term.alu(Op.MUL, scale))
            else:
                total = total.plus(Affine.of(term).times(coefficient))
        scalar = total.build()
        if not vectors:
            return scalar
        if scalar.op is not Op.CONST or scalar.arg:
            vectors.insert(0, broadcast(scalar, vectors[0].dtype.lanes))
        return combine(vectors, Op.ADD)

    # memory

    def _stride(self, address: UOp) -> int | None:
        """Elements from one lane to the next, if that and the gate are the same for all lanes; None otherwise."""
        if address.op is not Op.INDEX or len(address.src) < 2 or address.src[1] not in self.forms:
            return None
        if any(gate in self.lane for gate in address.src[2:]) or not self._is_linear(address.src[1]):
            return None
        return next((steps for atom, steps in self.forms[address.src[1]].terms if atom in self.lane), 0)

    def _is_convex(self, address: UOp) -> bool:
        """Whether the address is contiguous along the lanes, and its gate holds for all lanes if for the first and the last.

        So it is where the gate is a conjunction of inequalities of linear forms: lanes between two that satisfy one do, too.
        """
        if (
            address.op is not Op.INDEX
            or len(address.src) < 3
            or self._stride(address.with_src(address.src[:2])) != 1
        ):
            return False
        conditions = [address.src[2]]
        while conditions:
            condition = conditions.pop()
            if condition not in self.lane:
                continue
            if condition.op is Op.AND:
                conditions += condition.src
            elif (
                condition.op is Op.CMPNE and condition.src[1].op is Op.CONST and condition.src[1].arg is True
            ):
                if condition.src[0].op is not Op.CMPLT:
                    return False
                conditions.append(condition.src[0])
            elif condition.op is not Op.CMPLT or not all(self._is_linear(side) for side in condition.src):
                return False
        return True

    def _is_linear(self, position: UOp) -> bool:
        """Whether an index varies along the lanes only as a multiple of the lane's number."""
        form = self.forms.get(position)
        return form is not None and all(
            atom not in self.lane or atom is self.lane[atom] for atom, _ in form.terms
        )

    def _load(self, node: UOp, copy: dict[CopyAxis, int], lane: int | None) -> Expanding:
        """Scalar, contiguous vector (in either direction), or gathered lane by lane."""
        address, *alternative = node.src
        if address.op is Op.PTRCAT:
            return (yield from self._load_pointers(node, copy))
        if node not in self.lane:
            return (yield from self._access(node, copy, None, 1))
        stride, lanes = self._stride(address), extent(self.lane[node])
        if lane is not None and stride not in (1, -1):
            return (yield from self._access(node, copy, lane, 1))
        if lane is not None:
            return pick((yield self._request(node, copy)), (lane,))
        if stride == 1:
            return (yield from self._access(node, copy, 0, lanes))
        if stride == -1 and not any(value in self.lane for value in alternative):
            return pick((yield from self._access(node, copy, lanes - 1, lanes)), tuple(range(lanes))[::-1])
        gathered: list[UOp] = []
        for position in range(lanes):
            gathered.append((yield self._request(node, copy, position)))
        if not self._is_convex(address):
            return vector_of(gathered)
        first, last = (yield self._request(address, copy, 0)), (yield self._request(address, copy, lanes - 1))
        return whole_or_parts(first, last, gathered)

    def _access(self, node: UOp, copy: dict[CopyAxis, int], lane: int | None, lanes: int) -> Expanding:
        """One LOAD of `lanes` elements from the address that the given lane has; a gate known to be true or false is gone."""
        assert isinstance(node.dtype, DType)
        address = yield self._request(node.src[0], copy, lane)
        dtype = node.dtype.scalar.vec(lanes) if lanes > 1 else node.dtype
        alternative: list[UOp] = []
        for value in node.src[1:]:
            alternative.append(
                broadcast((yield self._request(value, copy, None if lanes > 1 else lane)), lanes)
            )
        if address.op is Op.INDEX and address.src[2:] and address.src[2].op is Op.CONST:
            if not address.src[2].arg:
                return alternative[0]
            return UOp(Op.LOAD, dtype, (address.with_src(address.src[:2]),))
        return UOp(Op.LOAD, dtype, (address, *alternative))

    def _load_pointers(self, node: UOp, copy: dict[CopyAxis, int]) -> Expanding:
        """A LOAD from several addresses: one access if they follow each other, else lane by lane."""
        assert isinstance(node.dtype, DType)
        rest: list[UOp] = []
        for value in node.src[1:]:
            rest.append((yield self._request(value, copy)))
        addresses: list[UOp] = []
        for source in node.src[0].src:
            addresses.append((yield self._request(source, copy)))
        if consecutive(addresses):
            return UOp(Op.LOAD, node.dtype, (addresses[0], *rest))
        parts = [
            UOp(Op.LOAD, node.dtype.scalar, (address, *(pick(value, (lane,)) for value in rest)))
            for lane, address in enumerate(addresses)
        ]
        return vector_of(parts)

    # reductions, and the seeds' forms of expansion

    def _reduce(self, node: UOp, copy: dict[CopyAxis, int], lane: int | None) -> Expanding:
        """Accumulators over the loops that stay; lanes and copies combined after them."""
        if lane is not None:
            return pick((yield self._request(node, copy)), (lane,))
        value, *bounds = node.src
        loops = tuple(bound for bound in bounds if bound.arg[1] not in (AxisType.UPCAST, AxisType.UNROLL))
        unrolled = [bound for bound in bounds if bound.arg[1] is AxisType.UNROLL]
        across = [bound for bound in bounds if bound.arg[1] is AxisType.UPCAST]
        copies: list[UOp] = []
        for values in product(*(range(extent(axis)) for axis in unrolled)):
            inner = copy | dict(zip(unrolled, values, strict=True))
            part = yield self._request(value, inner)
            copies.append(broadcast(part, extent(across[0])) if across else part)
        elsewhere = prod(extent(axis) for axis in self.copies[node])
        chains = min(len(copies), max(1, self.chains // elsewhere))
        accumulated = [accumulate(copies[chain::chains], node.arg, loops) for chain in range(chains)]
        total = combine(accumulated, node.arg)
        return combine_lanes(total, node.arg) if across else total

    def _unroll(self, node: UOp, copy: dict[CopyAxis, int]) -> Expanding:
        """An iteration of UNROLL is a lane of its source; the last axis varies fastest."""
        source = yield self._request(node.src[0], copy)
        position = 0
        for axis in unroll_axes(node):
            position = position * extent(axis) + copy[axis]
        return pick(source, (position,))

    def _contract(self, node: UOp, copy: dict[CopyAxis, int]) -> Expanding:
        """All iterations of the axes side by side."""
        axes = list(unroll_axes(node))
        parts: list[UOp] = []
        for values in product(*(range(extent(axis)) for axis in axes)):
            inner = copy | dict(zip(axes, values, strict=True))
            parts.append((yield self._request(node.src[0], inner)))
        return vector_of(parts)


def _is_atom(form: Affine, node: UOp) -> bool:
    return form.constant == 0 and form.terms == ((node, 1),)


def _nesting(term: tuple[UOp, int]) -> tuple[int, int]:
    """The innermost loop that an atom varies with; those of no loop come first."""
    return max((nesting(bound) for bound in term[0].ranges), default=(-1, 0))
