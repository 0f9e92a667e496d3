"""The kernel of a lowered program, as a LINEAR whose control flow is text: labels for blocks, jumps between them.

Each work-item runs the members of a range, one after the other. What a block computes is UOps, which read the tops of stacks before anything is
written; they are rendered as those of all other kernels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from eqsat.array.data import stand_in
from eqsat.autobatch.ir import (
    EXIT,
    PROGRAM_COUNTER,
    Block,
    BranchOp,
    GotoOp,
    IndirectGotoOp,
    Program,
    PushGotoOp,
    TensorType,
    VariableAllocation,
)
from eqsat.autobatch.ir.types import tensor_of
from eqsat.autobatch.opencl.functions import RegionFunctions, Shared, functions_of
from eqsat.autobatch.opencl.indentation import indented
from eqsat.autobatch.opencl.meetings import is_meeting
from eqsat.autobatch.opencl.names import identifiers
from eqsat.autobatch.opencl.rounds import Waiting, kept, waitings
from eqsat.autobatch.opencl.stacks import Held
from eqsat.autobatch.regions import Effect, Region, is_scalar
from eqsat.codegen import OPENCL_GPU, Dialect, RenderedKernel, render
from eqsat.codegen.rendering.join import join
from eqsat.dtype import AddrSpace, DType, PtrDType, bfloat16, float16, index, int32, void
from eqsat.machine import Machine
from eqsat.ops import KernelInfo, Op
from eqsat.uop import UOp, rewrite, toposort

BATCH, CHUNK, STEPS = (
    "batch",
    "chunk",
    "most_steps",
)  # variables of a launch: how many members, how many of them a work-item runs, its blocks
NO_STEPS_LEFT = -1  # the state of a member that ran too many blocks
_COUNTER = TensorType(int32)


class Memory(Enum):
    """Where the stacks of a work-item are."""

    PRIVATE = "private"
    GLOBAL = "global"


@dataclass(frozen=True, slots=True)
class Options:
    """What kernels of one program differ in.

    Attributes:
        depth: how many values each stack holds below its top.
        memory: where.
        counts_steps: whether a member ends when it has run as many blocks as the launch says.
        has_lanes: whether a work-item walks many members at once; see `lanes`.
    """

    depth: int
    memory: Memory = Memory.PRIVATE
    counts_steps: bool = False
    has_lanes: bool = False


@dataclass(frozen=True)
class Code:
    """A lowered and allocated program, whose variables hold one tensor each, with what its blocks compute.

    Attributes:
        program: see above.
        regions: of its blocks, by name.
        functions: of those regions that are on arrays.
        waits: the blocks at which members meet, whose regions are computed outside of the kernel.
        shared: the arrays that all members read.
        name: of the kernel.
    """

    program: Program
    regions: Mapping[str, Region]
    functions: Mapping[str, RegionFunctions]
    waits: Mapping[str, Waiting]
    shared: Shared
    name: str

    @staticmethod
    def of(
        program: Program, regions: Mapping[str, Region], machine: Machine, dialect: Dialect, name: str
    ) -> Code:
        """Schedules what regions compute on arrays.

        Raises:
            CodegenError: a work-item lacks memory for a region.
        """
        shared = Shared()
        meetings = {block: region for block, region in regions.items() if is_meeting(region)}
        functions = {
            block: functions_of(region, block, machine, dialect, shared)
            for block, region in regions.items()
            if block not in meetings and not is_scalar(region)
        }
        return Code(program, regions, functions, waitings(program, meetings), shared, name)


@dataclass(frozen=True, slots=True)
class _Label:
    """The number of a block that is returned to, and its label."""

    number: int
    label: str


class Kernel:
    """The kernel of a program: collects instructions, in order.

    Its arguments are the inputs, the outputs, and an int32 for each member: 0, or the number (from 1, in the order of `var_alloc`) of the
    variable whose stack was too small, or `NO_STEPS_LEFT`; then what all members share; then, of stacks in global
    memory, that of each FULL variable, `depth` values for each work-item.
    """

    def __init__(self, code: Code, dialect: Dialect, options: Options) -> None:
        program = code.program
        self._code = code
        self._program = program
        self._options = options
        self._dialect = dialect
        names = identifiers(program.var_alloc, "")
        self._held = {
            variable: Held(
                names[variable].rstrip("_"),
                number,
                _COUNTER if variable == PROGRAM_COUNTER else tensor_of(program.var_defs, variable),
                allocation,
                options.depth,
                "get_global_size(0)" if self._is_interleaved else "",
            )
            for number, (variable, allocation) in enumerate(program.var_alloc.items(), start=1)
        }
        labels = identifiers((block.name for block in program.graph.blocks), "block")
        self._labels = {**labels, EXIT: "done"}
        returned_to = dict.fromkeys(
            block.terminator.push_block
            for block in program.graph.blocks
            if isinstance(block.terminator, PushGotoOp)
        )
        self._returns = {
            name: _Label(number, self._labels[name]) for number, name in enumerate((EXIT, *returned_to))
        }
        self._instructions: list[UOp] = []
        self._known: set[UOp] = set()

    def rendered(self) -> RenderedKernel:
        """The kernel."""
        held = [self._held_of(name) for name in (*self._program.vars_in, *self._program.outputs)]
        buffers = [self._buffer(slot, each) for slot, each in enumerate((*held, _COUNTER))]
        inputs, outputs = buffers[: len(self._program.vars_in)], buffers[len(self._program.vars_in) :]
        for array, dtype in self._code.shared.arrays:
            buffers.append(self._buffer(len(buffers), TensorType(dtype, (array.size,))))
        buffers += self._further_buffers(len(buffers))
        stacks = self._stack_buffers(len(buffers))
        batch = self._add(UOp(Op.DEFINE_VAR, int32, (), (BATCH, 0, (1 << 31) - 1)))
        chunk = self._add(UOp(Op.DEFINE_VAR, int32, (), (CHUNK, 0, (1 << 31) - 1)))
        self._variables()
        extent = self._add(UOp(Op.CONST, index, (), 1))
        item = self._add(UOp(Op.SPECIAL, index, (extent,), "gid0"))
        self._declare()
        self._point_to_stacks(stacks, item)
        self._point_to_shared()
        self._fix()
        self._text(
            "for (long member = {0} * {1}; member < min((long){2}, {0} * {1} + {1}); member++) {{",
            item,
            chunk,
            batch,
        )
        self._start(inputs, stacks)
        for block in self._program.graph.blocks:
            self._block(block)
        self._dispatch()
        self._finish(outputs[:-1], outputs[-1])
        self._text("}}")
        linear = UOp(Op.LINEAR, void, tuple(self._instructions), KernelInfo(self._code.name))
        found = render(linear, self._dialect)
        own = indented(found.source, self._code.name)
        functions = [each.source for each in self._code.functions.values()]
        return replace(found, source=join([*functions, own]) if functions else own)

    def _variables(self) -> None:
        """Further variables of a launch."""
        if self._options.counts_steps:
            self._limit = self._add(UOp(Op.DEFINE_VAR, int32, (), (STEPS, 0, (1 << 31) - 1)))

    @property
    def _is_interleaved(self) -> bool:
        """Whether work-items run side by side, so that their stacks lie side by side, too."""
        return self._options.memory is Memory.GLOBAL and self._dialect.name == OPENCL_GPU.name

    # the parts, in order

    def _stack_buffers(self, first: int) -> dict[str, UOp]:
        """The arguments that hold the stacks of FULL variables, if global memory does."""
        full = [held for held in self._held.values() if held.is_full]
        if self._options.memory is Memory.PRIVATE:
            return {}
        return {
            held.name: self._buffer(
                slot, TensorType(kept(held.held).dtype, (self._options.depth * held.held.size,))
            )
            for slot, held in enumerate(full, start=first)
        }

    def _further_buffers(self, first: int) -> list[UOp]:
        """Arguments between what members share and the stacks."""
        del first
        return []

    def _declare(self) -> None:
        """The tops of variables, and stacks in private memory."""
        for held in self._held.values():
            for line in self._declarations(held):
                self._text(escaped(line))
            if held.is_full and self._options.memory is Memory.PRIVATE:
                self._text(f"{held.kind(self._dialect)} {held.name}_stack[{held.depth * held.held.size}];")

    def _declarations(self, held: Held) -> Iterator[str]:
        return held.declarations(self._dialect)

    def _point_to_stacks(self, stacks: Mapping[str, UOp], item: UOp) -> None:
        """Where stacks in global memory are. Each begins with a zero, which lies below what is pushed first."""
        for place, (name, buffer) in enumerate(stacks.items(), start=len(self._program.outputs) + 1):
            assert isinstance(buffer.dtype, PtrDType)
            step = self._add(UOp(Op.CONST, index, (), 1 if self._is_interleaved else buffer.dtype.size))
            begin = self._add(UOp(Op.MUL, index, (item, step)))
            zero = self._add(UOp.const(buffer.dtype.base, 0))
            self._add(UOp(Op.STORE, void, (self._add(element(buffer, begin)), zero)))
            space = self._dialect.spaces[AddrSpace.GLOBAL]
            kind = self._dialect.storage_type(buffer.dtype.base)
            # The renderer calls arguments that are written out0, out1, ... in their order, and others in0, in1, ...
            self._text(f"{space}{kind} *const {name}_stack = out{place} + {{0}};", begin)

    def _point_to_shared(self) -> None:
        """Where the arrays are that all members read."""
        for place, (_, dtype) in enumerate(self._code.shared.arrays):
            pointer = f"{self._dialect.spaces[AddrSpace.GLOBAL]}const {self._dialect.storage_type(dtype)} *const shared{place}"
            self._text(f"{pointer} = in{len(self._program.vars_in) + place};")

    def _fix(self) -> None:
        """Computes what depends on no variable, before the blocks: several may use it, and what a block declares is unknown in others."""
        for name, region in self._code.regions.items():
            if name in self._code.functions or name in self._code.waits:
                continue
            fixed: set[UOp] = set()
            for node in toposort(region.graph.src):
                if node.op is not Op.PARAM and fixed.issuperset(node.src):
                    fixed.add(self._add(node))

    def _start(self, inputs: Sequence[UOp], stacks: Mapping[str, UOp]) -> None:
        """Begins a member."""
        del stacks  # of work-items, which are there already
        self._reset()
        self._load(inputs)

    def _reset(self) -> None:
        self._text("int failed = 0;")
        if self._options.counts_steps:
            self._text("int steps = 0;")
        for held in self._held.values():
            if held.is_full:
                self._text(f"{held.name}_size = 0;")

    def _load(self, inputs: Sequence[UOp]) -> None:
        """Loads the inputs of a member."""
        member = self._value("member", index)
        for place, (name, buffer) in enumerate(zip(self._program.vars_in, inputs, strict=True)):
            held = self._held.get(name)
            if held is None:
                continue
            if held.is_array:
                self._text(escaped(held.assigned(held.top, f"(in{place} + member * {held.held.size})")))
            else:
                address = self._add(element(buffer, member))
                self._text(f"{held.top} = {{0}};", self._add(UOp(Op.LOAD, held.held.dtype, (address,))))
        if PROGRAM_COUNTER in self._held:
            self._text(f"{self._held[PROGRAM_COUNTER].top} = {self._returns[EXIT].number};")

    def _block(self, block: Block) -> None:
        region = self._code.regions[block.name]
        self._begin(block)
        if block.name in self._code.functions:
            self._change_by_functions(region, self._code.functions[block.name])
        else:
            self._change_by_values(region)
        self._jump(block)
        self._text("}}")

    def _begin(self, block: Block) -> None:
        self._text(f"{self._labels[block.name]}: {{{{")
        if self._options.counts_steps:
            self._text(
                f"if (++steps > {{0}}) {{{{ failed = {NO_STEPS_LEFT}; goto overflow; }}}}", self._limit
            )

    def _change_by_values(self, region: Region) -> None:
        """Computes scalars as UOps, and changes the stacks."""
        values = self._computed(region)
        if region.condition is not None:
            self._text("const bool chosen = {0};", values[region.condition])
        for held, effect in self._effects(region):
            pushed = [values[number] for number in effect.pushes]
            for line in held.changed(effect.pops, [f"@{place}@" for place in range(len(pushed))]):
                self._text(_with_operands(line, len(pushed)), *pushed)

    def _change_by_functions(self, region: Region, functions: RegionFunctions) -> None:
        """Computes arrays by functions on memory of the block, and changes the stacks."""
        for slot, read in enumerate(region.reads):
            held = self._held[read.name]
            for line in given_array(slot, held, held.below(read.depth), self._dialect):
                self._text(escaped(line))
        for line in functions.statements:
            self._text(escaped(line))
        self._change_by_arrays(region, functions.values)

    def _change_by_arrays(self, region: Region, names: Sequence[str], space: str = "") -> None:
        """Changes the stacks, where each value of a region is an array of this name, in this address space."""
        texts = {
            number: _scalar(name, root.dtype, space) if not root.shape else name
            for number, (name, root) in enumerate(zip(names, region.graph.src, strict=True))
        }
        if region.condition is not None:
            self._text(f"const bool chosen = {texts[region.condition]};")
        for held, effect in self._effects(region):
            for line in held.changed(effect.pops, [texts[number] for number in effect.pushes]):
                self._text(escaped(line))

    def _effects(self, region: Region) -> Iterator[tuple[Held, Effect]]:
        for name, effect in region.effects.items():
            held = self._held.get(name)
            if held is not None and held.allocation is not VariableAllocation.NULL:
                yield held, effect

    def _jump(self, block: Block) -> None:
        match block.terminator:
            case GotoOp(target):
                self._text(f"goto {self._labels[target]};")
            case BranchOp(_, true_block, false_block):
                self._text(f"if (chosen) goto {self._labels[true_block]};")
                self._text(f"goto {self._labels[false_block]};")
            case PushGotoOp(push_block, goto_block):
                counter = self._held[PROGRAM_COUNTER]
                for line in counter.changed(0, [str(self._returns[push_block].number)]):
                    self._text(escaped(line))
                self._text(f"goto {self._labels[goto_block]};")
            case IndirectGotoOp():
                self._text("goto dispatch;")

    def _dispatch(self) -> None:
        """Returns to where the program counter says."""
        if not any(isinstance(block.terminator, IndirectGotoOp) for block in self._program.graph.blocks):
            return
        counter = self._held[PROGRAM_COUNTER]
        self._text("dispatch: {{")
        self._text(f"const int target = {counter.top};")
        for line in counter.changed(1, []):
            self._text(escaped(line))
        cases = " ".join(f"case {each.number}: goto {each.label};" for each in self._returns.values())
        self._text(escaped(f"switch (target) {{ {cases} }}"))
        self._text("}}")

    def _finish(self, outputs: Sequence[UOp], status: UOp) -> None:
        if self._options.counts_steps or any(held.is_full for held in self._held.values()):
            self._text("overflow: ;")
        self._text("done: ;")
        member = self._value("member", index)
        for place, (name, buffer) in enumerate(zip(self._program.outputs, outputs, strict=True)):
            held = self._held[name]
            size = self._add(UOp(Op.CONST, index, (), held.held.size))
            first = self._add(element(buffer, self._add(UOp(Op.MUL, index, (member, size)))))
            top = (
                self._add(UOp.const(held.held.dtype, 0))
                if held.is_array
                else self._value(held.top, held.held.dtype)
            )
            self._add(UOp(Op.STORE, void, (first, top)))
            if held.is_array:  # the store has made the argument one that is written
                self._text(escaped(held.assigned(f"(out{place} + member * {held.held.size})", held.top)))
        failed = self._value("failed", int32)
        self._add(UOp(Op.STORE, void, (self._add(element(status, member)), failed)))

    # instructions

    def _held_of(self, name: str) -> TensorType:
        return tensor_of(self._program.var_defs, name)

    def _buffer(self, slot: int, held: TensorType) -> UOp:
        """The array of one value for each member."""
        return self._add(UOp(Op.DEFINE_GLOBAL, PtrDType(held.dtype, AddrSpace.GLOBAL, held.size), (), slot))

    def _text(self, template: str, *operands: UOp) -> UOp:
        """A statement; `{0}` is the first operand, and braces are doubled."""
        return self._custom(template, void, operands)

    def _value(self, text: str, dtype: DType) -> UOp:
        """What a text stands for here."""
        return self._custom(text, dtype)

    def _custom(self, template: str, dtype: DType, operands: Sequence[UOp] = ()) -> UOp:
        """A text, which is none of those before it: equal nodes are one node, so each has a number that it does not write."""
        number = self._add(UOp(Op.CONST, index, (), len(self._instructions)))
        return self._add(UOp(Op.CUSTOM, dtype, (*operands, number), template))

    def _computed(self, region: Region) -> list[UOp]:
        """The values of a region's graph, from variables as they are here."""
        inputs: dict[UOp, UOp] = {}
        used = set(toposort(region.graph.src))
        for slot, read in enumerate(region.reads):
            held = self._held[read.name]
            given = stand_in(slot, (), held.held.dtype)
            if given in used:  # optimization may leave none
                inputs[given] = self._value(held.below(read.depth), held.held.dtype)
        values = rewrite(list(region.graph.src), inputs)
        for node in toposort(values):
            self._add(node)
        return list(values)

    def _add(self, node: UOp) -> UOp:
        if node not in self._known:
            self._known.add(node)
            self._instructions.append(node)
        return node


