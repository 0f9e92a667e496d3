"""The protocol of a device: facts for the cost model, a compiler, memory, launches and a clock.

Any object with these members can run programs when it is given as `Plan(device=...)`. `runtime.opencl` is one implementation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

import numpy as np

from eqsat.machine import Machine
from eqsat.support.forks import Threads

if TYPE_CHECKING:
    from eqsat.codegen import Dialect, RenderedKernel
    from eqsat.runtime.layout import Layout

Kind = Literal["gpu", "cpu", "simulator"]
# Runs a program on arrays like those that it was made for. Returns None for arrays of other shapes or dtypes; the caller then enqueues the kernels.
# Some have a method `among(constants, single)`, which makes a Direct that takes constants among its arguments. For each argument, `constants` has
# a tuple with the very object that must be given, or None for the next array. With `single`, calls return their only result without a tuple.
Direct = Callable[[Sequence[np.ndarray]], tuple[np.ndarray, ...] | None]
Values = Sequence[Sequence[np.integer[Any]]]  # for each kernel, the values of its variables


class Sizes(NamedTuple):
    """The sizes of one run, if they depend on variables.

    Attributes:
        layout: the arrays; their numbers, the inputs and the parameters are the same in every run.
        launches: for each kernel, its work-items per dimension; one of them is 0 if the kernel has nothing to do.
    """

    layout: Layout
    launches: tuple[tuple[int, ...], ...]


class Signature(NamedTuple):
    """The form that calls of a program have.

    Attributes:
        arrays: the arrays of one call; those of further calls have the same shapes and dtypes.
        captured: further arrays, the same in all calls.
        positions: for each input of the layout, the position of its array in `arrays` followed by `captured`.
        shapes: the shapes of the results.
        fit: whether the caller guarantees that the shapes fit.
    """

    arrays: Sequence[np.ndarray]
    captured: Sequence[np.ndarray]
    positions: Sequence[int]
    shapes: Sequence[tuple[int, ...]]
    fit: bool = False


class DirectCalls(Protocol):
    """Faster ways to run a program."""

    def on(self, signature: Signature, values: Values = (), sizes: Sizes | None = None) -> Direct | None:
        """The fast way for calls of this signature; None if there is none. `values` and `sizes` are as in `Compiled.run`."""
        ...


DRIVERS = Threads("devices")  # drivers use threads, which a fork does not copy


class Device(Protocol):
    """A device that runs kernels."""

    @property
    def name(self) -> str:
        """The name for people, which `EQSAT_DEVICE` accepts."""
        ...

    @property
    def kind(self) -> Kind:
        """The kind of device. A simulator interprets kernels to find faults in them, thousands of times slower than a processor."""
        ...

    @property
    def identity(self) -> str:
        """A text with everything about device and driver that a plan or a compiled binary depends on."""
        ...

    @property
    def described(self) -> Machine:
        """The machine, as far as it is known without measuring. `machine_of` gives the calibrated one."""
        ...

    @property
    def dialect(self) -> Dialect:
        """The kernel language that the device's compiler reads."""
        ...

    def require_use(self) -> None:
        """Check that this process may use the device.

        Raises:
            ForkError: it was forked off another process that used it.
        """
        ...

    def suited(self, seconds: Sequence[float]) -> Device:
        """The fastest device for kernels that take so many `seconds` each on this one: this device, or a part of it that starts kernels sooner."""
        ...

    def compile(self, kernels: Sequence[RenderedKernel], layout: Layout, *, save: bool) -> Compiled:
        """Compiles kernels, to be launched in the order given. Each of them has work-items.

        Args:
            kernels: rendered in the device's dialect; several may have one name. Kernels with a binary are not compiled again.
            layout: the arrays that the kernels work on, with the arguments of each kernel.
            save: whether to store the binaries on disk.

        Raises:
            CompileError: the compiler rejected a kernel; the message holds its log and the source.
            DeviceError: the compiler lacks something that it needs, or the driver rejected a binary.
            MemoryExhaustedError: the compiler lacks memory.
        """
        ...


class Compiled(Protocol):
    """Kernels that a device can launch on the arrays of their layout. Its methods are called by one thread at a time."""

    def run(
        self, inputs: Sequence[np.ndarray], doing: str, values: Values = (), sizes: Sizes | None = None
    ) -> list[np.ndarray]:
        """Launches the kernels one after another and waits for the last. Returns the outputs of the layout, 1-D, in new memory.

        On return, also by an error, the device no longer uses any memory of the run.

        Args:
            inputs: contiguous arrays of any shape, with the elements that the layout states; they are only read.
            doing: what errors say, as in "running softmax".
            values: for each kernel, the values of its variables; empty if no kernel has variables.
            sizes: the sizes of arrays and launches, if they are not those of the layout and the kernels.

        Raises:
            MemoryExhaustedError: an array could not be allocated.
            DeviceError: the device was lost; nothing of the run is returned.
            ExecutionError: the device refused a launch.
        """
        ...

    def times(
        self, inputs: Sequence[np.ndarray], doing: str, values: Values = (), sizes: Sizes | None = None
    ) -> list[float]:
        """The seconds that each launch of a run takes by the device's clock; arguments and errors are those of `run`."""
        ...

    def binaries(self) -> list[bytes]:
        """For each kernel, the binary that contains it. A device of the same identity can load it from there."""
        ...
