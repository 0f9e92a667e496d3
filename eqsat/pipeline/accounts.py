"""Accounts of chosen kernels for people: their loops, what they store and why, what takes their time, and the loops ranked next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import prod
from typing import Any

from eqsat.codegen.linearization.loops import ended_by
from eqsat.codegen.linearization.nest_text import COMBINING, STATEMENTS, nest_text
from eqsat.ops import AxisType, Op
from eqsat.schedule.cost.estimates import Costs, estimate
from eqsat.schedule.cost.tables import Tables
from eqsat.schedule.draft import Draft, Drafts, describe
from eqsat.schedule.kernel import Kernel, Role, Schedule
from eqsat.schedule.tiling import Tilings
from eqsat.shape import extent_of
from eqsat.uop import UOp, loops_begin, toposort

RUNNERS_UP = 3


@dataclass(frozen=True)
class RunnerUp:
    """Loops that were not chosen, as text, and the seconds that they are predicted to take."""

    choice: str
    predicted_seconds: float


@dataclass(frozen=True)
class KernelAccount:
    """The account of one kernel.

    Attributes:
        name: the kernel's name.
        predicted_seconds: the predicted seconds with the chosen loops.
        loops: the loop nest as text.
        memory: for each buffer that it reads or writes: its name in `loops`, its bytes, what it is, and why it is stored.
        seconds: the predicted seconds by resource. Arithmetic, ports, chains and memory overlap; loops and the launch add to them.
        runners_up: the loops that are predicted to be fastest after the chosen ones, the fastest first.
    """

    name: str
    predicted_seconds: float
    loops: str
    memory: tuple[str, ...]
    seconds: dict[str, float]
    runners_up: tuple[RunnerUp, ...]

    def to_json(self) -> dict[str, Any]:
        """The account as plain values."""
        return asdict(self)


def accounts(drafts: Drafts) -> list[KernelAccount]:
    """The account of each kernel of a schedule, with the loops that are predicted to be fastest."""
    schedule = drafts.schedule()
    return [
        KernelAccount(
            kernel.name,
            kernel.predicted_seconds,
            nest_text(kernel.ast),
            tuple(_memory(schedule, number)),
            by_resource(draft),
            _runners_up(draft),
        )
        for number, (draft, kernel) in enumerate(zip(drafts.kernels, schedule.kernels, strict=True))
    ]


def by_resource(draft: Draft) -> dict[str, float]:
    """The seconds that the cost model counts for each resource, with the best loops of a draft."""
    tables, best, device = Tables.of(draft.profile), draft.choice.best, draft.device
    tilings = Tilings.of(draft.profile.extents, [best])
    costs, times = Costs.of(tables, tilings, device), tilings.times(tables.loops)
    issued, port, more = (
        float((times * cycles).sum()) for cycles in (costs.issued, costs.port, costs.unhidden)
    )
    found = estimate(tables, [best], device)
    (compute,), (chain,), (memory,), (launch,) = found.compute, found.chain, found.memory, found.overhead
    second = float(compute) / ((max(issued, port) + more) or 1.0)
    return {
        "arithmetic": issued * second,
        "ports": port * second,
        "loops": more * second,
        "chains": float(chain),
        "memory": float(memory),
        "launch": float(launch),
    }


def _runners_up(draft: Draft) -> tuple[RunnerUp, ...]:
    """The next best loops whose texts differ from that of the best loops and from each other."""
    found = {describe(draft.profile, draft.choice.best): 0.0}
    for tiling, seconds in zip(draft.choice.ranked, draft.choice.seconds, strict=True):
        if len(found) > RUNNERS_UP:
            break
        found.setdefault(describe(draft.profile, tiling), seconds)
    return tuple(RunnerUp(choice, seconds) for choice, seconds in [*found.items()][1:])


def _memory(schedule: Schedule, number: int) -> list[str]:
    """A line for each buffer of a kernel."""
    kernel = schedule.kernels[number]
    written, read = _slots(kernel.ast)
    lines: list[str] = []
    for kind, slots in (("out", written), ("in", read)):
        for place, slot in enumerate(slots):
            spec = schedule.buffers[kernel.buffers[slot]]
            size = f"{kind}{place}: {spec.size:,} {spec.dtype}, {spec.size * spec.dtype.itemsize:,} bytes"
            lines.append(f"{size}, {_reason(schedule, number, kernel.buffers[slot])}")
    return lines


def _reason(schedule: Schedule, number: int, buffer: int) -> str:
    """What a buffer is, and why it is stored: later kernels would otherwise compute a temporary again, in each of their own loops."""
    spec = schedule.buffers[buffer]
    if spec.role is Role.INPUT:
        return f"argument {spec.slot}"
    if spec.role is Role.OUTPUT:
        return f"result {spec.slot}"
    uses = [
        f"{each.name} (kernel {place}), which uses each element {_times(_uses(each, each.buffers.index(buffer), spec.size))}"
        for place, each in enumerate(schedule.kernels)
        if buffer in each.buffers and buffer not in [each.buffers[slot] for slot in _slots(each.ast)[0]]
    ]
    makers = [
        place
        for place, each in enumerate(schedule.kernels[: number + 1])
        if buffer in [each.buffers[slot] for slot in _slots(each.ast)[0]]
    ]
    made = "" if makers[-1] == number else f"stored by kernel {makers[-1]}, "
    return f"{made}for {'; '.join(dict.fromkeys(uses))}"


def _uses(kernel: Kernel, slot: int, size: int) -> int:
    """How often a kernel uses each element of a buffer on average: iterations of the statements that load from it, per element."""
    total, order = 0, toposort([kernel.ast])
    parallel = [node for node in order if node.op is Op.RANGE and node.arg[1] is AxisType.GLOBAL]
    for statement in order:
        if statement.op in STATEMENTS:
            values = (
                statement.src[1:2] if statement.op is Op.STORE else statement.src[: loops_begin(statement)]
            )
            ends = {each for each in toposort(values) if each.op in COMBINING or each.op is Op.AFTER}
            begun = [value for value in values if value not in ends]
            loads = [each for each in toposort(begun, ends) if each.op is Op.LOAD]
            if any(_slot(load.src[0]) == slot for load in loads):
                total += prod(map(extent_of, {*parallel, *_bounds(statement)}))
    return max(1, round(total / max(1, size)))


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count:,} times")


def _bounds(statement: UOp) -> list[UOp]:
    """The ranges of a statement: its loops, copies and lanes."""
    found = {*statement.src[0].ranges, *(statement.src[1].ranges if statement.op is Op.STORE else ())}
    listed = statement.src[2:] if statement.op is Op.STORE else ended_by(statement)
    return [*dict.fromkeys([*found, *(each for each in listed if each.op is Op.RANGE)])]


def _slots(ast: UOp) -> tuple[Sequence[int], Sequence[int]]:
    """The PARAM slots that a kernel writes, and those that it only reads."""
    written = sorted({_slot(store.src[0]) for store in ast.src})
    every = sorted({node.arg[0] for node in toposort([ast]) if node.op is Op.PARAM})
    return written, [slot for slot in every if slot not in written]


def _slot(address: UOp) -> int:
    """The PARAM slot that an address points into; -1 for local memory."""
    while address.op is not Op.PARAM and address.src:
        address = address.src[0]
    return address.arg[0] if address.op is Op.PARAM else -1
