"""Runs the kernel of a program on batches of any size, with stacks that grow when needed."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, repeat
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from eqsat.autobatch.ir import PROGRAM_COUNTER, Program, TensorType, VariableAllocation
from eqsat.autobatch.ir.types import tensor_of
from eqsat.autobatch.machines.values import blank
from eqsat.autobatch.opencl.code import NO_STEPS_LEFT, Code, Memory, Options
from eqsat.autobatch.opencl.lanes import LANES, gains, have_lanes
from eqsat.autobatch.opencl.meeting_kernel import kernel_of
from eqsat.autobatch.opencl.meetings import Meeting
from eqsat.autobatch.opencl.workspace import array_bytes
from eqsat.autobatch.regions import Region
from eqsat.codegen import Argument, RenderedKernel
from eqsat.dtype import int32, to_numpy
from eqsat.errors import StackOverflowError, StepLimitError
from eqsat.pipeline.planning.plan import Plan
from eqsat.runtime import Device, machine_of
from eqsat.runtime.device import Compiled
from eqsat.runtime.layout import Layout
from eqsat.runtime.storage import from_stored, stored_dtype, to_stored
from eqsat.schedule.kernel import BufferSpec, Role

OnOverflow = Literal["raise", "grow"]
FIRST_DEPTH = 64  # the initial capacity of each stack, in values
GROWTH = 8  # the factor by which the capacity grows
MOST_MEMBERS = 1 << 20  # members in one launch, at most; larger batches run in parts
_LAUNCH_BYTES = 1 << 30  # bytes of the inputs and outputs of one launch, at most
_ITEMS_PER_CORE = 16  # work-items per core: several, so that cores that finish early take more
_GROUPS_PER_CORE = 2  # groups with large arrays per core of a processor; more would share its caches (40 members of 20,000 floats: 3, not 5 ms)
_GROUPS = {"gpu": 64}  # work-items in a work-group, by kind of device; 1 for other kinds
_MEMBERS_PER_CORE = LANES  # members per core from which they run in vector lanes
_PRIVATE_BYTES = 1 << 15  # bytes of stacks that a work-item may have on the stack of its thread
_STACK_BYTES = 1 << 28  # bytes of the stacks of all work-items together, at most
_BUFFERS = 4  # approximate number of buffers in memory for each array that a variable holds
_COUNTER = TensorType(int32)
_MOST_COMPILED = 16  # compiled kernels that stay cached, one per batch size and options
_MOST_WITH_MEETINGS = 2  # the same where members meet, as each kernel then holds the stacks of all members


class BatchKernel:
    """The kernel of one lowered program on one device. Launches from several threads take turns."""

    def __init__(
        self,
        program: Program,
        regions: Mapping[str, Region],
        device: Device,
        name: str,
        plan: Plan,
    ) -> None:
        self.program = program
        self.device = device
        self._dialect = replace(device.dialect, contract=plan.contracts)
        machine = machine_of(device)
        self._cores = machine.cores
        self._group = _GROUPS.get(device.kind, 1)  # work-items
        self._code = Code.of(program, regions, machine, self._dialect, name, self._group)
        self._has_lanes = (
            device.kind != "gpu" and have_lanes(program, regions) and gains(program, regions, machine)
        )
        self._name = name
        self._rendered: dict[Options, RenderedKernel] = {}
        self._compiled: dict[tuple[int, Options], Compiled] = {}
        self._lock = threading.Lock()
        self._held = [
            *(tensor_of(program.var_defs, each) for each in program.vars_in),
            *(tensor_of(program.var_defs, each) for each in program.outputs),
            _COUNTER,
        ]
        self._inputs = len(program.vars_in)
        own_plan = replace(plan, device=device)
        self._meetings = [Meeting(regions[block], own_plan) for block in self._code.waits]

    def rendered(self, options: Options | None = None) -> RenderedKernel:
        """The rendered kernel, by default with the options of its first launch."""
        options = options or Options(FIRST_DEPTH, has_lanes=self._has_lanes)
        if options not in self._rendered:
            self._rendered[options] = kernel_of(self._code, self._dialect, options)
        return self._rendered[options]

    def run(
        self,
        inputs: Sequence[NDArray[Any]],
        *,
        on_overflow: OnOverflow = "grow",
        max_depth: int | None = None,
        most_steps: int | None = None,
    ) -> list[NDArray[Any]]:
        """The outputs for a batch, one array each.

        Args:
            inputs: one array for each input, with the batch on axis 0.
            on_overflow: what to do if a stack is too small: "grow" runs the members concerned again with deeper stacks, "raise" raises an error.
            max_depth: the most values that a stack may hold; by default, as many as memory admits.
            most_steps: the most blocks that a member may run; by default, there is no limit.

        Raises:
            StackOverflowError: some members needed deeper stacks. The error holds the results of the others.
            StepLimitError: a member took more than `most_steps` steps.
        """
        batch = len(inputs[0]) if inputs else 1
        first = max(1, min(FIRST_DEPTH, self._deepest(1)))
        depth = max_depth or first
        if on_overflow == "grow":
            depth = min(first, depth)
        results: list[NDArray[Any]] = []
        if batch > self._most_members(depth) or not batch:
            results = [blank(held, batch) for held in self._held[self._inputs :]]
        pending = np.arange(batch)
        while len(pending):
            failed: list[NDArray[Any]] = []
            most = self._most_members(depth)
            for start in range(0, len(pending), most):
                members = pending[start : start + most]
                whole = len(members) == batch
                given = inputs if whole else [each[members] for each in inputs]
                made = self._launch(given, depth, most_steps)
                if whole:
                    results = made
                else:
                    for result, values in zip(results, made, strict=True):
                        result[members] = values
                failed.append(members[made[-1] != 0])
            pending = np.concatenate(failed)
            self._require_steps(pending, results[-1], most_steps)
            deeper = min(depth * GROWTH, max_depth or self._deepest(1))
            if len(pending) and (on_overflow == "raise" or deeper <= depth):
                raise self._overflow(pending, results, depth)
            depth = deeper
        return results[:-1]

    def _most_members(self, depth: int) -> int:
        """The most members in one launch: their inputs and outputs must fit into memory, and so must their stacks if members meet."""
        of_member = sum(held.dtype.itemsize * held.size for held in self._held)
        room = _STACK_BYTES // self._stack_bytes(depth) if self._meetings else MOST_MEMBERS
        return max(1, min(MOST_MEMBERS, _LAUNCH_BYTES // of_member, room))

    def _launch(
        self, inputs: Sequence[NDArray[Any]], depth: int, most_steps: int | None
    ) -> list[NDArray[Any]]:
        """The outputs and the status of each member, from one launch."""
        batch = len(inputs[0]) if inputs else 1
        has_lanes = self._has_lanes and most_steps is None and batch >= self._cores * _MEMBERS_PER_CORE
        items = self._items(-(-batch // LANES) if has_lanes else batch, depth)
        chunk = -(-batch // items)
        stored = [
            to_stored(np.ascontiguousarray(values, to_numpy(held.dtype)), held.dtype)
            for values, held in zip(inputs, self._held, strict=False)
        ]
        for array, dtype in self._code.shared.arrays:
            stored.append(to_stored(np.ascontiguousarray(array, to_numpy(dtype)), dtype))
        counts = () if most_steps is None else (np.int32(min(most_steps, (1 << 31) - 1)),)
        with self._lock:
            memory = Memory.PRIVATE if self._stack_bytes(depth) <= _PRIVATE_BYTES else Memory.GLOBAL
            options = Options(depth, memory, most_steps is not None, has_lanes)
            compiled = self._kernel_for(batch, items, options)
            values = [np.int32(batch), np.int32(chunk), *counts]
            if self._meetings:
                made = self._rounds(compiled, stored, values)
            else:
                made = compiled.run(stored, f"running {self._name}", [values])
        return [
            from_stored(values, held.dtype).reshape(batch, *held.shape)
            for values, held in _with_empty(made, self._held[self._inputs :], batch)
        ]

    def _items(self, members: int, depth: int) -> int:
        """The number of work-items for this many members, or vectors of members: whole work-groups, whose stacks fit into memory.

        For programs whose members are run by work-groups, it is the number of work-groups.
        """
        together = bool(self._code.group)
        items = min(members, self._cores * _ITEMS_PER_CORE * (1 if together else self._group))
        if together:
            most = self._cores * (_ITEMS_PER_CORE if self._group > 1 else _GROUPS_PER_CORE)
            room = _STACK_BYTES // (_BUFFERS * array_bytes(self.program) + 1)
            items = min(items, most, max(self._cores, room))
        while items > 1 and not self._meetings and depth > self._deepest(items):
            items //= 2
        return items if together else -(-items // self._group) * self._group

    def _rounds(
        self, compiled: Compiled, stored: Sequence[NDArray[Any]], values: Sequence[np.int32]
    ) -> list[NDArray[Any]]:
        """Launches rounds until no member waits, and returns the last outputs. After each other round, the waiting members get their answers."""
        batch = int(values[0])
        waits = [*self._code.waits.values()]
        answers = [_stored_blank(held, batch) for wait in waits for held in wait.answers]
        first = sum(
            held.size > 0 for held in self._held[self._inputs :]
        )  # the result that says where members wait
        requests = [held for wait in waits for held in wait.requests]
        for resumed in chain((0,), repeat(1)):
            made = compiled.run([*stored, *answers], f"running {self._name}", [[*values, np.int32(resumed)]])
            if not made[first].any():
                return made[:first]
            asked = [*_with_empty(made[first + 1 :], requests, batch)]
            for wait, meeting in zip(waits, self._meetings, strict=True):
                members = np.flatnonzero(made[first] == wait.number)
                if not len(members):
                    continue
                last = wait.first_request + len(wait.requests)
                found = meeting.answers(
                    [
                        from_stored(values.reshape(batch, -1)[members], held.dtype)
                        for values, held in asked[wait.first_request : last]
                    ],
                    len(members),
                )
                for array, each, held in zip(answers[wait.first_answer :], found, wait.answers, strict=False):
                    array[members] = to_stored(each.reshape(len(members), -1), held.dtype)
        raise AssertionError("rounds end by a return")

    def _kernel_for(self, batch: int, items: int, options: Options) -> Compiled:
        key = (batch, options)
        found = self._compiled.get(key)
        if found is None:
            kernel = self.rendered(options)
            size = items * (self._code.group or 1)
            kernel = replace(kernel, global_size=(size,), local_size=(self._group,))
            layout = self._layout(kernel, batch, items)
            device = self.device.suited([0.0]) if items == 1 else self.device
            found = device.compile([kernel], layout, save=True)
            if len(self._compiled) >= (_MOST_WITH_MEETINGS if self._meetings else _MOST_COMPILED):
                del self._compiled[next(iter(self._compiled))]
            self._compiled[key] = found
        return found

    def _layout(self, kernel: RenderedKernel, batch: int, items: int) -> Layout:
        return Layout.of(
            [self._spec(argument, batch, items) for argument in kernel.arguments],
            [list(range(len(kernel.arguments)))],
        )

    def _spec(self, argument: Argument, batch: int, items: int) -> BufferSpec:
        """The buffer of a kernel argument; arguments are in the order of `Kernel`, `GroupKernel` and `MeetingKernel`."""
        given, shared, waits = self._inputs, len(self._code.shared.arrays), self._code.waits.values()
        answers = sum(len(wait.answers) for wait in waits)
        requests = 1 + sum(len(wait.requests) for wait in waits) if waits else 0
        outputs = len(self._held) - given
        of_batch, slot = argument.size * batch, argument.slot
        if slot < given:
            return BufferSpec(argument.dtype, of_batch, Role.INPUT, slot)
        slot -= given
        if slot < outputs:
            return BufferSpec(argument.dtype, of_batch, Role.OUTPUT, slot)
        slot -= outputs
        if slot < shared:
            return BufferSpec(argument.dtype, argument.size, Role.INPUT, given + slot)
        if slot < shared + answers:
            return BufferSpec(argument.dtype, of_batch, Role.INPUT, given + slot)
        slot -= shared + answers
        if slot < requests:
            return BufferSpec(argument.dtype, of_batch, Role.OUTPUT, outputs + slot)
        if self._code.group and slot and not self._full[slot - 1].shape:  # the stack of each work-item
            return BufferSpec(argument.dtype, argument.size * items * self._code.group, Role.TEMPORARY)
        return (
            BufferSpec(argument.dtype, of_batch, Role.KEPT)
            if waits
            else BufferSpec(argument.dtype, argument.size * items, Role.TEMPORARY)
        )

    def _stack_bytes(self, depth: int) -> int:
        """The bytes of all stacks of one work-item."""
        return depth * self._bytes_of_level

    @property
    def _bytes_of_level(self) -> int:
        """The bytes of one value on each stack, summed."""
        return max(1, sum(max(4, held.dtype.itemsize) * held.size for held in self._full))

    @cached_property
    def _full(self) -> list[TensorType]:
        """The types of variables with stacks."""
        full = [name for name, how in self.program.var_alloc.items() if how is VariableAllocation.FULL]
        return [
            _COUNTER if name == PROGRAM_COUNTER else tensor_of(self.program.var_defs, name) for name in full
        ]

    def _deepest(self, items: int) -> int:
        """The most values that each stack may hold if `items` work-items have stacks."""
        return _STACK_BYTES // (self._bytes_of_level * items)

    def _require_steps(self, members: NDArray[Any], states: NDArray[Any], most_steps: int | None) -> None:
        over = members[states[members] == NO_STEPS_LEFT]
        if len(over):
            raise StepLimitError(
                f"member {over[0]} of the batch took more than {most_steps} steps; it may not end, or raise most_steps"
            )

    def _overflow(self, members: NDArray[Any], results: list[NDArray[Any]], depth: int) -> StackOverflowError:
        name = list(self.program.var_alloc)[int(results[-1][members[0]]) - 1]
        others = f" and {len(members) - 1} others" if len(members) > 1 else ""
        return StackOverflowError(
            f"member {members[0]}{others} needed more than {depth} values on the stack of {name!r}; raise max_depth, or let stacks grow "
            "(on_overflow='grow')",
            members,
            results[:-1],
        )


def _with_empty(
    made: Sequence[NDArray[Any]], held: Sequence[TensorType], batch: int
) -> Iterator[tuple[NDArray[Any], TensorType]]:
    """The results of a kernel, each with its type, and results without elements, which kernels do not write."""
    found = iter(made)
    for each in held:
        yield next(found) if each.size else _stored_blank(each, batch), each


def _stored_blank(held: TensorType, batch: int) -> NDArray[Any]:
    """Zeros for all members, in the form in which device memory stores the type."""
    return np.zeros((batch, held.size), stored_dtype(held.dtype))
