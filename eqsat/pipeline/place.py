"""Where a program runs: on all of a device, or on a part of it that starts kernels sooner, such as the thread that calls.

Waking the other cores takes longer than the kernels of a small program. In the calling thread a launch takes next to nothing, so that other kernels
are best: more of them, each of which computes nothing twice. So a program with little work is planned for that part of the device.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from eqsat.extract.costs.loop_aware import LoopAware
from eqsat.extract.costs.protocol import total_cost
from eqsat.machine import Machine
from eqsat.ops import ALONG_AXES
from eqsat.runtime import Device, machine_of
from eqsat.schedule.draft import Drafts
from eqsat.schedule.kernel import Schedule
from eqsat.uop import UOp, toposort

DOUBT = 0.5  # of the work of a program, for which the part would be chosen: then both are planned for, and compared

Drafted = tuple[Drafts, tuple[int, ...]]


def suited(device: Device, schedule: Schedule, share: float = 1.0) -> Device:
    """The device that is quickest for so much of a schedule; one that was chosen for a part of it is for that."""
    if schedule.of_part:
        return device.suited([])
    launch = machine_of(device).launch_seconds
    return device.suited([share * (kernel.predicted_seconds - launch) for kernel in schedule.kernels])


def placed(sink: UOp, device: Device, drafted: Callable[[Machine], Drafted]) -> Drafted:
    """What `drafted` gives for the device, or for its part that starts kernels sooner, where the program is predicted to be quicker there."""
    whole, part = machine_of(device), machine_of(device.suited([]))
    if device.suited([]) is device:
        return drafted(whole)
    if device.suited(_estimated(sink, part, whole.cores)) is device:
        found = drafted(whole)
        if suited(device, found[0].schedule(), DOUBT) is device:
            return found
        other = _of_part(drafted(part))
    else:
        other = _of_part(drafted(part))
        seconds = [kernel.predicted_seconds / whole.cores for kernel in other[0].schedule().kernels]
        if device.suited(seconds) is not device:
            return other
        found = drafted(whole)
    return min(found, other, key=lambda each: each[0].schedule().predicted_seconds)


def _of_part(found: Drafted) -> Drafted:
    return replace(found[0], of_part=True), found[1]


def _estimated(sink: UOp, part: Machine, cores: int) -> list[float]:
    """About the seconds of each kernel of a program on so many cores, before anything is known of them: as many as there are reductions."""
    kernels = max(1, sum(node.op in ALONG_AXES for node in toposort([sink])))
    seconds = total_cost(LoopAware.of(part), [sink]) / part.frequency
    return [seconds / (cores * kernels)] * kernels
