"""The cache of plans on disk: a graph that was compiled for a device before is not optimized and scheduled again."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import eqsat
from eqsat.graph_files.serialize import to_json
from eqsat.pipeline.planning import stored_plans
from eqsat.pipeline.planning.plan import Plan
from eqsat.pipeline.planning.planned import Compilation
from eqsat.runtime import PLANS, Device, digest, machine_of
from eqsat.uop import UOp


def key_of(sink: UOp, plan: Plan, device: Device) -> str | None:
    """The key of a graph's compilation; None if a part of the plan is the user's own code, which has no key."""
    if plan.key is None:
        return None
    return digest(
        _fingerprint(),
        plan.key,
        device.identity,
        repr(machine_of(device)),
        repr(machine_of(device.suited([]))),
        json.dumps(to_json([sink])),
    )


def stored(key: str | None) -> Compilation | None:
    """The compilation that is stored with a key; None if there is none. Removes an entry that is not a plan."""
    found = None if key is None else PLANS.get(key)
    if key is None or found is None:
        return None
    try:
        return stored_plans.decode(found)
    except stored_plans.StoredPlanError:
        PLANS.drop(key)
        return None


def store(key: str | None, compilation: Compilation) -> None:
    """Stores a compilation, if it has a key."""
    if key is not None:
        PLANS.put(key, stored_plans.encode(compilation))


@cache
def _fingerprint() -> str:
    """A value that changes whenever the code of this package changes, also while it is being edited."""
    files = sorted(Path(eqsat.__file__).parent.rglob("*.py"))
    return digest(eqsat.__version__, *(f"{file} {file.stat().st_mtime_ns}" for file in files))
