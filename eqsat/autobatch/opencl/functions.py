"""Regions on arrays: their kernels, scheduled as those of any array program, as functions that one work-item calls on memory of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from eqsat.array.data import parametrize
from eqsat.autobatch.regions import Region
from eqsat.codegen import Dialect, RenderedKernel
from eqsat.dtype import AddrSpace, DType
from eqsat.errors import CodegenError
from eqsat.machine import Machine
from eqsat.pipeline.compilation import drafted, rendered
from eqsat.schedule.kernel import Role, Schedule

_MOST_BYTES = 1 << 18  # of values that a region keeps on the stack of a thread


@dataclass(frozen=True)
class RegionFunctions:
    """How a block computes a region on arrays.

    Attributes:
        source: definitions of functions.
        statements: that compute `values` from arrays called `given0`, `given1`, ... and `shared`; within braces of their own.
        values: for each output of the region, the name of its array.
    """

    source: str
    statements: tuple[str, ...]
    values: tuple[str, ...]


class Shared:
    """The arrays that all members read, each once."""

    def __init__(self) -> None:
        self.arrays: list[tuple[NDArray[Any], DType]] = []

    def number(self, array: NDArray[Any], dtype: DType) -> int:
        """The number of an array."""
        for number, (known, _) in enumerate(self.arrays):
            if (
                known.base is array.base
                and known.ctypes.data == array.ctypes.data
                and known.size == array.size
            ):
                return number
        self.arrays.append((array, dtype))
        return len(self.arrays) - 1


def functions_of(
    region: Region, name: str, machine: Machine, dialect: Dialect, shared: Shared
) -> RegionFunctions:
    """The functions of a region. Arrays of the graph's own data are called `shared0`, `shared1`, ...

    Raises:
        CodegenError: it needs more memory between its loops than a work-item has.
    """
    count = len(region.reads)
    sink, captured = parametrize(region.graph, count)
    drafts, arguments = drafted(sink, replace(machine, cores=1))
    made = _named(drafts.schedule(), name)
    own = replace(
        dialect,
        kernel="inline void",
        spaces={**dialect.spaces, AddrSpace.GLOBAL: ""},
        sequential=True,
    )
    kernels = rendered(made, own, contract=dialect.contract)
    names: dict[int, str] = {}
    for number, slot in zip(made.inputs, arguments, strict=True):
        if slot < count:
            names[number] = f"given{slot}"
        else:
            dtype = made.buffers[number].dtype
            names[number] = f"shared{shared.number(captured[slot - count], dtype)}"
    statements: list[str] = []
    for place, number in enumerate(made.outputs):
        if number not in names:
            names[number] = f"made{place}"
    values = tuple(names[number] for number in made.outputs)
    total = 0
    for number, spec in enumerate(made.buffers):
        if spec.role is Role.INPUT:
            continue
        names.setdefault(number, f"between{number}")
        statements.append(f"{dialect.storage_type(spec.dtype)} {names[number]}[{max(1, spec.size)}];")
        total += spec.size * spec.dtype.itemsize
    if total > _MOST_BYTES:
        raise CodegenError(
            f"block {name!r} keeps {total} bytes for each member, and a work-item has {_MOST_BYTES}; run the program with machine='numpy', "
            "or reduce what it computes at once"
        )
    sources: list[str] = []
    for planned, kernel in zip(made.kernels, kernels, strict=True):
        operands = [names[planned.buffers[argument.slot]] for argument in kernel.arguments]
        statements.append(f"{kernel.name}({', '.join(operands)});")
        sources.append(_with_spaces(kernel, operands, dialect.spaces[AddrSpace.GLOBAL]))
    return RegionFunctions("\n".join(sources), tuple(statements), values)


def _named(made: Schedule, name: str) -> Schedule:
    """The schedule with names of kernels that no other block has."""
    stem = re.sub(r"\W", "_", name, flags=re.ASCII)
    kernels = [
        replace(kernel, ast=kernel.ast.replace(arg=replace(kernel.ast.arg, name=f"{stem}_part{number}")))
        for number, kernel in enumerate(made.kernels)
    ]
    return replace(made, kernels=tuple(kernels))


def _with_spaces(kernel: RenderedKernel, operands: Sequence[str], space: str) -> str:
    """The source of a function whose pointers to shared arrays say where these are."""

    def parameters(found: re.Match[str]) -> str:
        return f"{found[1]}({', '.join(_qualified(found[2].split(', '), operands, space))}) {{"

    head = rf"^(inline void {re.escape(kernel.name)})\((.*)\) \{{$"
    return re.sub(head, parameters, kernel.source, count=1, flags=re.MULTILINE)


def _qualified(parameters: Sequence[str], operands: Sequence[str], space: str) -> Iterator[str]:
    for parameter, operand in zip(parameters, operands, strict=True):
        yield f"{space}{parameter}" if operand.startswith("shared") else parameter
