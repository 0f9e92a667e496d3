"""Rendering: writes the instructions of a kernel as readable source in a C-like language."""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.codegen.dialects import OPENCL_CPU, Dialect
from eqsat.codegen.dialects.dialect import DIMENSIONS
from eqsat.codegen.linearization.launch import coordinate, launch_sizes
from eqsat.codegen.rendering.arithmetic import Arithmetic
from eqsat.codegen.rendering.code import Code, Level, is_deeper, literal, short_index
from eqsat.codegen.rendering.custom import fill
from eqsat.codegen.rendering.helpers import Helpers
from eqsat.codegen.rendering.memory import Memory, definition, is_reversal, pointer_type
from eqsat.codegen.rendering.names import Names, kernel_name
from eqsat.codegen.rendering.placement import CLOSES, Placement, alternatives
from eqsat.codegen.rendering.short_loops import short_loops
from eqsat.codegen.rendering.tile_functions import shapes_of
from eqsat.codegen.rendering.tiles import Address, TileLoop, tile_loops
from eqsat.dtype import AddrSpace, DType, PtrDType, float64, index, int32, void
from eqsat.errors import CodegenError
from eqsat.fragments import Product
from eqsat.integers.bounds import intervals_of, known_ends
from eqsat.ops import ALU, Op
from eqsat.spec.order import closed_by
from eqsat.spec.sources import shuffle_of
from eqsat.uop import UOp

LONGEST = 90  # most characters of an expression that is written in place
DEEPEST = 64  # deepest nesting of brackets in an expression that is written in place; Clang takes 256
MASK_BITS = 32  # bits of a lane of a mask whose width nothing else decides


def render_source(linear: UOp, name: str, dialect: Dialect = OPENCL_CPU) -> str:
    """The source of one kernel called `kernel_name(name)`, from a LINEAR in the newer forms (`linearization.older_forms`).

    Raises:
        CodegenError: an instruction has no form in the dialect, or the dialect lacks its dtype.
    """
    kernel = _Kernel(linear, name, dialect)
    source = kernel.render()
    # The kernel and the writers of its parts refer to each other: without this, they would exist until Python collects cycles.
    vars(kernel).clear()
    return source


def _are_short(instructions: Sequence[UOp]) -> bool:
    """Whether all positions, and all indices that they are computed from, fit in 32 bits. Variables have 64 bits."""
    for node, ends in intervals_of(instructions).items():
        if isinstance(node.dtype, DType) and node.dtype.scalar.is_index:
            low, high = known_ends(ends)
            if node.op is Op.DEFINE_VAR or low < int32.min or high > int32.max:
                return False
    return True


