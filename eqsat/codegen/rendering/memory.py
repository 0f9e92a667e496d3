"""Writes loads, stores and vectors."""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.codegen.dialects.dialect import is_rounded
from eqsat.codegen.expansion.lanes import repeated
from eqsat.codegen.rendering.arithmetic import Arithmetic, Scope
from eqsat.codegen.rendering.code import Code, Level, choice, literal, short_index
from eqsat.codegen.rendering.conversion import from_half_bits, narrowed, to_half_bits
from eqsat.codegen.rendering.gathers import BITS_OF_GATES, Gathered, gathering, gathering_without_branches
from eqsat.dtype import LANES, AddrSpace, DType, PtrDType
from eqsat.errors import CodegenError
from eqsat.integers.bounds import facts_of
from eqsat.integers.facts import Facts
from eqsat.ops import Op
from eqsat.spec.sources import behind, shuffle_of
from eqsat.uop import UOp

LEAST_STREAMED = 16  # bytes: the smallest vector that processors store past the caches with one instruction
DEFINITIONS = frozenset({Op.DEFINE_GLOBAL, Op.DEFINE_LOCAL, Op.DEFINE_REG})


def definition(pointer: UOp) -> UOp:
    """The DEFINE_… that an address points into."""
    while pointer.src:
        pointer = pointer.src[0]
    if pointer.op not in DEFINITIONS:
        raise CodegenError(
            f"{pointer!r} is not the address of a buffer; INDEX a DEFINE_GLOBAL, DEFINE_LOCAL or DEFINE_REG"
        )
    return pointer


