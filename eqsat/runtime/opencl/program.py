"""Builds rendered kernels into OpenCL programs, or loads these from a cache of binaries.

All kernels of a schedule go into one OpenCL program, because the driver reads its headers once per program (PoCL 3.0, ten small
kernels: 0.03 s in one program, 0.23 s in ten; with the whole headers 0.2 s and 2 s).
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING, cast

from eqsat.errors import CompileError, DeviceError
from eqsat.runtime.cache import BINARIES, DiskCache, digest
from eqsat.runtime.opencl.context import DeviceContext
from eqsat.runtime.opencl.declarations import LEAVE_OUT, with_declarations
from eqsat.runtime.opencl.failures import MEMORY_CODES, explain, explained
from eqsat.runtime.opencl.lazy import cl
from eqsat.runtime.processes import interrupts_wait

if TYPE_CHECKING:
    from eqsat.codegen import RenderedKernel

# Codegen writes OpenCL C 1.2, which PoCL compiles a tenth faster than 3.0. Warnings are no concern of users.
OPTIONS = ("-cl-std=CL1.2", "-w")
# Used on devices that have it: otherwise their float32 quotients and square roots are up to 2.5 and 3 units in the last place off.
CORRECT_DIVISION = "-cl-fp32-correctly-rounded-divide-sqrt"
# Oclgrind 21.10 executes some of what the optimizer makes of vectors wrongly, without a word: True became 255.
UNOPTIMIZED = "-cl-opt-disable"
HEAD = 128  # bytes of a binary that name the directory of PoCL's files for it
_MAKING = Lock()  # pyopencl writes Python for each kernel, and warns if two threads give theirs the same name
INSTALL_OTHER = (
    "this PoCL is older than the processor; install another driver (`pip install intel-opencl-rt`)"
)


class Program:
    """Kernels that are built together. `kernel` makes one that can be launched."""

    def __init__(
        self, device: DeviceContext, kernels: Sequence[RenderedKernel], cache: DiskCache = BINARIES
    ) -> None:
        """Load from `cache`, or compile.

        Args:
            device: to compile for.
            kernels: rendered kernels; those with different sources have different names.
            cache: the cache of binaries; `save` adds to it.

        Raises:
            CompileError: the compiler rejected the source; the message holds its log and the numbered source.
            DeviceError: the compiler lacks file descriptors, disk or a linker; or the driver rejected the binary of a kernel that has one.
            MemoryExhaustedError: the compiler lacks memory.
        """
        from eqsat.codegen.rendering.join import join

        device.require_compiler("compiling")
        self._device = device
        self._cache = cache
        self._names = [kernel.name for kernel in kernels]
        self.source = join(kernel.source for kernel in kernels)
        self._options = options_for(device)
        self._key = digest(device.identity, cl.VERSION_TEXT, *self._options, self.source)
        self._head = b""
        given = kernels[0].binary if kernels else None
        self._program = self._load() if given is None else self._from(given)
        self.from_cache = self._program is not None
        self._saved = self.from_cache
        if self._program is None:
            self._program = self._compile()

    def kernel(self, name: str) -> cl.Kernel:
        """A new launchable kernel, with arguments of its own."""
        assert self._program is not None
        with explained(f"looking up kernel {name}", self._device.name), _MAKING:
            return cl.Kernel(self._program, name)

    def save(self) -> None:
        """Put the binary into the cache, once. After a first run, it also holds what drivers compile at the first launch."""
        if self._saved or self._program is None or self._cache.directory is None:
            return
        self._saved = True
        self._cache.put(self._key, self.binary)

    @property
    def binary(self) -> bytes:
        """The binary, with all that the driver has compiled so far."""
        assert self._program is not None
        with explained("reading a binary", self._device.name), interrupts_wait():  # PoCL links once more
            binary = cast("list[bytes]", self._program.get_info(cl.program_info.BINARIES))[0]
        self._head = binary[:HEAD]
        return binary

    @property
    def head(self) -> bytes:
        """The first bytes of the binary. PoCL is asked only if they are unknown: for a binary it loads one more library for each kernel."""
        return self._head or self.binary[:HEAD]

    def _load(self) -> cl.Program | None:
        """The program from its cached binary; None if there is none that the driver accepts."""
        binary = self._cache.get(self._key)
        if binary is None:
            return None
        program = self._accepted(binary)
        if program is None:
            self._cache.drop(self._key)
        return program

    def _from(self, binary: bytes) -> cl.Program:
        """The program of a binary that came with its kernels."""
        program = self._accepted(binary)
        if program is None:
            raise DeviceError(
                f"{self._device.name} rejects the binary of {', '.join(dict.fromkeys(self._names))}; it was made by another driver, or "
                f"is damaged: compile the source again"
            )
        return program

    def _accepted(self, binary: bytes) -> cl.Program | None:
        """The program of a binary; None if the driver rejects it or kernels are missing."""
        try:
            program = _build(cl.Program(self._device.context, [self._device.handle], [binary]), self._options)
            present = str(program.get_info(cl.program_info.KERNEL_NAMES)).split(";")
        except cl.Error:
            return None
        if not set(self._names) <= set(present):
            return None
        self._head = binary[:HEAD]
        return program

    def _compile(self) -> cl.Program:
        try:
            return compile_source(self._device.context, self.source, self._options)
        except cl.Error as error:
            if error.code in MEMORY_CODES:
                raise explain(error.code, str(error), "compiling", self._device.name) from error
            raise CompileError(self._complaint(_log_of(error))) from error

    def _complaint(self, log: str) -> str:
        names = ", ".join(dict.fromkeys(self._names))
        advice = f"\n{INSTALL_OTHER}" if "unknown target CPU" in log else ""
        return f"{self._device.name} cannot compile {names}:\n{log}{advice}\n\nThe source:\n{_numbered(self.source)}"


def compile_source(context: cl.Context, source: str, options: Sequence[str]) -> cl.Program:
    """A program built from its source. PoCL reads only those declarations of built-in functions that the source needs.

    Raises:
        cl.Error: the driver rejected the source, or lacks something that it needs.
    """
    short = with_declarations(source) if "PoCL" in context.devices[0].platform.version else None
    if short is not None:
        with suppress(cl.Error):  # after an error the source is built as it is, so that the log is about that
            return _build(cl.Program(context, short), [*options, LEAVE_OUT])
    return _build(cl.Program(context, source), options)


def _build(program: cl.Program, options: Sequence[str]) -> cl.Program:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        _ = program.int_ptr  # makes a handle; pyopencl does not use its own cache for a program that has one
        with interrupts_wait():
            return program.build(options=list(options))


def options_for(device: DeviceContext) -> list[str]:
    """The compiler options for kernels on this device."""
    exact = device.handle.single_fp_config & cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT
    return [
        *OPTIONS,
        *([CORRECT_DIVISION] if exact else []),
        *([UNOPTIMIZED] if device.kind == "simulator" else []),
    ]


def partition(kernels: Sequence[RenderedKernel]) -> list[list[int]]:
    """Groups the numbers of kernels that can share a program. They have the same binary or none, and one source for each name."""
    groups: list[tuple[bytes | None, dict[str, str], list[int]]] = []
    for number, kernel in enumerate(kernels):
        for binary, sources, members in groups:
            if kernel.binary == binary and sources.setdefault(kernel.name, kernel.source) == kernel.source:
                members.append(number)
                break
        else:
            groups.append((kernel.binary, {kernel.name: kernel.source}, [number]))
    return [members for _, _, members in groups]


def _log_of(error: cl.Error) -> str:
    """The compiler's log, without the text that pyopencl puts around it."""
    text = str(error)
    match = re.search(r"Build on [^\n]*:\s*\n(.*?)(?:\n\(options: |\Z)", text, re.DOTALL)
    return (match[1] if match else text).strip()


def _numbered(source: str) -> str:
    return "\n".join(f"{number:4} | {line}" for number, line in enumerate(source.splitlines(), 1))