class _Kernel:
    """Writes one kernel, statement by statement. It is the scope that `Arithmetic` and `Memory` ask for operands."""

    def __init__(self, linear: UOp, name: str, dialect: Dialect) -> None:
        instructions = linear.src
        self._linear = linear
        if dialect.short_indices and _are_short(instructions):
            dialect = dialect.with_short_indices()
        self.helpers = Helpers(dialect)
        self._dialect = dialect
        self._index = dialect.scalars[index.name]
        self._instructions = instructions
        self._name = kernel_name(name)
        self._names = Names(instructions)
        self._alternatives = alternatives(instructions)
        turned = {node for node in self._alternatives if dialect.shuffle and is_reversal(node)}
        self._placement = Placement(instructions, turned)
        self._arithmetic = Arithmetic(self)
        are_sized = all(node.op is not Op.DEFINE_VAR for node in instructions)
        streams = getattr(linear.arg, "streams", False)
        self._memory = Memory(self, self._arithmetic, streams=streams, are_sized=are_sized)
        self._codes: dict[UOp, Code] = {}
        self._mask_bits: dict[UOp, int] = {}
        self._variables: dict[UOp, str] = {}
        self._tile_loops = tile_loops(instructions) if dialect.tiles else {}
        unrolls = dialect.unrolled and not dialect.items_are_lanes
        self._unrolled = short_loops(instructions) if unrolls else frozenset[UOp]()
        self._lines: list[str] = []
        self._depth = 1
        self._started: set[UOp] = set()
        # The text of these ends a line anyway
        self._stored = {node.src[1] for node in instructions if node.op is Op.STORE}

    # the scope

    def code(self, node: UOp) -> Code:
        """The expression for a value: its variable, or the expression that computes it."""
        found = self._codes.get(node)
        if found is None:
            found = self._codes[node] = self._expression(node)
        return found

    def mask_bits(self, node: UOp) -> int:
        """Bits per lane of the mask that holds a vector of bools."""
        return self._mask_bits.get(node, MASK_BITS)

    def is_variable(self, node: UOp) -> bool:
        """Whether a variable holds a value, so that its expression is not written again."""
        return node in self._variables

    # the kernel

    def render(self) -> str:
        """The whole source: helper functions, a comment about buffers and launch, and the kernel."""
        self._require_dtypes()
        inside: UOp | None = None  # the current loop, if one call replaces it
        for node in self._instructions:
            self._mask_bits[node] = self._width_of_mask(node)
            if inside is None:
                self._statement(node)
                inside = node if node in self._tile_loops else None
            elif node.op is Op.END:
                inside = None
        if self._tile_loops:
            self._around_tiles(next(iter(self._tile_loops.values())).last)
        declarations = "".join(f"{text}\n" for text in self._memory.declarations.values())
        head = f"{declarations}\n{self.helpers.source}" if declarations else self.helpers.source
        body = "\n".join(self._lines)
        parameters = ", ".join(self._parameters())
        attributes: list[str] = []
        if self._dialect.items_are_lanes and self._has_groups:
            # with this, compilers know how many registers a work-item may have
            items = ", ".join(str(size) for size in (*launch_sizes(self._linear)[1], 1, 1)[:DIMENSIONS])
            attributes.append(f"__attribute__((reqd_work_group_size({items})))")
        if "sub_group_reduce_" in body:
            attributes.append(self._dialect.sub_group_attribute)
        kernel = " ".join(each for each in (*attributes, self._dialect.kernel) if each)
        return self._dialect.whole(
            f"{head}{self._comment()}\n{kernel} {self._name}({parameters}) {{\n{body}\n}}\n"
        )

    @property
    def _has_groups(self) -> bool:
        """Whether the ranges of the kernel decide how many items a group has; otherwise, the launch may decide."""
        return any(node.op is Op.SPECIAL and node.arg.startswith("lid") for node in self._instructions)

    def _comment(self) -> str:
        sizes = {
            self._variables[node]: pointer_type(node).size
            for node in self._instructions
            if node.op is Op.DEFINE_GLOBAL
        }
        written = [f"{name}[{size}]" for name, size in sizes.items() if name.startswith("out")]
        read = [f"{name}[{size}]" for name, size in sizes.items() if not name.startswith("out")]
        buffers = f"{', '.join(written)} from {', '.join(read) or 'nothing'}"
        if self._dialect.sequential:
            return f"// {self._name}: {buffers}"
        size, group = launch_sizes(self._linear)
        launch = f"{' x '.join(map(str, size))} work-items in groups of {' x '.join(map(str, group))}"
        return f"// {self._name}: {buffers}; {launch}"

    def _parameters(self) -> list[str]:
        """The buffers, then the variables, each in the order of the instructions."""
        stored = {definition(node.src[0]) for node in self._instructions if node.op is Op.STORE}
        buffers: list[str] = []
        variables: list[str] = []
        space = self._dialect.spaces[AddrSpace.GLOBAL]
        for node in self._instructions:
            if node.op is Op.DEFINE_GLOBAL:
                constant, alone = ("", "") if node in stored else ("const ", self._dialect.restrict)
                element = self._dialect.storage_type(pointer_type(node).base)
                buffers.append(f"{space}{constant}{element} *{alone}{self._variables[node]}")
            elif node.op is Op.DEFINE_VAR:
                assert isinstance(node.dtype, DType)
                variables.append(f"const {self._dialect.value_type(node.dtype)} {self._variables[node]}")
        return buffers + variables

    def _require_dtypes(self) -> None:
        if not self._dialect.float64 and any(node.dtype.scalar == float64 for node in self._instructions):
            raise CodegenError(
                f"{self._name} computes in float64, which {self._dialect.name} lacks; cast to float32 first"
            )

    # statements

    def _statement(self, node: UOp) -> None:
        if node.op in ALU:  # as most are
            self._value(node)
            return
        match node.op:
            case Op.DEFINE_GLOBAL | Op.DEFINE_VAR:
                self._named(node)
            case Op.SPECIAL:
                self._line(f"const {self._index} {self._named(node)} = {self._coordinate(node)};")
            case Op.DEFINE_REG | Op.DEFINE_LOCAL:
                self._storage(node)
            case Op.RANGE if node in self._tile_loops:
                self._tiles(self._tile_loops[node])
            case Op.RANGE:
                name, end = self._named(node), self._limit(node.src[0])
                if node in self._unrolled:
                    self._line(self._dialect.unrolled)
                self._line(f"for ({self._index} {name} = 0; {name} < {end}; {name}++) {{")
                self._depth += 1
            case Op.IF:
                self._line(f"if ({self.code(node.src[0]).text}) {{")
                self._depth += 1
            case op if op in CLOSES:
                for _ in closed_by(node):
                    self._depth -= 1
                    self._line("}")
            case Op.STORE:
                self._store(node)
            case Op.BARRIER:
                self._line(self._dialect.barrier)
            case Op.CUSTOM if node.dtype == void:
                self._line(self._custom(node).text)
            case _:
                self._value(node)

    def _line(self, text: str) -> None:
        self._lines.append("    " * self._depth + text)

    def _named(self, node: UOp) -> str:
        name = self._variables[node] = self._names.of(node)
        self._codes[node] = Code(name)
        return name

    def _coordinate(self, node: UOp) -> str:
        if coordinate(node) not in self._dialect.coordinates:
            raise CodegenError(f"{self._dialect.name} has no work-items, so no {node.arg}; make it a RANGE")
        return self._dialect.coordinates[coordinate(node)]

    def _limit(self, node: UOp) -> str:
        return (
            short_index(node.arg, self._dialect).text
            if node.op is Op.CONST
            else self.code(node).at(Level.ADD)
        )

    def _storage(self, node: UOp) -> None:
        pointer, name = pointer_type(node), self._named(node)
        if node.op is Op.DEFINE_LOCAL:  # it must be declared at the top of the kernel
            space, aligned = self._dialect.spaces[AddrSpace.LOCAL], self._dialect.aligned_bytes
            attribute = f" __attribute__((aligned({aligned})))" if aligned else ""
            self._lines.insert(
                0, f"    {space}{self._dialect.storage_type(pointer.base)} {name}[{pointer.size}]{attribute};"
            )
        elif pointer.size > 1:
            self._line(
                f"{self._dialect.value_type(pointer.base, self.mask_bits(node))} {name}[{pointer.size}];"
            )
        elif node not in self._placement.started_beside:
            self._started.add(node)
            self._line(f"{self._dialect.value_type(pointer.base, self.mask_bits(node))} {name};")

    def _store(self, node: UOp) -> None:
        """A write; the first one to a single register declares it."""
        register = definition(node.src[0])
        lines = self._memory.store(node)
        pointer = pointer_type(register)
        if register.op is Op.DEFINE_REG and pointer.size == 1 and register not in self._started:
            self._started.add(register)
            lines[0] = f"{self._dialect.value_type(pointer.base, self.mask_bits(register))} {lines[0]}"
        for line in lines:
            self._line(line)

    def _tiles(self, loop: TileLoop) -> None:
        """Writes a loop as one call that uses matrix registers. These start from zero, so its sums are added to the accumulators."""
        name = self._names.numbered("tiles")
        vectors, (rows, row_step) = len(loop.columns), loop.rows
        self._line(f"int16 {name}[{vectors * len(loop.registers[0])}];")
        columns = [text for start, step in loop.columns for text in (self._pointer(start), str(step))]
        operands = (name, self._pointer(rows), str(row_step), *columns, str(loop.words))
        self._line(f"{self.helpers.tiles(vectors, loop.signs, loop.spaces, *operands)};")
        for number, register in enumerate(each for column in loop.registers for each in column):
            accumulator = self._variables[register]
            self._line(f"{accumulator} = {accumulator} + {name}[{number}];")

    def _pointer(self, address: Address) -> str:
        """An address as a pointer expression."""
        element = (
            self.code(address.element.build())
            if address.element.terms
            else Code(str(address.element.constant))
        )
        return f"{self.code(address.buffer).text} + {element.at(Level.ADD)}"

    def _around_tiles(self, last: int) -> None:
        """Sets the shapes of matrix registers before all statements, and releases the registers at the end, so that they are no longer saved."""
        numbers = ", ".join(map(str, shapes_of(last)))
        before = [f"    const ushort shapes[32] = {{{numbers}}};", "    TILE_SHAPES((ulong)shapes);"]
        self._lines[:0] = before
        self._line("TILE_RELEASE();")

    def _value(self, node: UOp) -> None:
        """Writes a variable for a value, unless it is short and written in place, or transparent."""
        if node in self._placement.transparent:
            return
        code = self._expression(node)
        is_vector = node.op is Op.VECTORIZE or shuffle_of(node) is not None
        ends = node in self._stored or (node in self._alternatives and not is_deeper(code.text, DEEPEST))
        short = len(code.text) <= LONGEST or is_vector or node.op is Op.MUL or ends
        if node in self._placement.in_place and short:
            self._codes[node] = code
            return
        assert isinstance(node.dtype, DType)
        self._line(
            f"const {self._dialect.value_type(node.dtype, self.mask_bits(node))} {self._named(node)} = {code.text};"
        )

    # expressions

    def _expression(self, node: UOp) -> Code:
        if node.op in ALU:  # as most are
            return self._arithmetic.write(node)
        match node.op:
            case Op.CONST:
                assert isinstance(node.dtype, DType)
                return literal(node.arg, node.dtype, self._dialect)
            case Op.VCONST:
                return self._memory.constant(node)
            case Op.LOAD:
                return self._memory.load(node)
            case Op.VECTORIZE:
                return self._memory.vectorize(node)
            case Op.GEP:
                return self._memory.part(node)
            case Op.AFTER:
                return self.code(node.src[0])
            case Op.CUSTOM | Op.CUSTOMI:
                return self._custom(node)
            case Op.WMMA if row := Product.of(node.arg).instruction:
                return Code(self.helpers.matrices(row, *(self.code(each).text for each in node.src)))
            case _:
                raise CodegenError(f"{node!r} has no form in {self._dialect.name}; lower it before rendering")

    def _custom(self, node: UOp) -> Code:
        operands = [self.code(source).text for source in node.src]
        return Code(fill(node.arg, operands), Level.TERNARY)

    def _width_of_mask(self, node: UOp) -> int:
        """The bits per lane of a mask. A comparison gives a mask as wide as its operands; a combination of masks is as wide as the widest."""
        dtype = node.dtype
        if dtype.lanes == 1 or isinstance(dtype, PtrDType) or not dtype.is_bool or node.op is Op.INDEX:
            return MASK_BITS
        if node.op is Op.LOAD:
            register = definition(node.src[0]).op is Op.DEFINE_REG
            return MASK_BITS if register else 8
        if node.op is Op.VECTORIZE and all(source.op is Op.GEP for source in node.src):
            return self.mask_bits(node.src[0].src[0])
        if node.op in (Op.VECTORIZE, Op.VCONST):
            return MASK_BITS
        sources = node.src[1:] if node.op is Op.WHERE else node.src
        widths: list[int] = []
        for source in sources:
            assert isinstance(source.dtype, DType)
            if source.op in (Op.VECTORIZE, Op.VCONST) and source.dtype.is_bool:
                continue  # can be written in any width
            widths.append(
                self.mask_bits(source) if source.dtype.is_bool else self._dialect.mask_bits(source.dtype)
            )
        return max(widths, default=MASK_BITS)
