"""A schedule that can be called: arrays in, kernels launched in order, arrays out."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from eqsat.dtype import to_numpy
from eqsat.errors import ExecutionError
from eqsat.runtime.device import Buffer, Device, Run
from eqsat.runtime.record import record
from eqsat.runtime.storage import from_stored, stored_dtype, to_stored
from eqsat.schedule.kernel import BufferSpec, Role, Schedule

if TYPE_CHECKING:
    from eqsat.codegen import RenderedKernel

PROFILE_REPEATS = 5  # runs per profile; the median of each kernel is reported


class Executable:
    """A compiled schedule. Calls from several threads take turns."""

    def __init__(
        self,
        device: Device,
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
        # Numbers of the kernels that have work-items, and the buffers of the schedule that are the parameters of each.
        self._launched = [number for number, kernel in enumerate(rendered) if 0 not in kernel.global_size]
        needed = [rendered[number] for number in self._launched]
        self._parameters = [
            [schedule.kernels[number].buffers[argument.slot] for argument in kernel.arguments]
            for number, kernel in zip(self._launched, needed, strict=True)
        ]
        self._compiled = device.compile(needed, save=save)

    def __call__(self, *arrays: np.ndarray) -> list[np.ndarray]:
        """Run on `arrays`, in the order of the schedule's inputs; 1-D results in the order of its outputs.

        Raises:
            ExecutionError: the number of arrays, or the size or dtype of one, is not what was compiled.
            MemoryExhaustedError: no memory for a buffer.
            DeviceError: the device was lost.
        """
        self.device.require_use()
        inputs = self._checked(arrays)
        with self._lock:
            return self._run(inputs)[0]

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
        times = np.zeros((repeats, len(self.schedule.kernels)))
        with self._lock:
            self._run(inputs, timed=True)  # the first launch compiles and touches pages
            for row in times:
                row[self._launched] = self._run(inputs, timed=True)[1]
        return times

    def _run(self, inputs: list[np.ndarray], *, timed: bool = False) -> tuple[list[np.ndarray], list[float]]:
        """Launch everything, wait once: the results, and seconds of each launch if timed."""
        with self._compiled.run(f"{'profiling' if timed else 'running'} {self._named()}", timed=timed) as run:
            buffers = self._place(run, inputs)
            for launch, parameters in enumerate(self._parameters):
                run.launch(launch, [buffers[number] for number in parameters])
            run.finish()
            return [self._result(number, run, inputs) for number in self.schedule.outputs], run.seconds()

    def _place(self, run: Run, inputs: list[np.ndarray]) -> list[Buffer]:
        """A device's buffer for each buffer of the schedule."""
        arenas = {arena: run.temporary(size) for arena, size in self._arenas.items()}
        placed: list[Buffer] = []
        for number, spec in enumerate(self.schedule.buffers):
            if spec.size == 0:
                placed.append(run.nothing())
            elif spec.role is Role.INPUT:
                placed.append(run.input(inputs[spec.slot]))
            elif spec.role is Role.OUTPUT:
                placed.append(run.output(number, spec.size, self._dtypes[number]))
            elif spec.arena >= 0:
                placed.append(arenas[spec.arena])
            else:
                placed.append(run.temporary(spec.size * spec.dtype.itemsize))
        return placed

    def _result(self, number: int, run: Run, inputs: list[np.ndarray]) -> np.ndarray:
        """The array of an output; one that is an input passed through, or returned twice, is a copy."""
        spec = self.schedule.buffers[number]
        if spec.role is Role.INPUT:
            return from_stored(inputs[spec.slot].copy(), spec.dtype)
        if spec.size == 0:
            return np.empty(0, to_numpy(spec.dtype))
        return from_stored(run.take_result(number), spec.dtype)

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
