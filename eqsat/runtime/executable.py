"""A schedule that can be called: arrays in, kernels launched in order, arrays out."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
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

USABLE = 0x101  # NumPy's flags of an array that is contiguous, in C's order, and aligned to its elements
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
            ExecutionError: a kernel of the schedule is not rendered, or depends on variables.
            MemoryExhaustedError: it lacks memory.
        """
        _require_complete(schedule, rendered)
        record(rendered)
        names = dict.fromkeys(kernel.name for kernel in schedule.kernels)
        self._name = ", ".join(names) or "a program without kernels"
        self.device = device
        self.schedule = schedule
        self._layout = _Layout.of(schedule.buffers)
        self._expected = [_usable(schedule.buffers[number]) for number in schedule.inputs]
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
        with self._compiled.run(f"{'profiling' if timed else 'running'} {self._name}", timed=timed) as run:
            buffers = self._layout.place(run, inputs)
            for launch, parameters in enumerate(self._parameters):
                run.launch(launch, [buffers[number] for number in parameters])
            run.finish()
            results = [self._result(number, run, inputs) for number in self.schedule.outputs]
            return results, run.seconds() if timed else []

    def _result(self, number: int, run: Run, inputs: list[np.ndarray]) -> np.ndarray:
        """The array of an output; one that is an input passed through, or returned twice, is a copy."""
        spec = self.schedule.buffers[number]
        if spec.role is Role.INPUT:
            return from_stored(inputs[spec.slot].reshape(-1).copy(), spec.dtype)
        if spec.size == 0:
            return np.empty(0, to_numpy(spec.dtype))
        return from_stored(run.take_result(number), spec.dtype)

    def _checked(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The arrays, contiguous, in the machine's byte order."""
        if len(arrays) != len(self._expected):
            raise ExecutionError(
                f"{self._name} takes {len(self._expected)} arrays and was given {len(arrays)}; pass one per input"
            )
        checked = list(arrays)
        for position, (size, dtype) in enumerate(self._expected):
            array = arrays[position]
            if not (
                type(array) is np.ndarray
                and array.dtype is dtype
                and array.size == size
                and array.flags.num & USABLE == USABLE
            ):
                checked[position] = self._converted(position, array)
        return checked

    def _converted(self, position: int, array: np.ndarray) -> np.ndarray:
        """An array as a device can use it, if the elements are those that are wanted."""
        spec = self.schedule.buffers[self.schedule.inputs[position]]
        dtype = to_numpy(spec.dtype)
        array = np.asarray(array)
        if array.size != spec.size:
            raise ExecutionError(
                f"argument {position} of {self._name} has shape {array.shape}, {array.size} elements, "
                f"and needs {spec.size}; compile again for other shapes"
            )
        if array.dtype.newbyteorder("=") != dtype:
            raise ExecutionError(
                f"argument {position} of {self._name} is {array.dtype} and must be {dtype}; "
                f"convert it with .astype({str(dtype)!r})"
            )
        return to_stored(np.require(array, dtype, ("C", "A")), spec.dtype)


def _require_complete(schedule: Schedule, rendered: Sequence[RenderedKernel]) -> None:
    if len(rendered) != len(schedule.kernels):
        count = len(schedule.kernels)
        raise ExecutionError(
            f"{len(rendered)} rendered kernels for a schedule of {count}; render each one once"
        )
    for kernel in rendered:
        if kernel.variables:
            names = ", ".join(kernel.variables)
            raise ExecutionError(f"{kernel.name} depends on {names}; substitute constants before compiling")


def _usable(spec: BufferSpec) -> tuple[int, np.dtype | None]:
    """Size and dtype of arrays that a device uses as they are; no dtype where it holds elements otherwise than NumPy."""
    dtype = to_numpy(spec.dtype)
    return spec.size, dtype if stored_dtype(spec.dtype) == dtype else None


@dataclass(frozen=True, slots=True)
class _Layout:
    """The buffers of a schedule, by number, as a run makes them.

    Attributes:
        inputs: with their slots.
        outputs: with their elements and dtypes.
        temporaries: those that share memory together, with its bytes.
        empty: those without elements.
    """

    inputs: list[tuple[int, int]]
    outputs: list[tuple[int, int, np.dtype]]
    temporaries: list[tuple[list[int], int]]
    empty: list[int]

    @staticmethod
    def of(specs: Sequence[BufferSpec]) -> _Layout:
        layout = _Layout([], [], [], [])
        shared: dict[int, list[int]] = {}
        for number, spec in enumerate(specs):
            if spec.size == 0:
                layout.empty.append(number)
            elif spec.role is Role.INPUT:
                layout.inputs.append((number, spec.slot))
            elif spec.role is Role.OUTPUT:
                layout.outputs.append((number, spec.size, stored_dtype(spec.dtype)))
            else:
                shared.setdefault(spec.arena if spec.arena >= 0 else ~number, []).append(number)
        for numbers in shared.values():
            size = max(specs[number].size * specs[number].dtype.itemsize for number in numbers)
            layout.temporaries.append((numbers, size))
        return layout

    def place(self, run: Run, inputs: Sequence[np.ndarray]) -> dict[int, Buffer]:
        """A device's buffer for each buffer of the schedule."""
        placed = {number: run.input(inputs[slot]) for number, slot in self.inputs}
        for number, size, dtype in self.outputs:
            placed[number] = run.output(number, size, dtype)
        for numbers, size in self.temporaries:
            placed.update(dict.fromkeys(numbers, run.temporary(size)))
        for number in self.empty:
            placed[number] = run.nothing()
        return placed