class Memory:
    """Writes accesses and vectors; the scope provides operands and names."""

    def __init__(self, scope: Scope, arithmetic: Arithmetic, *, streams: bool, are_sized: bool) -> None:
        """`streams`: store vectors past the caches if the dialect can. `are_sized`: no buffer has a size that depends on variables."""
        self._scope = scope
        self._arithmetic = arithmetic
        self._dialect = scope.helpers.dialect
        self._streams = streams and bool(self._dialect.stream)
        self._are_sized = are_sized
        self._facts: dict[UOp, Facts] = {}  # facts about positions
        # Under-aligned vector types, stores past the caches and gathers, by name
        self.declarations: dict[str, str] = {}

    def load(self, node: UOp) -> Code:
        """The value at an address, or the alternative value if the gate is false."""
        address = behind(node.src[0])
        assert isinstance(node.dtype, DType)
        code = self._element(node, address)
        gate = self._gate(node)
        if gate is None:
            return code
        return narrowed(self._dialect, choice(gate, code, self._as_loaded(node.src[1], node)), node.dtype)

    def store(self, node: UOp) -> list[str]:
        """The statements that write a value, inside an `if` if the store is gated."""
        address, value = behind(node.src[0]), node.src[1]
        gate = self._gate(node)
        statement = self._assignment(address, value)
        return [statement] if gate is None else [f"if ({gate.text}) {statement}"]

    def _as_loaded(self, node: UOp, like: UOp) -> Code:
        """The alternative value of a load, in the type of the loaded value."""
        if node.dtype.scalar.is_bool:
            return self._arithmetic.mask(node, self._scope.mask_bits(like))
        return self._arithmetic.signed(node)

    def _gate(self, access: UOp) -> Code | None:
        """The condition under which an access happens: the gate of its INDEX; None if it has no gate."""
        address = behind(access.src[0], (Op.AFTER, Op.CAST, Op.POINTER_INDEX))
        gates = address.src[2:] if address.op is Op.INDEX else ()
        return self._scope.code(gates[0]) if gates else None

    def _element(self, node: UOp, address: UOp) -> Code:
        """The value at an address, in the type that it has in a register."""
        dtype = node.dtype
        assert isinstance(dtype, DType)
        if _is_register(address):
            return Code(self._register(address))
        lanes, buffer, offset = dtype.lanes, self._base(address, dtype), self._offset(address)
        raw = (
            self._scalar_read(address, buffer, offset)
            if lanes == 1
            else self._vector_read(dtype, address, buffer, offset)
        )
        if is_rounded(dtype):
            return Code(from_half_bits(self._scope.helpers, raw, dtype))
        if dtype.is_bool and lanes > 1:
            return Code(f"{raw} != (uchar{lanes})(0)", Level.EQUAL)
        return Code(raw, Level.UNARY if raw.startswith("*") else Level.ATOM)

    def _assignment(self, address: UOp, value: UOp) -> str:
        dtype = value.dtype
        assert isinstance(dtype, DType)
        if _is_register(address):
            return f"{self._register(address)} = {self._as_stored_register(value, address)};"
        lanes, buffer, offset = dtype.lanes, self._base(address, dtype), self._offset(address)
        code = self._arithmetic.signed(value)
        text = to_half_bits(self._scope.helpers, code, dtype) if is_rounded(dtype) else code.text
        if dtype.is_bool and lanes > 1:
            text = f"convert_uchar{lanes}(-{self._scope.code(value).at(Level.UNARY)})"
        if lanes == 1:
            return f"{buffer}[{offset.text}] = {text};"
        is_whole = lanes * dtype.scalar.itemsize <= self._dialect.aligned_bytes
        if self._by_function(lanes) and not (is_whole and self._is_aligned(address, lanes)):
            return f"vstore{lanes}({text}, 0, {_plus(buffer, offset)});"
        if (
            self._streams
            and pointer_type(address).space is AddrSpace.GLOBAL
            and lanes * dtype.scalar.itemsize >= LEAST_STREAMED
        ):
            return f"{self._stream(dtype)}({_plus(buffer, offset)}, {text});"
        return f"{self._vector_place(dtype, address, buffer, offset)} = {text};"

    def _as_stored_register(self, value: UOp, address: UOp) -> str:
        if value.dtype.scalar.is_bool:
            return self._arithmetic.mask(value, self._scope.mask_bits(definition(address))).text
        return self._arithmetic.signed(value).text

    def _register(self, address: UOp) -> str:
        name = self._scope.code(definition(address)).text
        return name if pointer_type(address).size == 1 else f"{name}[{self._offset(address).text}]"

    def _base(self, address: UOp, dtype: DType) -> str:
        """The pointer from which an address counts elements; a POINTER_INDEX moves it by bytes."""
        if address.op is not Op.POINTER_INDEX:
            return self._scope.code(definition(address)).text
        space = self._dialect.spaces[pointer_type(address).space]
        inner = behind(address.src[0])
        pointer = f"({_plus(self._base(inner, dtype), self._offset(inner))})"
        moved = self._scope.code(address.src[1]).at(Level.MULTIPLY)
        return f"(({space}{self._dialect.storage_type(dtype)} *)(({space}char *){pointer} + {moved}))"

    def _offset(self, address: UOp) -> Code:
        return self._position(address.src[1]) if address.op is Op.INDEX else Code("0")

    def _position(self, node: UOp) -> Code:
        """A position, or an addend of one."""
        return short_index(node.arg, self._dialect) if node.op is Op.CONST else self._scope.code(node)

    def _scalar_read(self, address: UOp, buffer: str, offset: Code) -> str:
        """A scalar in memory. If its row is clamped, it is read at an offset from a pointer to the row.

        Otherwise LLVM would add the variable of a loop to several rows in one vector, and extract the lanes in each iteration.
        """
        addends = self._addends(address.src[1]) if address.op is Op.INDEX else []
        rows = [each for each in addends if _is_clamped(each)]
        others = [each for each in addends if each not in rows]
        if not rows or not others:
            return f"{buffer}[{offset.text}]"
        return f"({buffer} + {self._sum(rows)})[{self._sum(others)}]"

    def _addends(self, position: UOp) -> list[UOp]:
        """The addends of a sum, where no variable holds the sum."""
        if position.op is not Op.ADD or self._scope.is_variable(position):
            return [position]
        return [addend for source in position.src for addend in self._addends(source)]

    def _sum(self, addends: Sequence[UOp]) -> str:
        return " + ".join(self._position(each).at(Level.ADD) for each in addends)

    def _by_function(self, lanes: int) -> bool:
        """Whether vectors are read and written by functions. Vectors of three lanes always are: their type is as large as that of four."""
        return lanes == 3 or not self._dialect.vector_pointers

    def _vector_read(self, dtype: DType, address: UOp, buffer: str, offset: Code) -> str:
        if self._by_function(dtype.lanes):
            pieces = self._whole_pieces(dtype, address, buffer, offset)
            return pieces or f"vload{dtype.lanes}(0, {_plus(buffer, offset)})"
        return self._vector_place(dtype, address, buffer, offset)

    def _whole_pieces(self, dtype: DType, address: UOp, buffer: str, offset: Code) -> str:
        """A vector read as one or more aligned vectors; empty if the access may be unaligned, or if such vectors do not fill it."""
        lanes = min(dtype.lanes, self._dialect.aligned_bytes // dtype.scalar.itemsize)
        if lanes < 2 or dtype.lanes % lanes or not self._is_aligned(address, lanes):
            return ""
        pieces = dtype.lanes // lanes
        places = [
            Code(f"{offset.at(Level.ADD)} + {start * lanes}", Level.ADD) if start else offset
            for start in range(pieces)
        ]
        space, element = self._dialect.spaces[pointer_type(address).space], self._dialect.storage_type(dtype)
        read = [f"*({space}const {element}{lanes} *)({_plus(buffer, place)})" for place in places]
        return read[0] if pieces == 1 else f"({element}{dtype.lanes})({', '.join(read)})"

    def _is_aligned(self, address: UOp, lanes: int) -> bool:
        """Whether the position of an address, counted from the beginning of its array, is a multiple of `lanes`."""
        if not self._dialect.aligned_bytes or address.op is not Op.INDEX or lanes == 3:
            return False
        known = facts_of(address.src[1], self._facts)
        return known.divisor % lanes == known.remainder % lanes == 0

    def _vector_place(self, dtype: DType, address: UOp, buffer: str, offset: Code) -> str:
        """A vector in memory, through a pointer to its type, or to a type that only needs the alignment of one lane."""
        whole = f"{self._dialect.storage_type(dtype)}{dtype.lanes}"
        name = whole if self._by_function(dtype.lanes) else self._unaligned(dtype)
        return f"*({self._dialect.spaces[pointer_type(address).space]}{name} *)({_plus(buffer, offset)})"

    def _unaligned(self, dtype: DType) -> str:
        """The type of a vector that only needs the alignment of one lane."""
        element = self._dialect.storage_type(dtype)
        name = f"{element}{dtype.lanes}_unaligned"
        if name not in self.declarations:
            alignment = f"aligned({dtype.scalar.itemsize})"
            attributes = f"__attribute__((ext_vector_type({dtype.lanes}), {alignment}))"
            self.declarations[name] = f"typedef {element} {name} {attributes};"
        return name

    def _stream(self, dtype: DType) -> str:
        """The function that stores a vector past the caches. Such stores must be aligned, so it stores unaligned vectors as usual."""
        element, unaligned = self._dialect.storage_type(dtype), self._unaligned(dtype)
        whole, space = f"{element}{dtype.lanes}", self._dialect.spaces[AddrSpace.GLOBAL]
        name = f"stream_{whole}"
        self.declarations[name] = (
            f"{self._dialect.inline} void {name}({space}{element} *to, const {whole} value) {{\n"
            f"    if ((ulong)to % sizeof({whole}) == 0) {self._dialect.stream}(value, ({space}{whole} *)to);\n"
            f"    else *({space}{unaligned} *)to = value;\n"
            f"}}"
        )
        return name

    # vectors

    def vectorize(self, node: UOp) -> Code:
        """A vector of scalars. One scalar in all lanes is written once; lanes of one or two vectors are written as a shuffle."""
        dtype = node.dtype
        assert isinstance(dtype, DType)
        single = repeated(node)
        if single is None and self._dialect.shuffle and _is_shuffle(node):
            first = node.src[0].src[0]
            if is_reversal(node) and len(first.src) > 1 and not self._scope.is_variable(first):
                return self._reversed(dtype, first)
            vectors = list(dict.fromkeys(lane.src[0] for lane in node.src))
            places = [vectors.index(lane.src[0]) * dtype.lanes + lane.arg[0] for lane in node.src]
            return self._shuffled(dtype, (vectors[0], vectors[-1]), places)
        gathered = None if any(map(self._scope.is_variable, node.src)) else Gathered.of(node)
        if gathered is not None and (self._dialect.gathers or self._may_load_first(gathered.base)):
            return self._gather(dtype, gathered)
        sources = node.src if single is None else (single,)
        if is_rounded(dtype) and single is None and all(map(self._is_plain_load, sources)):
            return Code(from_half_bits(self._scope.helpers, self._stored_lanes(dtype, sources), dtype))
        if dtype.is_bool:
            lanes = [self._lane_of_mask(source) for source in sources]
        else:
            lanes = [self._arithmetic.signed(source).text for source in sources]
        return Code(f"({self._dialect.value_type(dtype, self._scope.mask_bits(node))})({', '.join(lanes)})")

    def _is_plain_load(self, node: UOp) -> bool:
        """Whether a scalar is loaded from memory, without a gate, at the place where it is used."""
        if node.op is not Op.LOAD or self._scope.is_variable(node) or self._gate(node) is not None:
            return False
        return not _is_register(behind(node.src[0]))

    def _stored_lanes(self, dtype: DType, loads: Sequence[UOp]) -> str:
        """A vector of the elements as memory stores them; the whole vector is converted afterwards."""
        addresses = [behind(load.src[0]) for load in loads]
        lanes = [self._scalar_read(each, self._base(each, dtype), self._offset(each)) for each in addresses]
        return f"({self._dialect.storage_type(dtype.scalar)}{len(lanes)})({', '.join(lanes)})"

    def _may_load_first(self, base: UOp) -> bool:
        """Whether lanes whose gate fails may load element 0 instead: the buffer is an argument that cannot be empty."""
        if self._dialect.items_are_lanes or self._dialect.sequential or not self._are_sized:
            return False
        return behind(base).op is Op.DEFINE_GLOBAL and pointer_type(base).size > 0

    def _gather(self, dtype: DType, gathered: Gathered) -> Code:
        """A gather: by the instruction of AVX-512, or by loads of all lanes and a selection of those whose gate holds."""
        element, whole = self._dialect.storage_type(dtype), self._dialect.value_type(dtype)
        space = pointer_type(gathered.base).space
        pointer = f"{self._dialect.spaces[space]}const {element} *"
        name = f"gather_{space.value}_{whole}"
        write = gathering if self._dialect.gathers else gathering_without_branches
        self.declarations[name] = write(self._dialect.inline, name, element, dtype, pointer)
        inside = self._arithmetic.mask(gathered.gate, BITS_OF_GATES).text
        operands = (
            self._scope.code(gathered.base),
            self._scope.code(gathered.places),
            self._arithmetic.signed(gathered.otherwise),
        )
        base, places, otherwise = (operand.text for operand in operands)
        return Code(f"{name}({base}, {places}, {inside}, {otherwise})")

    def _shuffled(self, dtype: DType, vectors: tuple[UOp, UOp], places: Sequence[int]) -> Code:
        """A shuffle of the lanes of one or two vectors. Picked one by one, compilers would trace the lanes back to the origin of the vectors."""
        both = [self._arithmetic.signed(vector) for vector in vectors]
        if self._dialect.shuffle:
            lanes = [each.text for each in both] + [str(place) for place in places]
            return Code(f"({self._dialect.value_type(dtype)})({self._dialect.shuffle}({', '.join(lanes)}))")
        picked = (divmod(place, dtype.lanes) for place in places)
        lanes = [f"{both[number].at(Level.ATOM)}.s{lane:x}" for number, lane in picked]
        return Code(f"({self._dialect.value_type(dtype)})({', '.join(lanes)})")

    def _reversed(self, dtype: DType, vector: UOp) -> Code:
        """The lanes of a vector whose text is written here, backwards: a function names the vector twice."""
        whole = self._dialect.value_type(dtype)
        name, places = f"reversed_{whole}", ", ".join(map(str, reversed(range(dtype.lanes))))
        text = f"return {self._dialect.shuffle}(x, x, {places});"
        self.declarations[name] = f"{self._dialect.inline} {whole} {name}(const {whole} x) {{ {text} }}"
        return Code(f"{name}({self._arithmetic.signed(vector).text})")

    def _lane_of_mask(self, node: UOp) -> str:
        """A bool as a lane of a mask, which is -1 or 0. A lane of another mask has this form already."""
        if node.op is Op.GEP:
            return f"{self._scope.code(node.src[0]).at(Level.ATOM)}.s{node.arg[0]:x}"
        return f"-{self._scope.code(node).at(Level.UNARY)}"

    def constant(self, node: UOp) -> Code:
        """A vector constant."""
        dtype = node.dtype
        assert isinstance(dtype, DType)
        values = node.arg[:1] if repeated(node) is not None else node.arg
        if dtype.is_bool:
            lanes = ["-1" if value else "0" for value in values]
        else:
            lanes = [literal(value, dtype.scalar, self._dialect).text for value in values]
        return Code(f"({self._dialect.value_type(dtype, self._scope.mask_bits(node))})({', '.join(lanes)})")

    def part(self, node: UOp) -> Code:
        """GEP: one lane, a smaller vector, or a shuffle of two."""
        if vectors := shuffle_of(node):
            assert isinstance(node.dtype, DType)
            return self._shuffled(node.dtype, vectors, node.arg)
        source, lanes = node.src[0], node.arg
        count = source.dtype.lanes
        whole = self._arithmetic.signed(source).at(Level.ATOM)
        half = count // 2
        if lanes == tuple(range(half)) and half > 1:
            text = f"{whole}.lo"
        elif lanes == tuple(range(half, count)) and half > 1:
            text = f"{whole}.hi"
        elif len(lanes) in (1, *LANES):
            text = f"{whole}.s{''.join(f'{lane:x}' for lane in lanes)}"
        else:
            raise CodegenError(
                f"a vector of {len(lanes)} lanes does not exist in OpenCL C; use {', '.join(map(str, LANES))}"
            )
        if node.dtype.scalar.is_bool and len(lanes) == 1:
            return Code(f"{text} != 0", Level.EQUAL)
        return Code(text)


def _is_clamped(position: UOp) -> bool:
    """Whether a position is clamped to the last one by MIN, or is a multiple of a clamped position."""
    return position.op is Op.MIN or (position.op is Op.MUL and any(map(_is_clamped, position.src)))


def _is_shuffle(node: UOp) -> bool:
    """Whether the scalars of a VECTORIZE are lanes of one or two vectors of its own type."""
    if node.dtype.scalar.is_bool or any(lane.op is not Op.GEP for lane in node.src):
        return False
    vectors = {lane.src[0] for lane in node.src}
    return len(vectors) <= 2 and all(vector.dtype == node.dtype for vector in vectors)


def is_reversal(node: UOp) -> bool:
    """Whether a node is a VECTORIZE of all lanes of one vector, the last first."""
    if node.op is not Op.VECTORIZE or not _is_shuffle(node):
        return False
    count = len(node.src)
    return all(
        lane.src[0] is node.src[0].src[0] and lane.arg == (count - 1 - place,)
        for place, lane in enumerate(node.src)
    )


def _is_register(address: UOp) -> bool:
    return definition(address).op is Op.DEFINE_REG


def pointer_type(address: UOp) -> PtrDType:
    """The dtype of the DEFINE_… that an address points into."""
    pointer = definition(address).dtype
    assert isinstance(pointer, PtrDType)
    return pointer


def _plus(buffer: str, offset: Code) -> str:
    return buffer if offset.text == "0" else f"{buffer} + {offset.at(Level.ADD)}"
