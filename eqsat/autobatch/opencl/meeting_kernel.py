"""The kernel of a program in which members meet: it runs in rounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from eqsat.autobatch.ir import Block, TensorType
from eqsat.autobatch.opencl.code import Code, Memory, Options
from eqsat.autobatch.opencl.group_kernel import GroupKernel
from eqsat.autobatch.opencl.instructions import element, escaped
from eqsat.autobatch.opencl.kernel import Kernel
from eqsat.autobatch.opencl.lanes import lane_kernel
from eqsat.autobatch.opencl.rounds import RESUMED, Luggage, Waiting
from eqsat.autobatch.opencl.stacks import Held, given_array
from eqsat.codegen import Dialect, RenderedKernel
from eqsat.dtype import AddrSpace, PtrDType, index, int32, uint8, void
from eqsat.ops import Op
from eqsat.uop import UOp


class MeetingKernel(Kernel):
    """A kernel that a member leaves where it must wait for an answer, and to which it returns in the next round.

    Between the shared arrays and the stacks, its arguments are the answers; an int32 for each member that says where it waits (0: it is done);
    the requests; and the luggage of each member. Stacks are in global memory, and each member has its own. The last variable of the launch says
    whether it is the first round.
    """

    def __init__(self, code: Code, dialect: Dialect, options: Options) -> None:
        super().__init__(code, dialect, options)
        self._luggage = Luggage([*self._held.values()], dialect)
        self._answers = [held for wait in code.waits.values() for held in wait.answers]
        self._requests = [held for wait in code.waits.values() for held in wait.requests]

    @property
    def luggage_size(self) -> int:
        """The bytes of one member's memory between rounds."""
        return self._luggage.size

    @property
    def _is_interleaved(self) -> bool:
        return False

    def _parts(self) -> None:
        """None: members resume where they waited, possibly within loops, which needs labels instead of nested loops."""

    def _further_buffers(self, first: int) -> list[UOp]:
        kinds = [*self._answers, TensorType(int32), *self._requests, TensorType(uint8, (self.luggage_size,))]
        buffers = [self.buffer(slot, held) for slot, held in enumerate(kinds, start=first)]
        self._written = buffers[len(self._answers) :]
        return buffers

    def _variables(self) -> None:
        super()._variables()
        self._resumed = self.add(UOp(Op.DEFINE_VAR, int32, (), (RESUMED, 0, 1)))

    def _point_to_stacks(self, stacks: Mapping[str, UOp], item: UOp) -> None:
        """Declares pointers to stacks, which are set for each member."""
        del item
        space = self._dialect.spaces[AddrSpace.GLOBAL]
        for name, buffer in stacks.items():
            assert isinstance(buffer.dtype, PtrDType)
            self.text(f"{space}{self._dialect.storage_type(buffer.dtype.base)} *{name}_stack;")

    def _declarations(self, held: Held) -> Iterator[str]:
        """Declares a variable; an array is a pointer into the luggage, where it stays."""
        if not held.is_array:
            yield from held.declarations(self._dialect)
            return
        yield f"{self._dialect.spaces[AddrSpace.GLOBAL]}{held.kind(self._dialect)} *{held.top};"
        if held.is_full:
            yield f"int {held.name}_size = 0;"

    def _start(self, inputs: Sequence[UOp], stacks: Mapping[str, UOp]) -> None:
        """Starts a member in the first round, and resumes it in later rounds."""
        self._reset()
        member = self.value("member", index)
        written = [*self._written, *stacks.values()]
        begins = [self._start_of(buffer, member) for buffer in written]
        zeros = [self._zero(buffer) for buffer in written]
        first = len(self._program.outputs) + 1
        space = self._dialect.spaces[AddrSpace.GLOBAL]
        place = first + len(self._written)
        self.text(f"{space}uchar *const luggage = out{place - 1} + {{0}};", begins[len(self._written) - 1])
        for line in self._luggage.pointers():
            self.text(line)
        for number, name in enumerate(stacks, start=place):
            self.text(f"{name}_stack = out{number} + {{0}};", begins[number - first])
        self.text("int waits = 0;")
        self.text("if ({0} == 0) {{", self._resumed)
        for buffer, begin, zero in zip(written, begins, zeros, strict=True):
            self._instructions.append(UOp(Op.STORE, void, (self.add(element(buffer, begin)), zero)))
        self._load(inputs)
        self.text("}} else {{")
        for line in self._luggage.statements(packs=False, counts_steps=self._options.counts_steps):
            self.text(line)
        cases = (
            f"case {wait.number}: goto {self._resumption(name)};" for name, wait in self._code.waits.items()
        )
        self.text(escaped(f"switch (waits) {{ case 0: goto done; {' '.join(cases)} }}"))
        self.text("}}")

    def _start_of(self, buffer: UOp, member: UOp) -> UOp:
        assert isinstance(buffer.dtype, PtrDType)
        size = self.add(UOp(Op.CONST, index, (), buffer.dtype.size))
        return self.add(UOp(Op.MUL, index, (member, size)))

    def _zero(self, buffer: UOp) -> UOp:
        assert isinstance(buffer.dtype, PtrDType)
        return self.add(UOp.const(buffer.dtype.base, 0))

    def _block(self, block: Block) -> None:
        wait = self._code.waits.get(block.name)
        if wait is None:
            super()._block(block)
            return
        self._begin(block)
        for line in self._asked(block.name, wait):
            self.text(escaped(line))
        self.text(f"waits = {wait.number};")
        self.text("goto leave;")
        self.text("}}")
        self.text(f"{self._resumption(block.name)}: {{{{")
        self.text("waits = 0;")
        first = len(self._program.vars_in) + len(self._code.shared.arrays) + wait.first_answer
        names = [
            f"(in{place} + member * {held.size})" for place, held in enumerate(wait.answers, start=first)
        ]
        self._change_by_arrays(self._code.regions[block.name], names, self._dialect.spaces[AddrSpace.GLOBAL])
        self._jump(block)
        self.text("}}")

    def _asked(self, name: str, wait: Waiting) -> Iterator[str]:
        """Statements that write the values that a block reads to its requests."""
        first = len(self._program.outputs) + 2 + wait.first_request
        for slot, read in enumerate(self._code.regions[name].reads):
            held = self._held[read.name]
            yield from given_array(slot, held, held.below(read.depth), self._dialect)
            size = held.held.size
            yield f"for (int e = 0; e < {size}; e++) out{first + slot}[member * {size} + e] = given{slot}[e];"

    def _resumption(self, name: str) -> str:
        return f"{self._labels[name]}_answered"

    def _finish(self, outputs: Sequence[UOp], status: UOp) -> None:
        super()._finish(outputs, status)
        self.text("leave: ;")
        for line in self._luggage.statements(packs=True, counts_steps=self._options.counts_steps):
            self.text(line)
        member, waits = self.value("member", index), self.value("waits", int32)
        self.add(UOp(Op.STORE, void, (self.add(element(self._written[0], member)), waits)))


def kernel_of(code: Code, dialect: Dialect, options: Options) -> RenderedKernel:
    """Renders the kernel of a program: in lanes, in rounds, by work-groups, or by default by work-items that run one member after another."""
    if options.has_lanes:
        return lane_kernel(code.program, code.regions, dialect, code.name)
    if code.waits:
        return MeetingKernel(code, dialect, replace(options, memory=Memory.GLOBAL)).rendered()
    if code.group:
        return GroupKernel(code, dialect, replace(options, memory=Memory.GLOBAL)).rendered()
    return Kernel(code, dialect, options).rendered()
