"""Kernels that OpenCL can launch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from eqsat.runtime.device import DirectCalls, Sizes, Values
from eqsat.runtime.opencl import guard
from eqsat.runtime.opencl.context import DeviceContext
from eqsat.runtime.opencl.direct import direct_calls
from eqsat.runtime.opencl.program import Program, partition
from eqsat.runtime.opencl.run import Launch, memory_of
from eqsat.runtime.processes import interrupts_wait

if TYPE_CHECKING:
    import pyopencl as cl

    from eqsat.codegen import RenderedKernel
    from eqsat.runtime.layout import Layout


class CompiledKernels:
    """Compiled kernels of one device, in as few OpenCL programs as their names allow. Implements `Compiled`."""

    def __init__(
        self, device: DeviceContext, kernels: Sequence[RenderedKernel], layout: Layout, *, save: bool
    ) -> None:
        """Compile; see `Device.compile`."""
        self._device = device
        self._kernels = kernels
        self._layout = layout
        self._save = save
        self._ran = False
        self._programs: list[Program] = []
        self._program_of: dict[int, Program] = {}
        launches: dict[int, Launch] = {}
        for members in partition(kernels):
            group = [kernels[member] for member in members]
            if guard.is_on():
                guard.require_harmless(device, group)
            program = Program(device, group)
            self._programs.append(program)
            self._program_of.update(dict.fromkeys(members, program))
            for member, kernel in zip(members, group, strict=True):
                parameters = list(enumerate(layout.parameters[member]))
                launches[member] = Launch(
                    program.kernel(kernel.name), kernel.global_size, kernel.local_size, parameters
                )
        self._memory = memory_of(device)(device, [launches[number] for number in range(len(kernels))], layout)

    def run(
        self, inputs: Sequence[np.ndarray], doing: str, values: Values = (), sizes: Sizes | None = None
    ) -> list[np.ndarray]:
        """See `Compiled.run`."""
        return (self._memory.run if self._ran else self._first_run)(inputs, doing, values, sizes)

    def times(
        self, inputs: Sequence[np.ndarray], doing: str, values: Values = (), sizes: Sizes | None = None
    ) -> list[float]:
        """See `Compiled.times`."""
        events: list[cl.Event] = []
        (self._memory.run if self._ran else self._first_run)(inputs, doing, values, sizes, events)
        return [(event.profile.end - event.profile.start) * 1e-9 for event in events]

    def direct(self) -> DirectCalls | None:
        """Calls that bypass the queue; None before the first run, or if this device has none. See `direct_calls`."""
        if not self._ran:
            return None
        programs = [self._program_of[number] for number in range(len(self._kernels))]
        return direct_calls(self._device, self._kernels, programs, self._layout)

    def binaries(self) -> list[bytes]:
        """See `Compiled.binaries`. After a first run, binaries also hold what drivers compile at a launch."""
        return [self._program_of[number].binary for number in sorted(self._program_of)]

    def _first_run(
        self,
        inputs: Sequence[np.ndarray],
        doing: str,
        values: Values,
        sizes: Sizes | None,
        events: list[cl.Event] | None = None,
    ) -> list[np.ndarray]:
        """The first run. PoCL compiles once more in it and starts a linker, which a Ctrl-C would kill."""
        self._device.require_compiler("a first run")
        with interrupts_wait():
            results = self._memory.run(inputs, doing, values, sizes, events)
        self._ran = True
        if self._save:
            for program in self._programs:
                program.save()
        return results
