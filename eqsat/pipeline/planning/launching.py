"""Makes one schedule for a program that launches kernels as they are written, with scheduled kernels in between."""

from __future__ import annotations

from dataclasses import replace

from eqsat.dtype import DType, void
from eqsat.machine import Machine
from eqsat.ops import AxisType, KernelInfo, Op
from eqsat.pipeline.planning.calls import Launch, Unfolded
from eqsat.pipeline.planning.plan import Plan
from eqsat.schedule.kernel import BufferSpec, Kernel, Role, Schedule
from eqsat.schedule.lowering.older_forms import modernize
from eqsat.schedule.placement import Effort
from eqsat.schedule.plan import draft
from eqsat.uop import UOp


def launched(program: Unfolded, machine: Machine, plan: Plan) -> tuple[Schedule, tuple[int, ...]]:
    """The schedule of a program, and for each input of the schedule the slot of the program's PARAM.

    Raises:
        ScheduleError: an array graph cannot be turned into kernels.
    """
    joined = _Joined(machine, plan)
    for launch in program.launches:
        joined.launch(launch)
    return joined.schedule(joined.computed(program.sink.src)), tuple(joined.slots)


class _Joined:
    """The kernels and buffers of the schedule so far."""

    def __init__(self, machine: Machine, plan: Plan) -> None:
        self.slots: list[int] = []  # the slots of the inputs that are read
        self._machine, self._plan = machine, plan
        self._kernels: list[Kernel] = []
        self._buffers: list[BufferSpec] = []
        self._of_slot: dict[int, int] = {}

    def launch(self, launch: Launch) -> None:
        """Adds the launch of a kernel on its arguments. Buffers that it stores to begin as copies, unless they are fresh."""
        read = [slot for slot in range(len(launch.arguments)) if slot not in launch.fresh]
        computed = self.computed(tuple(launch.arguments[slot] for slot in read))
        arguments = dict(zip(read, computed, strict=True))
        for slot, result in launch.results.items():
            if slot in launch.fresh:
                assert isinstance(result.dtype, DType)
                spec = BufferSpec(result.dtype, result.arg[1], Role.TEMPORARY)
                arguments[slot] = self._of_slot[result.arg[0]] = self._buffer(spec)
                continue
            given = self._buffers[arguments[slot]]
            copy = self._buffer(replace(given, role=Role.TEMPORARY, slot=-1, arena=-1))
            self._kernels.append(_as_written(_copying(given), (copy, arguments[slot])))
            arguments[slot] = self._of_slot[result.arg[0]] = copy
        buffers = tuple(arguments[slot] for slot in range(len(launch.arguments)))
        self._kernels.append(replace(_as_written(launch.kernel, buffers), values=launch.values))

    def computed(self, values: tuple[UOp, ...]) -> list[int]:
        """Adds kernels that compute these array graphs. Returns the numbers of the buffers with their values."""
        effort, accuracy = Effort(gap=self._plan.gap), self._plan.accuracy
        made = draft(modernize(UOp.sink(*values)), self._machine, effort, accuracy).schedule()
        numbers: list[int] = []
        for spec in made.buffers:
            own = replace(spec, role=Role.TEMPORARY, slot=-1, arena=-1)
            numbers.append(self._input(spec) if spec.role is Role.INPUT else self._buffer(own))
        for kernel in made.kernels:
            self._kernels.append(replace(kernel, buffers=tuple(numbers[each] for each in kernel.buffers)))
        return [numbers[each] for each in made.outputs]

    def schedule(self, outputs: list[int]) -> Schedule:
        """The whole schedule, with these buffers as results."""
        for slot, number in enumerate(dict.fromkeys(outputs)):
            if self._buffers[number].role is Role.TEMPORARY:
                self._buffers[number] = replace(self._buffers[number], role=Role.OUTPUT, slot=slot)
        inputs = sorted(
            (number for number, spec in enumerate(self._buffers) if spec.role is Role.INPUT),
            key=lambda each: self._buffers[each].slot,
        )
        return Schedule(tuple(self._kernels), tuple(self._buffers), tuple(inputs), tuple(outputs))

    def _input(self, spec: BufferSpec) -> int:
        """The number of the buffer for a slot: an array of the caller, or the result of a launch."""
        if spec.slot not in self._of_slot:
            self._of_slot[spec.slot] = self._buffer(replace(spec, slot=len(self.slots)))
            self.slots.append(spec.slot)
        return self._of_slot[spec.slot]

    def _buffer(self, spec: BufferSpec) -> int:
        self._buffers.append(spec)
        return len(self._buffers) - 1


def _as_written(kernel: UOp, buffers: tuple[int, ...]) -> Kernel:
    return Kernel(kernel, buffers, 0.0, 1, "as written")


def _copying(spec: BufferSpec) -> UOp:
    """A kernel that copies a buffer."""
    dtype: DType = spec.dtype
    place = UOp.range(spec.size, 0, AxisType.GLOBAL)
    to, given = (UOp(Op.INDEX, dtype, (UOp.param(slot, spec.size, dtype), place)) for slot in (0, 1))
    value = UOp(Op.LOAD, dtype, (given,))
    return UOp.sink(UOp(Op.STORE, void, (to, value, place)), arg=KernelInfo(f"copy_{spec.size}"))
