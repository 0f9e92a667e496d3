"""Kernels that OpenCL can launch, and their runs."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from eqsat.runtime.opencl import guard
from eqsat.runtime.opencl.context import DeviceContext
from eqsat.runtime.opencl.program import Program, partition
from eqsat.runtime.opencl.run import Launch, OpenCLRun, memory_of
from eqsat.runtime.processes import interrupts_wait

if TYPE_CHECKING:
    from eqsat.codegen import RenderedKernel


class CompiledKernels:
    """Kernels of one device, in as few programs as their names allow; a `Compiled`."""

    def __init__(self, device: DeviceContext, kernels: Sequence[RenderedKernel], *, save: bool) -> None:
        """Compile; see `Device.compile`."""
        self._device = device
        self._save = save
        self._ran = False
        self._programs: list[Program] = []
        launches: dict[int, Launch] = {}
        for members in partition(kernels):
            group = [kernels[member] for member in members]
            if guard.is_on():
                guard.require_harmless(device, group)
            program = Program(device, group)
            self._programs.append(program)
            for member, kernel in zip(members, group, strict=True):
                launches[member] = Launch(program.kernel(kernel.name), kernel.global_size, kernel.local_size)
        self._launches = [launches[number] for number in range(len(kernels))]
        self._memory = memory_of(device)

    def run(self, doing: str, *, timed: bool = False) -> AbstractContextManager[OpenCLRun]:
        """See `Compiled.run`."""
        return self._begun(doing, timed) if self._ran else self._first_run(doing, timed)

    def _begun(self, doing: str, timed: bool) -> OpenCLRun:
        return self._memory(self._device, self._launches, doing, timed)

    @contextmanager
    def _first_run(self, doing: str, timed: bool) -> Generator[OpenCLRun]:
        """A run in which PoCL compiles once more and starts a linker, which a Ctrl-C would end."""
        self._device.require_compiler("compiling")
        with interrupts_wait(), self._begun(doing, timed) as run:
            yield run
        self._ran = True
        if self._save:
            for program in self._programs:
                program.save()
