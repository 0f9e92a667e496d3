"""The kernel of a lowered program, as a LINEAR whose control flow is text: nested loops and branches, or labels and jumps if there are calls.

Each work-item runs a range of members, one after another. The computation of a block is UOps, which are rendered as in all other kernels. They
read the tops of stacks before anything is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from eqsat.array.data import stand_in
from eqsat.autobatch.ir import (
    EXIT,
    PROGRAM_COUNTER,
    Block,
    BranchOp,
    GotoOp,
    IndirectGotoOp,
    PushGotoOp,
    TensorType,
    VariableAllocation,
)
from eqsat.autobatch.ir.types import tensor_of
from eqsat.autobatch.opencl import structure
from eqsat.autobatch.opencl.code import BATCH, CHUNK, NO_STEPS_LEFT, STEPS, Code, Memory, Options
from eqsat.autobatch.opencl.functions import RegionFunctions
from eqsat.autobatch.opencl.indentation import indented
from eqsat.autobatch.opencl.instructions import Instructions, element, escaped, with_operands
from eqsat.autobatch.opencl.names import identifiers
from eqsat.autobatch.opencl.rounds import kept
from eqsat.autobatch.opencl.stacks import Held, given_array, scalar_of
from eqsat.autobatch.opencl.structure import Choice, Jump, Loop, Part, Target, is_short, labelled, structured
from eqsat.autobatch.regions import Effect, Region
from eqsat.codegen import Dialect, RenderedKernel, render
from eqsat.codegen.rendering.join import join
from eqsat.dtype import AddrSpace, PtrDType, index, int32, void
from eqsat.ops import Op
from eqsat.uop import UOp, rewrite, toposort

_COUNTER = TensorType(int32)


@dataclass(frozen=True, slots=True)
class _Label:
    """The number of a block to which calls return, and its label."""

    number: int
    label: str


class Kernel(Instructions):
    """The kernel of a program, as a collection of instructions.

    Its arguments are the inputs and the outputs; an int32 status for each member, which is 0, or the number (from 1, in the order of
    `var_alloc`) of the variable whose stack was too small, or `NO_STEPS_LEFT`; then the shared arrays; then, if stacks are in global memory,
    the stack of each FULL variable, with `depth` values for each work-item.
    """

    def __init__(self, code: Code, dialect: Dialect, options: Options) -> None:
        super().__init__()
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

    def rendered(self) -> RenderedKernel:
        """Renders the kernel."""
        held = [self._held_of(name) for name in (*self._program.vars_in, *self._program.outputs)]
        buffers = [self.buffer(slot, each) for slot, each in enumerate((*held, _COUNTER))]
        inputs, outputs = buffers[: len(self._program.vars_in)], buffers[len(self._program.vars_in) :]
        for array, dtype in self._code.shared.arrays:
            buffers.append(self.buffer(len(buffers), TensorType(dtype, (array.size,))))
        buffers += self._further_buffers(len(buffers))
        stacks = self._stack_buffers(len(buffers))
        batch, chunk = self.variable(BATCH), self.variable(CHUNK)
        self._variables()
        item = self._item()
        self._declare()
        self._point_to_stacks(stacks, item)
        self._point_to_shared()
        self._hoist_constants()
        self.text(
            "for (long member = {0} * {1}; member < min((long){2}, {0} * {1} + {1}); member++) {{",
            item,
            chunk,
            batch,
        )
        self._start(inputs, stacks)
        parts = self._parts()
        if parts is None:
            for block in self._program.graph.blocks:
                self._block(block)
            self._dispatch()
        else:
            self._nest(parts, labelled(parts))
        self._finish(outputs[:-1], outputs[-1])
        self.text("}}")
        found = render(self.linear(self._code.name), self._dialect)
        own = indented(found.source, self._code.name)
        functions = [each.source for each in self._code.functions.values()]
        return replace(found, source=join([*functions, own]) if functions else own)

    def _item(self) -> UOp:
        """The number of the work-item, or of the work-group, that runs a member."""
        extent = self.add(UOp(Op.CONST, index, (), 1))
        return self.add(UOp(Op.SPECIAL, index, (extent,), "gid0"))

    def _variables(self) -> None:
        """Adds further variables of a launch."""
        if self._options.counts_steps:
            self._limit = self.variable(STEPS)

    @property
    def _is_interleaved(self) -> bool:
        """Whether stacks of work-items are interleaved in global memory, since work-items run side by side."""
        return self._options.memory is Memory.GLOBAL and self._dialect.items_are_lanes

    # the parts, in order

    def _stack_buffers(self, first: int) -> dict[str, UOp]:
        """The arguments that hold the stacks of FULL variables; none if stacks are in private memory."""
        full = [held for held in self._held.values() if held.is_full]
        if self._options.memory is Memory.PRIVATE:
            return {}
        return {
            held.name: self.buffer(
                slot, TensorType(kept(held.held).dtype, (self._options.depth * held.held.size,))
            )
            for slot, held in enumerate(full, start=first)
        }

    def _further_buffers(self, first: int) -> list[UOp]:
        """The arguments between the shared arrays and the stacks."""
        del first
        return []

    def _declare(self) -> None:
        """Declares the flag of the last branch, the values on top of the stacks, and stacks in private memory."""
        if any(isinstance(block.terminator, BranchOp) for block in self._program.graph.blocks):
            self.text("bool chosen = false;")
        for held in self._held.values():
            for line in self._declarations(held):
                self.text(escaped(line))
            if held.is_full and self._options.memory is Memory.PRIVATE:
                self.text(f"{held.kind(self._dialect)} {held.name}_stack[{held.depth * held.held.size}];")

    def _declarations(self, held: Held) -> Iterator[str]:
        return held.declarations(self._dialect)

    def _point_to_stacks(self, stacks: Mapping[str, UOp], item: UOp) -> None:
        """Sets pointers to stacks in global memory. Each begins with a zero, which lies below the first pushed value."""
        arrays = {held.name for held in self._held.values() if held.is_array}
        for place, (name, buffer) in enumerate(stacks.items(), start=len(self._program.outputs) + 1):
            assert isinstance(buffer.dtype, PtrDType)
            lies_beside = self._is_interleaved and name not in arrays
            step = self.add(UOp(Op.CONST, index, (), 1 if lies_beside else buffer.dtype.size))
            begin = self.add(UOp(Op.MUL, index, (item, step)))
            zero = self.add(UOp.const(buffer.dtype.base, 0))
            self.add(UOp(Op.STORE, void, (self.add(element(buffer, begin)), zero)))
            space = self._dialect.spaces[AddrSpace.GLOBAL]
            kind = self._dialect.storage_type(buffer.dtype.base)
            # The renderer names written arguments out0, out1, ... in their order, and all others in0, in1, ...
            self.text(f"{space}{kind} *const {name}_stack = out{place} + {{0}};", begin)

    def _point_to_shared(self) -> None:
        """Sets pointers to the arrays that all members read."""
        for place, (_, dtype) in enumerate(self._code.shared.arrays):
            pointer = f"{self._dialect.spaces[AddrSpace.GLOBAL]}const {self._dialect.storage_type(dtype)} *const shared{place}"
            self.text(f"{pointer} = in{len(self._program.vars_in) + place};")

    def _hoist_constants(self) -> None:
        """Hoists values that depend on no variable before all blocks: several blocks may use them, and declarations in a block are local to it."""
        for name, region in self._code.regions.items():
            if name in self._code.functions or name in self._code.waits:
                continue
            fixed: set[UOp] = set()
            for node in toposort(region.graph.src):
                if node.op is not Op.PARAM and fixed.issuperset(node.src):
                    fixed.add(self.add(node))

    def _start(self, inputs: Sequence[UOp], stacks: Mapping[str, UOp]) -> None:
        """Starts a member."""
        del stacks  # stacks belong to work-items, and pointers to them are set already
        self._reset()
        self._load(inputs)

    def _reset(self) -> None:
        self.text("int failed = 0;")
        if self._options.counts_steps:
            self.text("int steps = 0;")
        for held in self._held.values():
            if held.is_full:
                self.text(f"{held.name}_size = 0;")

    def _load(self, inputs: Sequence[UOp]) -> None:
        """Loads the inputs of a member into its variables."""
        member = self.value("member", index)
        for place, (name, buffer) in enumerate(zip(self._program.vars_in, inputs, strict=True)):
            held = self._held.get(name)
            if held is None:
                continue
            if held.is_array:
                self.text(escaped(held.assigned(held.top, f"(in{place} + member * {held.held.size})")))
            else:
                self.text(f"{held.top} = {{0}};", self.load(buffer, member))
        if PROGRAM_COUNTER in self._held:
            self.text(f"{self._held[PROGRAM_COUNTER].top} = {self._returns[EXIT].number};")

    def _parts(self) -> Sequence[Part] | None:
        """The program as nested loops and branches; None if that is impossible."""
        return structured(self._program.graph)

    def _nest(self, parts: Sequence[Part], targets: frozenset[str]) -> None:
        for part in parts:
            match part:
                case Target(block):
                    if block in targets:
                        self.text(f"{self._labels[block]}: ;")
                case structure.Code(block):
                    self.text("{{")
                    self._count()
                    self._change(block)
                    self.text("}}")
                case Loop(inner, has_test):
                    if not self._dialect.items_are_lanes and is_short(inner, self._code.functions):
                        self.text(f"{self._dialect.unrolled} 4")
                    self.text("do {{" if has_test else "for (;;) {{")
                    self._nest(inner, targets)
                    self.text("}} while (chosen);" if has_test else "}}")
                case Choice(true_parts, false_parts):
                    self.text("if (chosen) {{" if true_parts else "if (!chosen) {{")
                    self._nest(true_parts or false_parts, targets)
                    if true_parts and false_parts:
                        self.text("}} else {{")
                        self._nest(false_parts, targets)
                    self.text("}}")
                case Jump(block, how):
                    self.text(f"goto {self._labels[block]};" if how == "goto" else f"{how};")

    def _block(self, block: Block) -> None:
        self._begin(block)
        self._change(block.name)
        self._jump(block)
        self.text("}}")

    def _change(self, block: str) -> None:
        region = self._code.regions[block]
        if block in self._code.functions:
            self._change_by_functions(region, self._code.functions[block])
        else:
            self._change_by_values(region)

    def _begin(self, block: Block) -> None:
        self.text(f"{self._labels[block.name]}: {{{{")
        self._count()

    def _count(self) -> None:
        """Counts the run of a block, if steps are counted."""
        if self._options.counts_steps:
            self.text(f"if (++steps > {{0}}) {{{{ failed = {NO_STEPS_LEFT}; goto overflow; }}}}", self._limit)

    def _change_by_values(self, region: Region) -> None:
        """Computes scalars as UOps, and changes the stacks."""
        values = self._computed(region)
        if region.condition is not None:
            self.text("chosen = {0};", values[region.condition])
        for held, effect in self._effects(region):
            pushed = [values[number] for number in effect.pushes]
            for line in held.changed(effect.pops, [f"@{place}@" for place in range(len(pushed))]):
                self.text(with_operands(line, len(pushed)), *pushed)

    def _change_by_functions(self, region: Region, functions: RegionFunctions) -> None:
        """Computes arrays by functions, in arrays that the block declares, and changes the stacks."""
        for slot, read in enumerate(region.reads):
            held = self._held[read.name]
            for line in given_array(slot, held, held.below(read.depth), self._dialect):
                self.text(escaped(line))
        for array in functions.arrays:
            self.text(f"{array.kind} {array.name}[{array.size}];")
        for line in functions.calls:
            self.text(escaped(line))
        self._change_by_arrays(region, functions.values)

    def _change_by_arrays(self, region: Region, names: Sequence[str], space: str = "") -> None:
        """Changes the stacks, where each value of a region is an array in address space `space`; `names` has their identifiers."""
        texts = {
            number: scalar_of(name, root.dtype, space) if not root.shape else name
            for number, (name, root) in enumerate(zip(names, region.graph.src, strict=True))
        }
        if region.condition is not None:
            self.text(f"chosen = {texts[region.condition]};")
        for held, effect in self._effects(region):
            for line in held.changed(effect.pops, [texts[number] for number in effect.pushes]):
                self.text(escaped(line))

    def _effects(self, region: Region) -> Iterator[tuple[Held, Effect]]:
        for name, effect in region.effects.items():
            held = self._held.get(name)
            if held is not None and held.allocation is not VariableAllocation.NULL:
                yield held, effect

    def _jump(self, block: Block) -> None:
        match block.terminator:
            case GotoOp(target):
                self.text(f"goto {self._labels[target]};")
            case BranchOp(_, true_block, false_block):
                self.text(f"if (chosen) goto {self._labels[true_block]};")
                self.text(f"goto {self._labels[false_block]};")
            case PushGotoOp(push_block, goto_block):
                counter = self._held[PROGRAM_COUNTER]
                for line in counter.changed(0, [str(self._returns[push_block].number)]):
                    self.text(escaped(line))
                self.text(f"goto {self._labels[goto_block]};")
            case IndirectGotoOp():
                self.text("goto dispatch;")

    def _dispatch(self) -> None:
        """Pops the program counter and jumps to the block to which the call returns."""
        if not any(isinstance(block.terminator, IndirectGotoOp) for block in self._program.graph.blocks):
            return
        counter = self._held[PROGRAM_COUNTER]
        self.text("dispatch: {{")
        self.text(f"const int target = {counter.top};")
        for line in counter.changed(1, []):
            self.text(escaped(line))
        cases = " ".join(f"case {each.number}: goto {each.label};" for each in self._returns.values())
        self.text(escaped(f"switch (target) {{ {cases} }}"))
        self.text("}}")

    def _finish(self, outputs: Sequence[UOp], status: UOp) -> None:
        if self._options.counts_steps or any(held.is_full for held in self._held.values()):
            self.text("overflow: ;")
        self.text("done: ;")
        member = self.value("member", index)
        held = [self._held[name] for name in self._program.outputs]
        stores = [
            (self._begin_of(buffer, member), self.add(UOp.const(each.held.dtype, 0)))
            if each.is_array
            else (self._begin_of(buffer, member), self.value(each.top, each.held.dtype))
            for each, buffer in zip(held, outputs, strict=True)
        ]
        stores.append((self.add(element(status, member)), self.value("failed", int32)))
        with self._alone():
            for address, value in stores:
                self.add(UOp(Op.STORE, void, (address, value)))
        for place, each in enumerate(held):
            if each.is_array:  # the store has marked the argument as written
                self.text(escaped(each.assigned(f"(out{place} + member * {each.held.size})", each.top)))

    def _begin_of(self, buffer: UOp, number: UOp) -> UOp:
        """The address of one member's value in an argument."""
        assert isinstance(buffer.dtype, PtrDType)
        size = self.add(UOp(Op.CONST, index, (), buffer.dtype.size))
        return self.add(element(buffer, self.add(UOp(Op.MUL, index, (number, size)))))

    def _alone(self) -> AbstractContextManager[None]:
        """A context whose instructions only one work-item executes."""
        return nullcontext()

    def _held_of(self, name: str) -> TensorType:
        return tensor_of(self._program.var_defs, name)

    def _computed(self, region: Region) -> list[UOp]:
        """The values of a region's graph, computed from the present values of variables."""
        inputs: dict[UOp, UOp] = {}
        used = set(toposort(region.graph.src))
        for slot, read in enumerate(region.reads):
            held = self._held[read.name]
            given = stand_in(slot, (), held.held.dtype)
            if given in used:  # optimization may have removed all uses of a read
                inputs[given] = self.value(held.below(read.depth), held.held.dtype)
        values = rewrite(list(region.graph.src), inputs)
        self.add_all(values)
        return list(values)
