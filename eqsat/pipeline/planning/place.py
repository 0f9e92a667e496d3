"""Chooses where a program runs: on a whole device, or on a part of it that starts kernels sooner, such as the calling thread.

Waking the other cores takes longer than the kernels of a small program. In the calling thread a launch takes next to nothing, so that other kernels
are best there: more of them, none of which computes anything twice. So a program with little work is planned for that part of the device.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from time import perf_counter
from typing import TypeVar

from eqsat.extract.costs.loop_aware import LoopAware
from eqsat.extract.costs.protocol import total_cost
from eqsat.machine import Machine
from eqsat.ops import ACROSS
from eqsat.runtime import Device, machine_of
from eqsat.schedule.kernel import Schedule
from eqsat.uop import UOp, toposort

# If the part would be chosen for this share of a program's work, the program is planned for both, and the plans are compared.
DOUBT = 0.5

Plans = TypeVar("Plans")


def suited(device: Device, schedule: Schedule, share: float = 1.0) -> Device:
    """The fastest device for `share` of the work of a schedule. A schedule that was chosen for the part of a device runs on that part."""
    if schedule.of_part:
        return device.suited([])
    return _suited(device, [kernel.predicted_seconds for kernel in schedule.kernels], share)


def placed(
    sink: UOp,
    device: Device,
    planned: Callable[[Machine], Plans],
    seconds: Callable[[Plans], Sequence[float]],
    bound: Callable[[Plans], float],
    until: float = inf,
) -> tuple[Plans, Device]:
    """The plans that `planned` makes for a device or for its part that starts kernels sooner, and the place: wherever the program is faster.

    `seconds` gives the predicted seconds of each kernel of such plans, and `bound` a lower bound on their sum over all choices of kernels. Plans are
    made for both places and compared if two things hold: half of the work would change the place, and kernels for the whole device may take more
    time than they need, for example because they compute values again to save launches. After the `perf_counter` time `until`, plans for the
    whole device are taken as they are.
    """
    part = device.suited([])
    whole = machine_of(device)
    if part is device:
        return planned(whole), device
    if device.suited(_estimated(sink, machine_of(part), whole.cores)) is device:
        found = planned(whole)
        is_tight = bound(found) > DOUBT * sum(seconds(found))
        if perf_counter() > until or _suited(device, seconds(found), 1.0 if is_tight else DOUBT) is device:
            return found, device
        other = planned(machine_of(part))
    else:
        other = planned(machine_of(part))
        if device.suited([each / whole.cores for each in seconds(other)]) is part:
            return other, part
        found = planned(whole)
    return (found, device) if sum(seconds(found)) <= sum(seconds(other)) else (other, part)


def _suited(device: Device, seconds: Sequence[float], share: float) -> Device:
    launch = machine_of(device).launch_seconds
    return device.suited([share * (each - launch) for each in seconds])


def _estimated(sink: UOp, part: Machine, cores: int) -> list[float]:
    """A rough estimate of the seconds of each kernel of a program on so many cores, before kernels are chosen.

    It assumes as many kernels as there are reductions.
    """
    kernels = max(1, sum(node.op in ACROSS for node in toposort([sink])))
    seconds = total_cost(LoopAware.of(part), [sink]) / part.frequency
    return [seconds / (cores * kernels)] * kernels
