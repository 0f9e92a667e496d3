"""What eqsat asks of a device: facts for the cost model, a compiler, memory, launches and a clock.

Whatever has these members runs programs, given as `Plan(device=...)`: `runtime.opencl` is one implementation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

import numpy as np

from eqsat.forks import Threads
from eqsat.machine import Machine

if TYPE_CHECKING:
    from eqsat.codegen import Dialect, RenderedKernel
    from eqsat.runtime.layout import Layout

Kind = Literal["gpu", "cpu", "simulator"]
# Runs a program on arrays like those that it was made for; None where something about them is otherwise, and the usual way has to be taken.
# Some have a method `among(constants, single)`, which makes one that takes constants among the arrays: for each argument it has the very object
# that is to be given, in a tuple, or None for the next array. With `single`, calls return their only result, not in a tuple.
Direct = Callable[[Sequence[np.ndarray]], tuple[np.ndarray, ...] | None]
Values = Sequence[Sequence[np.integer[Any]]]  # of variables, by kernel


class Sizes(NamedTuple):
    """The sizes of one run, where they depend on variables.

    Attributes:
        layout: the arrays, of which inputs, numbers and parameters are those of every run.
        launches: for each kernel its work-items per dimension; one of them is 0 where there is nothing to do.
    """

    layout: Layout
    launches: tuple[tuple[int, ...], ...]


class Signature(NamedTuple):
    """What calls of a program look like.

    Attributes:
        arrays: that it was called on; further calls are on arrays of the same shapes and dtypes.
        captured: further arrays, the same in all calls.
        positions: for each input of the layout, the position of its array among both.
        shapes: of the results.
        fit: whether whoever calls makes sure of the shapes.
    """

    arrays: Sequence[np.ndarray]
    captured: Sequence[np.ndarray]
    positions: Sequence[int]
    shapes: Sequence[tuple[int, ...]]
    fit: bool = False


class DirectCalls(Protocol):
    """Quicker ways to run a program."""

    def on(self, signature: Signature, values: Values = (), sizes: Sizes | None = None) -> Direct | None:
        """The way for calls like these, with the variables of kernels and sizes as `Compiled.run` is given them; None where there is none."""
        ...


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

    def suited(self, seconds: Sequence[float]) -> Device:
        """The device that is quickest for kernels, of which each has so much work here: this one, or a part of it that starts them sooner."""
        ...

    def compile(self, kernels: Sequence[RenderedKernel], layout: Layout, *, save: bool) -> Compiled:
        """Kernels that can be launched, in the order given; each has work-items.

        Args:
            kernels: rendered in the device's dialect; several may have one name. Those with a binary are not compiled again.
            layout: the arrays that they work on, with the arguments of each.
            save: whether to keep what was compiled on disk.

        Raises:
            CompileError: the compiler rejected a kernel; the message holds its log and the source.
            DeviceError: the compiler lacks something that it needs, or the driver rejected a binary.
            MemoryExhaustedError: it lacks memory.
        """
        ...


class Compiled(Protocol):
    """Kernels that a device can launch on the arrays of their layout. Its methods are called by one thread at a time."""

    def run(
        self, inputs: Sequence[np.ndarray], doing: str, values: Values = (), sizes: Sizes | None = None
    ) -> list[np.ndarray]:
        """Launch each kernel when those before it are done, and wait: the outputs of the layout, 1-D, in memory of their own.

        On return, also by an error, the device is done with all memory of the run.

        Args:
            inputs: contiguous, of any shape, with the elements that the layout says; they are only read.
            doing: what errors say, as in "running softmax".
            values: for each kernel those of its variables; none at all where no kernel has any.
            sizes: of the outputs and launches, where they are not those of the layout and the kernels.

        Raises:
            MemoryExhaustedError: an array could not be had.
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
        """For each kernel the binary that it is in, from which a device of the same identity can make it again."""
        ...
