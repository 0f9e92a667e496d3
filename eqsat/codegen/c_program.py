"""A program as one file of C11: its kernels, and a function that runs them in order on memory that the caller provides."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from eqsat.codegen import RenderedKernel, Variable
from eqsat.codegen.dialects import C
from eqsat.codegen.rendering.join import join
from eqsat.dtype import DType, index
from eqsat.extents import Bounds, Extent, capacity
from eqsat.schedule.kernel import BufferSpec, Role, Schedule

ENTRY = "run"


@dataclass(frozen=True, slots=True)
class CParameter:
    """A parameter of the entry function: a pointer to an array that overlaps no other, or the value of a variable.

    Attributes:
        name: the name in the file: `in0` is argument 0 of the program, `out0` is its result 0. `variable0` is the first of its variables and dims,
            sorted by name. A `temporary0` is scratch memory: its content after the call has no meaning.
        dtype: the dtype of the elements: a bool is stored as a byte, a float16 or bfloat16 as its bits. None for a temporary.
        size: the number of elements, or of bytes for a temporary; an extent if it depends on dims.
        bounds: the least and the greatest value of a variable; None for a pointer.
        variable: the name of the variable in the program.
    """

    name: str
    dtype: DType | None
    size: int
    bounds: Bounds | None = None
    variable: str = ""

    @property
    def declaration(self) -> str:
        """The parameter as C declares it."""
        if self.dtype is None:
            return f"void *{self.name}"
        if self.bounds:
            return f"{C.value_type(self.dtype)} {self.name}"
        return f"{'const ' if self.name.startswith('in') else ''}{C.storage_type(self.dtype)} *{self.name}"

    def __str__(self) -> str:
        if self.bounds:
            return f"{self.name}: {self.variable}, {self.dtype} in {self.bounds[0]}..{self.bounds[1]}"
        return f"{self.name}: {f'{self.size} bytes' if self.dtype is None else f'{self.dtype}[{self.size}]'}"


@dataclass(frozen=True, slots=True)
class CProgram:
    """The text of a C file, and the parameters of its function `run` in order."""

    source: str
    parameters: tuple[CParameter, ...]


def c_program(schedule: Schedule, kernels: Sequence[RenderedKernel], arguments: Sequence[int]) -> CProgram:
    """The C file of a schedule.

    `kernels` are the kernels of the schedule, rendered in C; different kernels have different names. `arguments` are the numbers of the
    program's arguments that the schedule takes, one for each of its inputs.
    """
    variables = _variables(schedule, kernels)
    named = {each.name: f"variable{number}" for number, each in enumerate(variables)}
    names: dict[int, str] = {}
    parameters: dict[str, CParameter] = {}
    for number, argument in zip(schedule.inputs, arguments, strict=True):
        spec = schedule.buffers[number]
        names[number] = f"in{argument}"
        parameters[names[number]] = CParameter(names[number], spec.dtype, spec.size)
    copies: list[str] = []
    for result, number in enumerate(schedule.outputs):
        spec, name = schedule.buffers[number], f"out{result}"
        parameters[name] = CParameter(name, spec.dtype, spec.size)
        if number in names:  # the result is also an argument or an earlier result: copy it
            size = _in_c(spec.size * spec.dtype.itemsize, named)
            copies.append(f"    memcpy({name}, {names[number]}, {size});")
        names.setdefault(number, name)
    for number, name, size in _temporaries(schedule.buffers):
        names[number] = name
        parameters[name] = CParameter(
            name, None, max(size, capacity(parameters[name].size) if name in parameters else 0)
        )
    for each in variables:
        name = named[each.name]
        parameters[name] = CParameter(name, each.dtype, 1, (each.least, each.greatest), each.name)
    declared = ", ".join(parameter.declaration for parameter in parameters.values())
    entry = "\n".join(
        [
            "// Runs the program once, on memory of the caller that does not overlap and is aligned as malloc does:",
            *(f"//   {parameter}" for parameter in parameters.values()),
            f"void {ENTRY}({declared or 'void'}) {{",
            *_calls(schedule, kernels, names, named),
            *copies,
            "}",
        ]
    )
    sources = [kernel.source for kernel in kernels] or [C.whole("")]
    return CProgram(join([*sources, C.defined(entry)]), tuple(parameters.values()))


def _calls(
    schedule: Schedule, kernels: Sequence[RenderedKernel], names: Mapping[int, str], named: Mapping[str, str]
) -> Iterator[str]:
    """The calls of the kernels in order; `names` has the parameter of each buffer, and `named` that of each variable."""
    for planned, kernel in zip(schedule.kernels, kernels, strict=True):
        taken = [names[planned.buffers[argument.slot]] for argument in kernel.arguments]
        known = dict(planned.values)
        taken += [
            str(known[each.name]) if each.name in known else named[each.name] for each in kernel.variables
        ]
        yield f"    {kernel.name}({', '.join(taken)});"


def _variables(schedule: Schedule, kernels: Sequence[RenderedKernel]) -> list[Variable]:
    """The variables of the kernels and the dims of the arrays, in the order of their names."""
    sizes = [spec.size for spec in schedule.buffers]
    dims = {dim for size in sizes if isinstance(size, Extent) for dim in size.dims}
    found = {
        each.name: each
        for planned, kernel in zip(schedule.kernels, kernels, strict=True)
        for each in kernel.variables
        if each.name not in dict(planned.values)
    }
    found |= {dim.name: Variable(dim.name, index, dim.least, dim.greatest) for dim in dims}
    return [found[name] for name in sorted(found)]


def _in_c(size: int, named: Mapping[str, str]) -> str:
    """A size as an expression of C; `named` has the C name of each dim."""
    return (
        re.sub(r"[^\W\d]\w*", lambda found: named[found[0]], str(size)).replace("//", "/").replace("·", " * ")
    )


def _temporaries(buffers: Sequence[BufferSpec]) -> list[tuple[int, str, int]]:
    """The number, name and size in bytes of each temporary buffer; buffers of one arena share a name."""
    found: list[tuple[int, str, int]] = []
    shared: dict[int, str] = {}
    for number, spec in enumerate(buffers):
        if spec.role is Role.TEMPORARY:
            key = spec.arena if spec.arena >= 0 else -1 - number
            name = shared.setdefault(key, f"temporary{len(shared)}")
            found.append((number, name, capacity(spec.size) * spec.dtype.itemsize))
    return found
