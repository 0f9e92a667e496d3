"""What eqsat asks of a device: facts for the cost model, a compiler, memory, launches and a clock.

Whatever has these members runs programs, given as `Plan(device=...)`: `runtime.opencl` is one implementation. A run goes
compile → run → input, output, temporary → launch → finish → take_result.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from eqsat.forks import Threads
from eqsat.machine import Machine

if TYPE_CHECKING:
    from eqsat.codegen import Dialect, RenderedKernel

Kind = Literal["gpu", "cpu", "simulator"]
Buffer = Any  # memory, in whatever form the device knows it

DRIVERS = Threads("devices")  # drivers work with threads, which a fork does not copy


class Device(Protocol):
    """Where kernels run."""

    @property
    def name(self) -> str:
        """What people call it, and what `EQSAT_DEVICE` may give."""
        ...

    @property
    def kind(self) -> Kind:
        """A simulator interprets kernels to find faults in them, thousands of times slower than a processor."""
        ...

    @property
    def identity(self) -> str:
        """Everything about device and driver that a plan or a compiled binary depends on."""
        ...

    @property
    def described(self) -> Machine:
        """The machine, as far as it is known without measuring; `machine_of` has it as it was calibrated."""
        ...

    @property
    def dialect(self) -> Dialect:
        """The language of kernels that its compiler reads."""
        ...

    def require_use(self) -> None:
        """Check that this process may use the device.

        Raises:
            ForkError: it was forked off another one that did.
        """
        ...

    def suited(self, seconds: float) -> Device:
        """The device that is quickest for kernels whose work takes `seconds` here: this one, or a part of it that starts sooner."""
        ...

    def compile(self, kernels: Sequence[RenderedKernel], *, save: bool) -> Compiled:
        """Kernels that can be launched, in the order given; each has work-items.

        Args:
            kernels: rendered in the device's dialect; several may have one name.
            save: whether to keep what was compiled on disk.

        Raises:
            CompileError: the compiler rejected a kernel; the message holds its log and the source.
            DeviceError: the compiler lacks something that it needs.
            MemoryExhaustedError: it lacks memory.
        """
        ...


class Compiled(Protocol):
    """Kernels that a device can launch."""

    def run(self, doing: str, *, timed: bool = False) -> AbstractContextManager[Run]:
        """A run: when the block is left, also by an error, the device is done with all memory of the run.

        Args:
            doing: what errors say, as in "running softmax".
            timed: whether `Run.seconds` is wanted.

        Raises:
            MemoryExhaustedError: a buffer could not be had.
            DeviceError: the device was lost; nothing of the run is returned.
            ExecutionError: the device refused a launch.
        """
        ...


class Run(Protocol):
    """The memory and the launches of one run. Nothing it made is used after its block, but for the results."""

    def input(self, array: np.ndarray) -> Buffer:
        """A buffer that holds `array`, contiguous, of any shape and with elements; kernels only read it."""
        ...

    def output(self, number: int, size: int, dtype: np.dtype) -> Buffer:
        """A buffer for `size` elements of the output of this number."""
        ...

    def temporary(self, size: int) -> Buffer:
        """A buffer of `size` bytes with arbitrary content."""
        ...

    def nothing(self) -> Buffer:
        """What a kernel is given for an array without elements."""
        ...

    def launch(self, number: int, buffers: Sequence[Buffer]) -> None:
        """Start the kernel of this number when those before it are done; a buffer for each of its parameters."""
        ...

    def finish(self) -> None:
        """Wait for the launches, and bring the outputs to the host."""
        ...

    def take_result(self, number: int) -> np.ndarray:
        """The output of this number, 1-D, after `finish`; a copy when it was taken before."""
        ...

    def seconds(self) -> list[float]:
        """What each launch of a timed run took by the device's clock, after `finish`."""
        ...
