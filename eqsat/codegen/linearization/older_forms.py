"""Translates the older forms of instructions to the newer ones.

Before: a legal LINEAR. After: one that does the same without DEFINE_ACC, ASSIGN, ENDRANGE, PTRCAT, WMMA and RANGE(start, end), without LOADs
and STOREs that have a buffer, a gate or a BARRIER among their sources, and without CATs, except those whose only users are shuffles. An
accumulator becomes a register, which is loaded where it is read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import count

from eqsat.codegen.expansion.access import consecutive
from eqsat.codegen.expansion.lanes import pick, vector_of
from eqsat.codegen.linearization.matrices import Writer, instruction_for, multiplied, sums_of_products
from eqsat.dtype import AddrSpace, DType, PtrDType, index, void
from eqsat.ops import AxisType, Op
from eqsat.spec.order import closed_by
from eqsat.spec.rule import range_number
from eqsat.spec.sources import BUFFERS, shuffle_of
from eqsat.uop import UOp

_OLDER = frozenset({Op.DEFINE_ACC, Op.ENDRANGE, Op.PTRCAT, Op.CAT, Op.WMMA})  # ASSIGN implies DEFINE_ACC
# Boundaries of blocks, after which a register must be loaded again. The beginning of an IF is no boundary.
_BOUNDARIES = frozenset({Op.RANGE, Op.END, Op.ENDIF})
_VALUES = {
    Op.AFTER: 1,
    Op.RANGE: 1,
    Op.END: 0,
    Op.BARRIER: 0,
}  # how many of the first sources are values; the others are statements
_ZERO = UOp.const(index, 0)
Place = tuple[int, ...]  # a place in the program; places are ordered like tuples


def modernize(linear: UOp, matrices: Collection[str] = ()) -> UOp:
    """A linear program in the newer forms; itself if it has no older ones. A WMMA stays if one of these instructions computes it for less."""
    shuffled = _in_shuffles_alone(linear.src)
    if not any(_is_older(node) and node not in shuffled for node in linear.src):
        return linear
    return linear.with_src(tuple(_Modern(linear.src, shuffled, matrices).instructions()))


def _in_shuffles_alone(instructions: Sequence[UOp]) -> frozenset[UOp]:
    """The CATs whose only users are shuffles."""
    joined = frozenset(node for node in instructions if node.op is Op.CAT)
    if not joined:  # shortcut
        return joined
    others = (node for node in instructions if shuffle_of(node) is None)
    return joined.difference(*(node.src for node in others))


def _is_older(node: UOp) -> bool:
    match node.op:
        case Op.RANGE:
            return isinstance(node.arg, int)
        case Op.LOAD:
            return len(node.src) > 2 or any(each.op in (Op.INDEX, Op.BARRIER) for each in node.src[1:])
        case Op.STORE:
            return len(node.src) > 2
        case _:
            return node.op in _OLDER


class _Modern:
    """A program in translation.

    Instructions that have an effect, or read memory, keep their place. Helpers for others (an address, a conjunction of gates) come right after
    the last of their sources, so that they can be used wherever these can.
    """

    def __init__(self, given: Sequence[UOp], shuffled: Collection[UOp], matrices: Collection[str]) -> None:
        """`shuffled` are the CATs that stay."""
        self._given = given
        self._shuffled = shuffled
        self._originals = frozenset(given)
        self._place: dict[UOp, Place] = {}
        self._repeated: list[tuple[Place, UOp]] = []  # further places of BARRIERs, which may stand twice
        self._helpers: set[UOp] = set()
        self._numbers = count()
        self._last = _ZERO  # the instruction that stands last
        self._values: dict[UOp, UOp] = {}  # the new value of each instruction that has changed
        # The STORE for an ASSIGN, the register for a DEFINE_ACC, and so on
        self._effects: dict[UOp, UOp] = {}
        self._joined: dict[UOp, list[UOp]] = {}  # the addresses of a PTRCAT
        self._items = sorted((each for each in given if _is_item(each)), key=lambda each: each.arg)
        self._products = count()  # numbers of WMMAs
        self._matrices = matrices
        self._sums = sums_of_products(given)
        self._depth = 0  # number of loops around the current instruction
        self._latest: dict[UOp, UOp] = {}  # for each register, the last instruction that may have changed it
        self._registers = _free({each.arg[1] for each in given if each.op is Op.DEFINE_REG})
        self._ranges = _free({range_number(each) for each in given if each.op is Op.RANGE})

    def instructions(self) -> list[UOp]:
        """The translated program."""
        for node in self._given:
            self._translate(node)
        placed = [*((place, node) for node, place in self._place.items()), *self._repeated]
        return [node for _, node in sorted(placed, key=lambda pair: pair[0])]

    def _translate(self, node: UOp) -> None:
        self._depth += (node.op is Op.RANGE) - sum(each.op is Op.RANGE for each in closed_by(node))
        match node.op:
            case Op.DEFINE_ACC:
                self._accumulator(node)
            case Op.ASSIGN:
                register = self._effects[_accumulator_of(node)]
                stored = UOp(Op.STORE, void, (self._cell(register), self._value(node.src[1])))
                self._effects[node] = self._latest[register] = self._put(stored)
            case Op.ENDRANGE:
                ended = UOp(Op.END, void, (self._last, self._effect(node.src[0])))
                self._effects[node] = self._boundary(ended)
            case Op.RANGE if isinstance(node.arg, int):
                self._counted_from(node)
            case Op.PTRCAT:
                self._joined[node] = [self._value(each) for each in node.src]
            case Op.WMMA | Op.ADD if node.op is Op.WMMA or node in self._sums:
                self._product(node)
            case Op.CAT if node not in self._shuffled:
                self._values[node] = self._vectorized(node)
            case Op.AFTER if node.src[0] in self._joined:
                waited = tuple(map(self._effect, node.src[1:]))
                self._joined[node] = [self._after(each, *waited) for each in self._joined[node.src[0]]]
            case Op.LOAD:
                self._values[node] = self._load(node)
            case Op.STORE:
                self._effects[node] = self._store(node)
            case Op.BARRIER if (barrier := self._effect(node)) in self._place:
                self._repeated.append(((next(self._numbers),), barrier))
            case op if op in _BOUNDARIES:
                self._effects[node] = self._values[node] = self._boundary(node.with_src(self._sources(node)))
            case _:
                renewed = node.with_src(self._sources(node))
                if renewed is not node:
                    self._values[node] = renewed
                self._put(renewed)

    # sources

    def _sources(self, node: UOp) -> tuple[UOp, ...]:
        """The translated sources of an instruction: first values, then the loops that it closes and the statements that it waits for."""
        values = _VALUES.get(node.op, len(node.src))
        return (*map(self._value, node.src[:values]), *map(self._effect, node.src[values:]))

    def _value(self, node: UOp) -> UOp:
        if node.op in (Op.ASSIGN, Op.DEFINE_ACC):
            return self._held(self._effects[_accumulator_of(node)])
        return self._values.get(node, node)

    def _effect(self, node: UOp) -> UOp:
        return self._effects[node] if node in self._effects else self._values.get(node, node)

    # places

    def _put(self, node: UOp) -> UOp:
        """Puts an instruction at the end of the program so far."""
        self._last = node
        # Two instructions have become the same one: it moves to the first place where it can stand
        if node in self._place:
            return self._helper(node)
        self._place[node] = (next(self._numbers),)
        return node

    def _helper(self, node: UOp) -> UOp:
        """Puts an instruction without effect right after the last of its sources."""
        if node not in self._helpers:
            after = max((self._place[source] for source in node.src), default=(-1,))
            self._helpers.add(node)
            self._place[node] = (*after, next(self._numbers))
        return node

    def _boundary(self, node: UOp) -> UOp:
        """Puts the beginning of a loop or the end of a block, after which registers are loaded again."""
        self._latest = dict.fromkeys(self._latest, node)
        return self._put(node)

    def _access(self, op: Op, dtype: DType, address: UOp, rest: tuple[UOp, ...]) -> UOp:
        """Puts a LOAD or STORE. An AFTER makes it differ from all other instructions of the program, old and new."""
        node = UOp(op, dtype, (address, *rest))
        if node in self._place or node in self._originals:
            address = self._after(address, self._last)
            node = UOp(op, dtype, (address, *rest))
        return self._put(node)

    # accumulators and loops

    def _accumulator(self, node: UOp) -> None:
        dtype = node.dtype
        assert isinstance(dtype, DType)
        start = self._value(node.src[0])
        register = self._put(
            UOp(Op.DEFINE_REG, PtrDType(dtype, AddrSpace.REG, 1), (), (1, next(self._registers)))
        )
        self._effects[node] = register
        self._latest[register] = self._put(UOp(Op.STORE, void, (self._cell(register), start)))

    def _cell(self, pointer: UOp) -> UOp:
        """The address of the only element of a register."""
        assert isinstance(pointer.dtype, PtrDType)
        return self._helper(UOp(Op.INDEX, pointer.dtype.base, (pointer, self._helper(_ZERO))))

    def _held(self, register: UOp) -> UOp:
        """The value of a register at this place in the program."""
        cell = self._cell(self._helper(UOp(Op.AFTER, register.dtype, (register, self._latest[register]))))
        load = UOp(Op.LOAD, cell.dtype, (cell,))
        return load if load in self._place else self._put(load)

    def _counted_from(self, node: UOp) -> None:
        """RANGE(start, end) as a loop from 0, whose variable plus `start` is the value."""
        start, end = (self._value(source) for source in node.src[:2])
        if start.op is Op.CONST and end.op is Op.CONST:
            extent = UOp.const(index, max(0, end.arg - start.arg))
        else:
            extent = end.alu(Op.SUB, start)
        outer = tuple(map(self._effect, node.src[2:]))
        loop = UOp(Op.RANGE, index, (self._helper(extent), *outer), (next(self._ranges), AxisType.LOOP))
        self._effects[node] = self._boundary(loop)
        self._values[node] = self._helper(loop.alu(Op.ADD, start))

    # memory

    def _load(self, node: UOp) -> UOp:
        address, *rest = node.src[1:] if node.src[0].op in BUFFERS else node.src
        barriers = [each for each in rest if each.op is Op.BARRIER]
        # The alternative, and a gate
        values = [self._value(each) for each in rest if each.op is not Op.BARRIER]
        places = self._places(address, values[1:], barriers)
        assert isinstance(node.dtype, DType)
        dtype = node.dtype if len(places) == 1 else node.dtype.scalar
        loaded: list[UOp] = []
        for lane, place in enumerate(places):
            others = tuple(self._lane(each, lane, len(places)) for each in values[:1])
            loaded.append(self._access(Op.LOAD, dtype, place, others))
        return loaded[0] if len(loaded) == 1 else self._put(vector_of(loaded))

    def _store(self, node: UOp) -> UOp:
        address, value, *gates = node.src
        places = self._places(address, [self._value(each) for each in gates], ())
        for lane, place in enumerate(places):
            self._access(Op.STORE, void, place, (self._lane(self._value(value), lane, len(places)),))
        return self._last

    def _places(self, address: UOp, gates: Sequence[UOp], barriers: Sequence[UOp]) -> list[UOp]:
        """The address of an access, or the addresses of a PTRCAT unless they are consecutive; with further gates, after BARRIERs."""
        places = self._joined.get(address) or [self._value(address)]
        if all(each.op is Op.INDEX for each in places) and consecutive(places):
            places = places[:1]
        for gate in gates:
            places = [self._gated(each, gate) for each in places]
        return [self._after(each, *barriers) for each in places]

    def _after(self, address: UOp, *waited: UOp) -> UOp:
        return self._helper(UOp(Op.AFTER, address.dtype, (address, *waited))) if waited else address

    def _lane(self, value: UOp, lane: int, count: int) -> UOp:
        """One of `count` lanes of a value; the whole value if `count` is 1."""
        if count == 1:
            return value
        picked = pick(value, (lane,))
        return picked if picked in self._place else self._helper(picked)

    def _vectorized(self, node: UOp) -> UOp:
        """A CAT as a VECTORIZE of the lanes of its sources."""
        vectors = [self._value(each) for each in node.src]
        lanes = [(each, lane) for each in vectors for lane in range(each.dtype.lanes)]
        return self._put(vector_of([self._lane(each, lane, each.dtype.lanes) for each, lane in lanes]))

    def _product(self, node: UOp) -> None:
        """Translates a WMMA, or the sum of a WMMA and an addend, which the WMMA adds to then."""
        product = self._sums.get(node)
        if product is not None:
            other = next(each for each in node.src if each is not product)
            self._values[node] = self._multiplied(product.with_src((*product.src[:2], other)))
        elif node not in self._sums.values():
            self._values[node] = self._multiplied(node)

    def _multiplied(self, node: UOp) -> UOp:
        """A WMMA as an instruction of the device, or as multiply-adds."""
        sources = tuple(map(self._value, node.src))
        if instruction_for(node, self._matrices):
            return self._put(node.with_src(sources))
        number = next(self._products)
        writer = Writer(self._put, self._helper, self._own_lane, self._items, number, self._depth > 0)
        return multiplied(node, sources, writer)

    def _own_lane(self, value: UOp, lane: int) -> UOp:
        """A lane of a vector, or a scalar."""
        return self._lane(value, lane, value.dtype.lanes)

    def _gated(self, address: UOp, gate: UOp) -> UOp:
        """An address with one more gate."""
        if address.op in BUFFERS:
            assert isinstance(address.dtype, PtrDType)
            return self._helper(UOp(Op.INDEX, address.dtype.base, (address, self._helper(_ZERO), gate)))
        if address.op is not Op.INDEX:
            return self._helper(address.with_src((self._gated(address.src[0], gate), *address.src[1:])))
        base, place, *before = address.src
        both = self._helper(before[0].alu(Op.AND, gate)) if before else gate
        return self._helper(address.with_src((base, place, both)))


def _free(taken: Collection[int]) -> Iterator[int]:
    """The numbers that are not taken, from 0 up."""
    return (number for number in count() if number not in taken)


def _is_item(node: UOp) -> bool:
    return node.op is Op.SPECIAL and node.arg.startswith("lid")


def _accumulator_of(node: UOp) -> UOp:
    while node.op is Op.ASSIGN:
        node = node.src[0]
    return node
