"""Times kernels in a separate process. A kernel that crashes, hangs or is rejected is a failure there, and harms nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from eqsat.codegen import Argument, RenderedKernel
from eqsat.dtype import to_numpy, void
from eqsat.errors import DeviceError
from eqsat.ops import Op
from eqsat.runtime.devices import get_device
from eqsat.runtime.layout import Layout
from eqsat.runtime.storage import stored_dtype, to_stored
from eqsat.runtime.task import Failure, Task, packed
from eqsat.runtime.worker_process import Child
from eqsat.schedule.kernel import BufferSpec, Role
from eqsat.uop import UOp

if TYPE_CHECKING:
    from eqsat.runtime.device import Compiled, Device

STARTING = 60.0  # seconds that the process may take to find its device
HANGING = 60.0  # seconds after which a kernel that is built and run a few times counts as hanging
BUILT, ARRAYS = 64, 8  # how many compiled kernels and how many inputs the process caches
NOTHING = np.empty(0)  # stands for an argument that the kernel writes
NO_INSTRUCTIONS = UOp(Op.LINEAR, void)


class KernelTimer:
    """Times kernels of one device in another process. Use it in a `with` statement, which ends the process.

    The process starts at the first question, and again after a failure.
    """

    def __init__(self, device: Device) -> None:
        """`device` is the device that kernels are timed on.

        Raises:
            DeviceError: another process cannot find the device by its name.
        """
        if get_device(device.name) is not device:
            raise DeviceError(
                f"{device.name} cannot be found by its name in another process, where kernels are timed; compile without tuning"
            )
        self._place = device.name
        self._child = Child()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._child.close()

    def times(self, kernel: RenderedKernel, repeats: int) -> list[float] | Failure:
        """The seconds of `repeats` runs by the device's clock, or why there are none.

        Raises:
            DeviceError: the process cannot use the device at all.
        """
        found = self._ask(times_of, replace(kernel, linear=NO_INSTRUCTIONS), (repeats,), HANGING)
        if isinstance(found, Failure):
            usable = self._ask(find_device, None, (), STARTING)
            if isinstance(usable, Failure):
                raise DeviceError(f"the process that times kernels cannot use its device: {usable.message}")
        return found

    def _ask(self, function: Any, subject: Any, arguments: Sequence[Any], seconds: float) -> Any:
        sent = packed(subject)
        task = (
            sent if isinstance(sent, Failure) else Task.of(function, sent, (self._place, *arguments), seconds)
        )
        return task if isinstance(task, Failure) else self._child.run(task)


def find_device(_: None, name: str) -> str:
    """Runs in the worker process. Returns the name of the device on which kernels are timed."""
    return get_device(name).name


def times_of(kernel: RenderedKernel, name: str, repeats: int) -> list[float]:
    """Runs in the worker process. Returns the seconds of `repeats` runs. A new kernel is first run once untimed."""
    compiled = _built(kernel, name)
    return [_seconds(kernel, compiled) for _ in range(repeats)]


@lru_cache(BUILT)
def _built(kernel: RenderedKernel, name: str) -> Compiled:
    arguments = kernel.arguments
    roles = [Role.OUTPUT if argument.written else Role.INPUT for argument in arguments]
    specs = [
        BufferSpec(argument.dtype, argument.size, role, slot)
        for slot, (argument, role) in enumerate(zip(arguments, roles, strict=True))
    ]
    layout = Layout.of(specs, [range(len(specs))])
    compiled = get_device(name).compile([kernel], layout, save=False)
    _seconds(kernel, compiled)  # the first launch compiles and touches pages
    return compiled


def _seconds(kernel: RenderedKernel, compiled: Compiled) -> float:
    given = [NOTHING if argument.written else _data(argument) for argument in kernel.arguments]
    greatest = [to_numpy(variable.dtype).type(variable.greatest) for variable in kernel.variables]
    return compiled.times(given, f"timing {kernel.name}", [greatest])[0]


@lru_cache(ARRAYS)
def _data(argument: Argument) -> np.ndarray:
    """Elements for an argument that a kernel reads.

    Floats are from 0.5 to 1.5, where every function is in its usual range. Bools are random. Integers are 0, which is in bounds whatever
    they index.
    """
    random = np.random.default_rng(argument.slot)
    dtype = argument.dtype
    if dtype.is_float:
        return to_stored(random.uniform(0.5, 1.5, argument.size).astype(np.float32), dtype).astype(
            stored_dtype(dtype)
        )
    most = 2 if dtype.is_bool else 1
    return random.integers(0, most, argument.size).astype(stored_dtype(dtype))
