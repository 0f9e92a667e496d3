"""Measures how well the times of programs are predicted, with the loops that are chosen: predicted over measured seconds.

A row is a program: all its kernels on the device that is chosen for it (all cores, or the calling thread), called as users call it. The predicted
time is that of its kernels with their launches. The measured time is the lower quartile of calls that follow each other, and of this the least
of all rounds; from it, the time of a call with hardly any work, without its launch, is subtracted. `busiest` is the resource for which the model
counts most seconds. The cost model is improved by the programs of `studied`. Those of `unseen` show whether the improvements are right for
others. Those of `once` were written when all prices were fixed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

import eqsat as eq
from benchmarks.predictions import once, studied, unseen
from benchmarks.predictions.program import Described, Predicted, call_seconds
from benchmarks.report import parser, publish
from eqsat.runtime import Device

SETS: dict[str, dict[str, Described]] = {
    "studied": studied.PROGRAMS,
    "unseen": unseen.PROGRAMS,
    "once": once.PROGRAMS,
}
LEAST, MOST = 0.6, 1.6  # a ratio between these is near enough
ROUNDS = 3


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the programs of the sets, or only those that are named."""
    command = parser(__doc__)
    command.set_defaults(rounds=ROUNDS)
    command.add_argument("programs", nargs="*", help="only these")
    command.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS, help="(default: all)")
    command.add_argument("--device", help="OpenCL device by name or a part of it")
    parsed = command.parse_args(arguments)
    device = eq.get_device(parsed.device)
    rows: list[dict[str, Any]] = []
    resources: dict[str, dict[str, float]] = {}
    for name in parsed.sets:
        found = {
            program: described
            for program, described in SETS[name].items()
            if program in (parsed.programs or SETS[name])
        }
        predicted = [Predicted.of(*each, device) for each in found.items()]
        own = [row(name, each, device, parsed.rounds) for each in predicted]
        resources.update({each.name: microseconds(each.by_resource) for each in predicted})
        rows += own + ([summary(name, own)] if own else [])
    publish("predictions", rows, parsed, device=device.name, resources=resources)


def row(kind: str, each: Predicted, device: Device, rounds: int) -> dict[str, Any]:
    """The row of one program."""
    calls = [each.measured_seconds() - call_seconds(each.place) for _ in range(rounds)]
    predicted, measured = each.seconds, min(calls)
    resources = each.by_resource
    return {
        "set": kind,
        "program": each.name,
        "kernels": len(each.drafts.kernels),
        "cores": "all" if each.place is device else "one",
        "predicted µs": round(predicted * 1e6, 1),
        "measured µs": round(measured * 1e6, 1),
        "ratio": round(predicted / measured, 3),
        "busiest": max(resources, key=lambda name: resources[name]),
    }


def microseconds(seconds: Mapping[str, float]) -> dict[str, float]:
    """The microseconds of each resource."""
    return {name: round(each * 1e6, 2) for name, each in seconds.items()}


def summary(kind: str, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The row of a set: how many of its ratios are near enough, and the median ratio."""
    near = sum(LEAST <= each["ratio"] <= MOST for each in rows)
    return {
        **dict.fromkeys(rows[0]),
        "set": kind,
        "program": f"{near} of {len(rows)} within [{LEAST}, {MOST}]: {near / len(rows):.0%}",
        "ratio": round(median(each["ratio"] for each in rows), 3),
    }


if __name__ == "__main__":
    main()
