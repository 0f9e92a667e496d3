"""A schedule that can be called: arrays in, kernels launched in order, arrays out."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from eqsat.dtype import to_numpy
from eqsat.errors import ExecutionError
from eqsat.runtime import guard
from eqsat.runtime.failures import explained
from eqsat.runtime.lazy import cl
from eqsat.runtime.opencl import OpenCLDevice
from eqsat.runtime.placement import Placement, place
from eqsat.runtime.processes import interrupts_wait
from eqsat.runtime.program import Program, partition
from eqsat.runtime.record import record
from eqsat.runtime.storage import from_stored, stored_dtype, to_stored
from eqsat.schedule.kernel import BufferSpec, Role, Schedule

if TYPE_CHECKING:
    from eqsat.codegen import RenderedKernel

PROFILE_REPEATS = 5  # runs per profile; the median of each kernel is reported


@dataclass(frozen=True, slots=True)
class Launch:
    """One kernel with its sizes in work-items, and which buffer of the schedule each parameter is."""

    kernel: cl.Kernel
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]
    buffers: tuple[int, ...]


class Executable:
    """A compiled schedule. Calls from several threads take turns."""

    def __init__(
        self,
        device: OpenCLDevice,
        schedule: Schedule,
        rendered: Sequence[RenderedKernel],
        *,
        save: bool = True,
    ) -> None:
        """Compile.

        Args:
            device: to run on.
            schedule: the kernels' order and buffers.
            rendered: each kernel of the schedule, in its order.
            save: keep the binary on disk after the first run; candidates that are only timed need not.

        Raises:
            CompileError: the compiler rejected a kernel.
            DeviceError: the compiler lacks file descriptors, disk or a linker.
            MemoryExhaustedError: it lacks memory.
        """
        if len(rendered) != len(schedule.kernels):
            count = len(schedule.kernels)
            raise ExecutionError(
                f"{len(rendered)} rendered kernels for a schedule of {count}; render each one once"
            )
        for kernel in rendered:
            if kernel.variables:
                names = ", ".join(kernel.variables)
                raise ExecutionError(
                    f"{kernel.name} depends on {names}; substitute constants before compiling"
                )
        record(rendered)
        self.device = device
        self.schedule = schedule
        self._dtypes = [stored_dtype(spec.dtype) for spec in schedule.buffers]
        self._arenas = _arenas(schedule.buffers)
        self._lock = threading.Lock()
        self._save = save
        self._ran = False
        self._programs: list[Program] = []
        self._launches: list[Launch | None] = [None] * len(rendered)
        self._compile(rendered)

    def __call__(self, *arrays: np.ndarray) -> list[np.ndarray]:
        """Run on `arrays`, in the order of the schedule's inputs; 1-D results in the order of its outputs.

        Raises:
            ExecutionError: the number of arrays, or the size or dtype of one, is not what was compiled.
            MemoryExhaustedError: no memory for a buffer.
            DeviceError: the device was lost.
        """
        self.device.require_use()
        inputs = self._checked(arrays)
        with self._lock, explained(f"running {self._named()}", self.device.name):
            return self._run(inputs, self.device.queue) if self._ran else self._first_run(inputs)

    def profile(self, *arrays: np.ndarray, repeats: int = PROFILE_REPEATS) -> tuple[float, ...]:
        """Seconds that each kernel takes on the device, by its own clock: medians of `repeats` runs, 0 for a kernel without work.

        Raises:
            ExecutionError: as for a call.
        """
        return tuple(np.median(self.times(*arrays, repeats=repeats), axis=0).tolist())

    def times(self, *arrays: np.ndarray, repeats: int = PROFILE_REPEATS) -> np.ndarray:
        """Seconds that each kernel (column) takes in each of `repeats` runs (row), as `profile` measures them.

        Raises:
            ExecutionError: as for a call.
        """
        self.device.require_use()
        inputs = self._checked(arrays)
        times = np.zeros((repeats, len(self._launches)))
        with self._lock, explained(f"profiling {self._named()}", self.device.name):
            self._run(inputs, self.device.profiling_queue)  # the first launch compiles and touches pages
            for row in times:
                events: list[cl.Event | None] = []
                self._run(inputs, self.device.profiling_queue, events)
                row[:] = [
                    0.0 if event is None else (event.profile.end - event.profile.start) * 1e-9
                    for event in events
                ]
        return times

    def _first_run(self, inputs: list[np.ndarray]) -> list[np.ndarray]:
        """A run in which PoCL compiles once more and starts a linker, which a Ctrl-C would end."""
        self.device.require_compiler("compiling")
        with interrupts_wait():
            results = self._run(inputs, self.device.queue)
        self._ran = True
        if self._save:
            for program in self._programs:
                program.save()
        return results

    def _compile(self, rendered: Sequence[RenderedKernel]) -> None:
        needed = [number for number, kernel in enumerate(rendered) if 0 not in kernel.global_size]
        for members in partition([rendered[number] for number in needed]):
            group = [needed[member] for member in members]
            if guard.is_on():
                guard.require_harmless(self.device, [rendered[number] for number in group])
            program = Program(self.device, [rendered[number] for number in group])
            self._programs.append(program)
            for number in group:
                kernel, numbers = rendered[number], self.schedule.kernels[number].buffers
                buffers = tuple(numbers[argument.slot] for argument in kernel.arguments)
                self._launches[number] = Launch(
                    program.kernel(kernel.name), kernel.global_size, kernel.local_size, buffers
                )

    def _run(
        self, inputs: list[np.ndarray], queue: cl.CommandQueue, events: list[cl.Event | None] | None = None
    ) -> list[np.ndarray]:
        """Launch everything, wait once; memory stays alive until the device is done with it, whatever is raised."""
        placement = place(self.device, queue)
        try:
            buffers = self._place(placement, inputs)
            for launch in self._launches:
                event = None if launch is None else self._enqueue(queue, launch, buffers)
                if events is not None:
                    events.append(event)
            placement.fetch()
        finally:
            queue.finish()
            placement.release()
        return [self._result(number, placement, inputs) for number in self.schedule.outputs]

    def _enqueue(self, queue: cl.CommandQueue, launch: Launch, buffers: list[cl.Buffer]) -> cl.Event:
        launch.kernel.set_args(*[buffers[number] for number in launch.buffers])
        return cl.enqueue_nd_range_kernel(queue, launch.kernel, launch.global_size, launch.local_size)

    def _place(self, placement: Placement, inputs: list[np.ndarray]) -> list[cl.Buffer]:
        """A device buffer for each buffer of the schedule."""
        arenas = {arena: placement.temporary(size) for arena, size in self._arenas.items()}
        placed: list[cl.Buffer] = []
        for number, spec in enumerate(self.schedule.buffers):
            if spec.size == 0:
                placed.append(self.device.nothing)
            elif spec.role is Role.INPUT:
                placed.append(placement.input(inputs[spec.slot]))
            elif spec.role is Role.OUTPUT:
                placed.append(placement.output(number, spec.size, self._dtypes[number]))
            elif spec.arena >= 0:
                placed.append(arenas[spec.arena])
            else:
                placed.append(placement.temporary(spec.size * spec.dtype.itemsize))
        return placed

    def _result(self, number: int, placement: Placement, inputs: list[np.ndarray]) -> np.ndarray:
        """The array of an output; one that is an input passed through, or returned twice, is a copy."""
        spec = self.schedule.buffers[number]
        if spec.role is Role.INPUT:
            return from_stored(inputs[spec.slot].copy(), spec.dtype)
        if spec.size == 0:
            return np.empty(0, to_numpy(spec.dtype))
        return from_stored(placement.take_result(number), spec.dtype)

    def _checked(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The arrays, flat and contiguous, in the machine's byte order."""
        wanted = self.schedule.inputs
        if len(arrays) != len(wanted):
            raise ExecutionError(
                f"{self._named()} takes {len(wanted)} arrays and was given {len(arrays)}; pass one per input"
            )
        checked: list[np.ndarray] = []
        for position, (array, number) in enumerate(zip(arrays, wanted, strict=True)):
            spec = self.schedule.buffers[number]
            dtype = to_numpy(spec.dtype)
            array = np.asarray(array)
            if array.size != spec.size:
                raise ExecutionError(
                    f"argument {position} of {self._named()} has shape {array.shape}, {array.size} elements, "
                    f"and needs {spec.size}; compile again for other shapes"
                )
            if array.dtype.newbyteorder("=") != dtype:
                raise ExecutionError(
                    f"argument {position} of {self._named()} is {array.dtype} and must be {dtype}; "
                    f"convert it with .astype({str(dtype)!r})"
                )
            checked.append(to_stored(np.require(array, dtype, ("C", "A")).reshape(-1), spec.dtype))
        return checked

    def _named(self) -> str:
        return (
            ", ".join(dict.fromkeys(kernel.name for kernel in self.schedule.kernels))
            or "a program without kernels"
        )


def _arenas(specs: Sequence[BufferSpec]) -> dict[int, int]:
    """Bytes of each arena: those of its largest temporary."""
    sizes: dict[int, int] = {}
    for spec in specs:
        if spec.role is Role.TEMPORARY and spec.arena >= 0 and spec.size:
            sizes[spec.arena] = max(sizes.get(spec.arena, 0), spec.size * spec.dtype.itemsize)
    return sizes
