"""Regions on arrays as functions that a work-item or a work-group calls: their kernels, scheduled like those of any array program."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from eqsat.array.data import parametrize
from eqsat.autobatch.regions import Region
from eqsat.codegen import Dialect, RenderedKernel
from eqsat.dtype import AddrSpace, DType, index
from eqsat.errors import CodegenError
from eqsat.machine import Machine
from eqsat.ops import WORK_ITEMS, Op
from eqsat.pipeline.compilation import drafted, rendered
from eqsat.schedule.kernel import Role, Schedule
from eqsat.uop import UOp, toposort

_MOST_BYTES = 1 << 18  # bytes of arrays, at most, that a region has in private memory (the stack of a thread)


@dataclass(frozen=True, slots=True)
class Made:
    """An array that the functions of a region write.

    Attributes:
        name: its identifier.
        kind: the C type of an element.
        size: the number of elements.
        itemsize: the bytes of one element.
    """

    name: str
    kind: str
    size: int
    itemsize: int


@dataclass(frozen=True)
class RegionFunctions:
    """The functions that compute a region on arrays.

    Attributes:
        source: the definitions of the functions.
        arrays: the arrays that they write.
        calls: statements that call them, to compute `values` from the arrays `given0`, `given1`, ... and `shared0`, `shared1`, ...
        values: for each output of the region, the name of its array.
    """

    source: str
    arrays: tuple[Made, ...]
    calls: tuple[str, ...]
    values: tuple[str, ...]


class Shared:
    """The distinct arrays that all members read."""

    def __init__(self) -> None:
        self.arrays: list[tuple[NDArray[Any], DType]] = []

    def number(self, array: NDArray[Any], dtype: DType) -> int:
        """The number of an array, which is added if it is new."""
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
    region: Region, name: str, machine: Machine, dialect: Dialect, shared: Shared, group: int
) -> RegionFunctions:
    """Schedules and renders the functions of a region. Data in the graph becomes the arrays `shared0`, `shared1`, ...

    Args:
        region: the region.
        name: the name of its block.
        machine: the machine for which loops are chosen.
        dialect: the OpenCL dialect of the device.
        shared: receives the arrays of data in the graph.
        group: the number of work-items that call a function together, on arrays in global memory; 0 if one calls it alone, on private arrays.

    Raises:
        CodegenError: the arrays between its loops need more memory than a work-item has.
    """
    count = len(region.reads)
    sink, captured = parametrize(region.graph, count)
    drafts, arguments = drafted(sink, replace(machine, cores=1))
    made = _named(drafts.schedule(), name)
    own = replace(
        dialect,
        kernel="inline void",
        spaces={
            **dialect.spaces,
            AddrSpace.LOCAL: "",  # each work-item computes alone, and functions cannot declare arrays in local memory
            AddrSpace.GLOBAL: dialect.spaces[AddrSpace.GLOBAL] if group else "",
        },
        sequential=True,
        aligned_bytes=0,  # arrays of members begin at any address, and one array may be passed twice
        restrict="",
    )
    kernels = rendered(made, own, contract=dialect.contract)
    names: dict[int, str] = {}
    for number, slot in zip(made.inputs, arguments, strict=True):
        is_given = slot < count
        own_data = None if is_given else shared.number(captured[slot - count], made.buffers[number].dtype)
        names[number] = f"given{slot}" if is_given else f"shared{own_data}"
    for place, number in enumerate(made.outputs):
        names.setdefault(number, f"made{place}")
    arrays = tuple(_arrays(made, names, dialect))
    total = sum(array.size * array.itemsize for array in arrays)
    if total > _MOST_BYTES and not group:
        raise CodegenError(
            f"block {name!r} keeps {total} bytes for each member, and a work-item has {_MOST_BYTES}; run the program with machine='numpy', "
            "or reduce what it computes at once"
        )
    sources, calls = _sources_and_calls(made, kernels, names, dialect.spaces[AddrSpace.GLOBAL], group)
    values = tuple(names[number] for number in made.outputs)
    return RegionFunctions("\n".join(sources), arrays, tuple(calls), values)


def _sources_and_calls(
    made: Schedule, kernels: Sequence[RenderedKernel], names: Mapping[int, str], space: str, group: int
) -> tuple[list[str], list[str]]:
    """The functions and the statements that call them; a function that a group cannot divide among its work-items is called by one of them."""
    sources: list[str] = []
    calls: list[str] = []
    for planned, kernel in zip(made.kernels, kernels, strict=True):
        operands = [names[planned.buffers[argument.slot]] for argument in kernel.arguments]
        call = f"{kernel.name}({', '.join(operands)});"
        source = kernel.source if group else _with_spaces(kernel, operands, space)
        alone = group > 1 and not _has_separate_rounds(planned.ast)
        divided = None if alone else divided_by_lanes(source, group) if group > 1 else source
        sources.append(divided or source)
        calls.append(call if divided else f"if (lane == 0) {call}")
    return sources, calls


def _has_separate_rounds(kernel: UOp) -> bool:
    """Whether the iterations of a kernel's outermost loop are independent: none writes an element or reads a value of another.

    They are if it is a loop over work-items. In other kernels, a scan carries its prefix from iteration to iteration, or the last tile overlaps
    the one before.
    """
    nodes = toposort([kernel])
    if any(node.op is Op.RANGE and node.arg[1] in WORK_ITEMS and node.src[0].arg > 1 for node in nodes):
        return True
    stores = [node.src[0] for node in nodes if node.op is Op.STORE]
    return not any(node.op is Op.SCAN for node in nodes) and not any(
        node.op is Op.MIN for node in toposort(stores) if node.dtype == index
    )


def _arrays(made: Schedule, names: dict[int, str], dialect: Dialect) -> Iterator[Made]:
    """The arrays that kernels write; adds names for the temporaries between kernels to `names`."""
    for number, spec in enumerate(made.buffers):
        if spec.role is not Role.INPUT:
            name = names.setdefault(number, f"between{number}")
            yield Made(name, dialect.storage_type(spec.dtype), max(1, spec.size), spec.dtype.itemsize)


_OUTER_LOOP = re.compile(r"^    for \(long (i0) = 0; i0 < (\d+); i0\+\+\) \{$", re.MULTILINE)
_OUTER_STORE = re.compile(r"^    (\*|out\d+\[|vstore)", re.MULTILINE)


def divided_by_lanes(source: str, group: int) -> str | None:
    r"""A function whose outermost loop is divided among the work-items of a group; None if there is not exactly one, or a store outside of it.

    >>> print(divided_by_lanes("{\n    for (long i0 = 0; i0 < 99; i0++) {\n        out0[i0] = in0[i0];\n    }\n}", 8))
    {
        for (long i0 = get_local_id(0); i0 < 99; i0 += 8) {
            out0[i0] = in0[i0];
        }
    }
    """
    loops = _OUTER_LOOP.findall(source)
    if len(loops) != 1 or _OUTER_STORE.search(source):
        return None
    return _OUTER_LOOP.sub(rf"    for (long i0 = get_local_id(0); i0 < \2; i0 += {group}) {{", source)


def _named(made: Schedule, name: str) -> Schedule:
    """The schedule with kernel names that are unique to the block."""
    stem = re.sub(r"\W", "_", name, flags=re.ASCII)
    kernels = [
        replace(kernel, ast=kernel.ast.replace(arg=replace(kernel.ast.arg, name=f"{stem}_part{number}")))
        for number, kernel in enumerate(made.kernels)
    ]
    return replace(made, kernels=tuple(kernels))


def _with_spaces(kernel: RenderedKernel, operands: Sequence[str], space: str) -> str:
    """The source of a function whose pointers to shared arrays have the address space of these arrays."""

    def parameters(found: re.Match[str]) -> str:
        return f"{found[1]}({', '.join(_qualified(found[2].split(', '), operands, space))}) {{"

    head = rf"^(inline void {re.escape(kernel.name)})\((.*)\) \{{$"
    return re.sub(head, parameters, kernel.source, count=1, flags=re.MULTILINE)


def _qualified(parameters: Sequence[str], operands: Sequence[str], space: str) -> Iterator[str]:
    for parameter, operand in zip(parameters, operands, strict=True):
        yield f"{space}{parameter}" if operand.startswith("shared") else parameter