def given_array(slot: int, held: Held, text: str, dialect: Dialect) -> Iterator[str]:
    """The array `given{slot}` of a value, as functions take it: a copy, since the variable may change before the value is used again."""
    kind, size = dialect.storage_type(held.held.dtype), max(1, held.held.size)
    if held.is_array:
        yield f"{kind} given{slot}[{size}];"
        yield held.assigned(f"given{slot}", text)
    elif held.held.dtype == float16:
        yield f"{kind} given{slot}[1];"
        yield f"vstore_half({text}, 0, (half *)given{slot});"
    elif held.held.dtype == bfloat16:
        yield f"{kind} given{slot}[1] = {{(ushort)(as_uint({text}) >> 16)}};"
    else:
        yield f"{kind} given{slot}[1] = {{{text}}};"


def _scalar(name: str, dtype: DType | PtrDType, space: str) -> str:
    """The value of an array of one element."""
    if dtype == float16:
        return f"vload_half(0, (const {space}half *){name})"
    return f"as_float((uint){name}[0] << 16)" if dtype == bfloat16 else f"{name}[0]"


def element(buffer: UOp, member: UOp) -> UOp:
    """The address of an element."""
    assert isinstance(buffer.dtype, PtrDType)
    return UOp(Op.INDEX, buffer.dtype.base, (buffer, member))


def escaped(line: str) -> str:
    """A line as a template without operands."""
    return line.replace("{", "{{").replace("}", "}}")


def _with_operands(line: str, count: int) -> str:
    """A line in which `@k@` stands for operand k, as a template."""
    line = escaped(line)
    for place in range(count):
        line = line.replace(f"@{place}@", f"{{{place}}}")
    return line
