"""A schedule that can be called: arrays in, kernels launched in order, arrays out."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from eqsat.dtype import DType, to_numpy
from eqsat.errors import ExecutionError
from eqsat.extents import Extent, capacity
from eqsat.integers.values import value_of
from eqsat.runtime.device import Device, Direct, DirectCalls, Signature, Sizes, Values
from eqsat.runtime.layout import Layout
from eqsat.runtime.record import record
from eqsat.runtime.storage import from_stored, stored_dtype, to_stored
from eqsat.schedule.kernel import BufferSpec, Role, Schedule

if TYPE_CHECKING:
    from eqsat.codegen import RenderedKernel

USABLE = 0x101  # NumPy's flags of an array that is C-contiguous and aligned
NONE: Mapping[str, int] = MappingProxyType({})
KNOWN_VALUES = 1 << 10  # combinations of variable values whose `_Prepared` is cached
CALLS_BEFORE_DIRECT = 8  # making direct calls takes a millisecond, and once on each machine a compiler run
PROFILE_REPEATS = 5  # runs per profile; the median of each kernel is reported


class _Prepared(NamedTuple):
    """What depends on the values of variables in a run: the elements of each input, the values for each kernel, and the sizes."""

    elements: Sequence[int]
    values: Values
    sizes: Sizes | None


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
            save: store the binary on disk after the first run, which candidates that are only timed do not need.

        Raises:
            CompileError: the compiler rejected a kernel.
            DeviceError: the compiler lacks file descriptors, disk or a linker.
            ExecutionError: there are more or fewer rendered kernels than kernels in the schedule.
            MemoryExhaustedError: the compiler lacks memory.
        """
        _require_complete(schedule, rendered)
        record(rendered)
        names = dict.fromkeys(kernel.name for kernel in schedule.kernels)
        self._name = ", ".join(names) or "a program without kernels"
        self._running = f"running {self._name}"
        self.device = device
        self.schedule = schedule
        self._usable = [_usable(schedule.buffers[number].dtype) for number in schedule.inputs]
        self._lock = threading.Lock()
        # The numbers of the kernels that have work-items: only these are compiled and launched.
        self._launched = [number for number, kernel in enumerate(rendered) if 0 not in kernel.global_size]
        needed = [rendered[number] for number in self._launched]
        parameters = [
            [schedule.kernels[number].buffers[argument.slot] for argument in kernel.arguments]
            for number, kernel in zip(self._launched, needed, strict=True)
        ]
        self._layout = Layout.of(schedule.buffers, parameters)
        # For each launched kernel, its variables, and the values of those that the schedule fixes.
        self._variables = [kernel.variables for kernel in needed]
        self._values = [dict(schedule.kernels[number].values) for number in self._launched]
        self._is_plain = _is_plain(schedule, self._layout)
        self._kernels = needed
        self._calls = 0
        self._calls_before_direct = CALLS_BEFORE_DIRECT
        self._direct: DirectCalls | None = None
        self._prepared = lru_cache(KNOWN_VALUES)(self._prepare)
        self._compiled = device.compile(needed, self._layout, save=save)

    def __call__(self, *arrays: np.ndarray, values: Mapping[str, int] = NONE) -> list[np.ndarray]:
        """Run on `arrays`, given in the order of the schedule's inputs. Returns 1-D results in the order of its outputs.

        `values` has the value of each variable of the kernels by name, each within its bounds.

        Raises:
            ExecutionError: the number of arrays, or the size or dtype of one, is not what was compiled.
            MemoryExhaustedError: there is no memory for a buffer.
            DeviceError: the device was lost.
        """
        self.device.require_use()
        prepared = self._prepared(tuple(values.items()))
        inputs = self._checked(arrays, prepared.elements)
        with self._lock:
            made = self._compiled.run(inputs, self._running, prepared.values, prepared.sizes)
        self._calls += 1
        return made if self._is_plain else self._arranged(made, inputs)

    def profile(
        self, *arrays: np.ndarray, repeats: int = PROFILE_REPEATS, values: Mapping[str, int] = NONE
    ) -> tuple[float, ...]:
        """Seconds that each kernel takes on the device, by the device's clock: medians of `repeats` runs, 0 for a kernel without work.

        Raises:
            ExecutionError: as for a call.
        """
        return tuple(np.median(self.times(*arrays, repeats=repeats, values=values), axis=0).tolist())

    def times(
        self, *arrays: np.ndarray, repeats: int = PROFILE_REPEATS, values: Mapping[str, int] = NONE
    ) -> np.ndarray:
        """Seconds that each kernel (column) takes in each of `repeats` runs (row), as `profile` measures them.

        Raises:
            ExecutionError: as for a call.
        """
        self.device.require_use()
        _, given, sizes = prepared = self._prepared(tuple(values.items()))
        inputs = self._checked(arrays, prepared.elements)
        times = np.zeros((repeats, len(self.schedule.kernels)))
        doing = f"profiling {self._name}"
        launched = self._launched
        if sizes is not None:
            launched = [
                number for number, size in zip(launched, sizes.launches, strict=True) if 0 not in size
            ]
        with self._lock:
            self._compiled.times(inputs, doing, given, sizes)  # the first launch compiles and touches pages
            for row in times:
                row[launched] = self._compiled.times(inputs, doing, given, sizes)
        return times

    @property
    def is_called_often(self) -> bool:
        """Whether there were enough calls to ask for `direct`. After a failed attempt, twice as many calls are needed."""
        return self._calls >= self._calls_before_direct

    @property
    def has_direct(self) -> bool:
        """Whether there is a direct way to run, and it was found to compute the same as the usual one."""
        return self._direct is not None

    def direct(self, signature: Signature, values: Mapping[str, int] = NONE) -> Direct | None:
        """A faster way to run on arrays of this signature, with these values of variables.

        None if the device has no such way, or if its first results differ from those of the usual way.
        """
        every = [*signature.arrays, *signature.captured]
        given = [every[position] for position in signature.positions]
        if any(array.dtype != dtype for array, dtype in zip(given, self._usable, strict=True)):
            return None
        prepared = self._prepared(tuple(values.items()))
        with self._lock:
            calls = self._direct or self._new_direct()
            found = None if calls is None else calls.on(signature, prepared.values, prepared.sizes)
        if calls is None or found is None or calls is self._direct:
            return found
        usual, direct = self(*given, values=values), found(signature.arrays)
        if direct is None or any(
            one.tobytes() != other.tobytes() for one, other in zip(usual, direct, strict=True)
        ):
            return None
        self._direct, self._calls_before_direct = calls, 0
        return found

    def _new_direct(self) -> DirectCalls | None:
        """The device's direct ways to run, not yet compared with the usual one; None if it has none."""
        self._calls_before_direct = 2 * self._calls
        make = getattr(self._compiled, "direct", None)
        return make() if make is not None and self._is_plain else None

    @property
    def binaries(self) -> list[bytes | None]:
        """For each kernel of the schedule, the binary that contains it; None for a kernel without work-items, which is not compiled."""
        found: list[bytes | None] = [None] * len(self.schedule.kernels)
        with self._lock:
            for number, binary in zip(self._launched, self._compiled.binaries(), strict=True):
                found[number] = binary
        return found

    def _prepare(self, given: tuple[tuple[str, int], ...]) -> _Prepared:
        """Returns the data of runs with these values of the variables."""
        values, specs = dict(given), self.schedule.buffers
        sizes = [specs[number].size for number in self.schedule.inputs]
        elements = [size.at(values) if isinstance(size, Extent) else size for size in sizes]
        numbers: Values = ()
        if any(self._variables):
            numbers = [
                [
                    to_numpy(each.dtype).type(known[each.name] if each.name in known else values[each.name])
                    for each in variables
                ]
                for variables, known in zip(self._variables, self._values, strict=True)
            ]
        return _Prepared(elements, numbers, _sizes_of(self._layout, specs, self._kernels, values))

    def _arranged(self, made: Sequence[np.ndarray], inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The results of a call, from the outputs that a device made. An input that is passed through, or an output returned twice, is copied."""
        numbers = [number for number, _, _ in self._layout.outputs]
        outputs = dict(zip(numbers, made, strict=True))
        results: list[np.ndarray] = []
        for position, number in enumerate(self.schedule.outputs):
            spec = self.schedule.buffers[number]
            if spec.role is Role.INPUT:
                result = inputs[spec.slot].reshape(-1).copy()
            elif capacity(spec.size) == 0:
                result = np.empty(0, stored_dtype(spec.dtype))
            else:
                taken = number in self.schedule.outputs[:position]
                result = outputs[number].copy() if taken else outputs[number]
            results.append(from_stored(result, spec.dtype))
        return results

    def _checked(self, arrays: Sequence[np.ndarray], elements: Sequence[int]) -> list[np.ndarray]:
        """The arrays in a form that a device can use: contiguous, aligned, in the machine's byte order, with these numbers of elements."""
        if len(arrays) != len(elements):
            raise ExecutionError(
                f"{self._name} takes {len(elements)} arrays and was given {len(arrays)}; pass one per input"
            )
        checked = list(arrays)
        for position, (array, size, dtype) in enumerate(zip(arrays, elements, self._usable, strict=True)):
            if (
                type(array) is not np.ndarray
                or array.dtype is not dtype
                or array.size != size
                or array.flags.num & USABLE != USABLE
            ):
                checked[position] = self._converted(position, array, size)
        return checked

    def _converted(self, position: int, array: np.ndarray, size: int) -> np.ndarray:
        """An array in a form that a device can use, if it has the required number of elements and dtype; else an ExecutionError."""
        dtype = self.schedule.buffers[self.schedule.inputs[position]].dtype
        array = np.asarray(array)
        if array.size != size:
            raise ExecutionError(
                f"argument {position} of {self._name} has shape {array.shape}, {array.size} elements, "
                f"and needs {size}; compile again for other shapes"
            )
        require_dtype(f"argument {position} of {self._name}", array, dtype)
        return to_stored(np.require(array, to_numpy(dtype), ("C", "A")), dtype)


def require_dtype(argument: str, array: np.ndarray, dtype: DType) -> None:
    """Check that an array, which messages call `argument`, has the dtype in which programs take `dtype`. A bfloat16 array is taken, too.

    Raises:
        ExecutionError: it has not.
    """
    wanted = to_numpy(dtype)
    if array.dtype.name not in (wanted.name, dtype.name):
        raise ExecutionError(
            f"{argument} is {array.dtype} and must be {wanted}; convert it with .astype({str(wanted)!r})"
        )


def _is_plain(schedule: Schedule, layout: Layout) -> bool:
    """Whether the results are exactly the arrays that the device makes, in their order and form."""
    made = tuple(number for number, _, _ in layout.outputs)
    return schedule.outputs == made and all(
        _usable(schedule.buffers[number].dtype) is not None for number in made
    )


def _require_complete(schedule: Schedule, rendered: Sequence[RenderedKernel]) -> None:
    if len(rendered) != len(schedule.kernels):
        count = len(schedule.kernels)
        raise ExecutionError(
            f"{len(rendered)} rendered kernels for a schedule of {count}; render each one once"
        )


def _sizes_of(
    layout: Layout, specs: Sequence[BufferSpec], kernels: Sequence[RenderedKernel], values: Mapping[str, int]
) -> Sizes | None:
    """The sizes of a run for given values of its variables; None if they are always the same."""
    is_sized = any(isinstance(spec.size, Extent) or spec.capacity is not None for spec in specs)
    if not is_sized and not any(kernel.sizes for kernel in kernels):
        return None
    launches = tuple(
        tuple(value_of(size, values) for size in kernel.sizes) if kernel.sizes else kernel.global_size
        for kernel in kernels
    )
    return Sizes(layout.at(specs, values), launches)


def _usable(dtype: DType) -> np.dtype | None:
    """The dtype of arrays that a device uses as they are; None if it stores such elements otherwise than NumPy."""
    of_numpy = to_numpy(dtype)
    return of_numpy if stored_dtype(dtype) == of_numpy else None
