"""An interpreter for linear programs. It runs all work-items in lockstep, with one NumPy operation per instruction, and checks every access.

A device may run work-items in another order than lockstep. Races, whose result depends on that order, are found by `tracked_memory`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from eqsat.errors import EvaluationError
from eqsat.reference.evaluate import lowering
from eqsat.reference.faults import faults_of
from eqsat.reference.linear.instructions import INSTRUCTIONS
from eqsat.reference.linear.launch import Launch
from eqsat.reference.number import Array
from eqsat.spec import require_uop
from eqsat.uop import UOp


def run_linear(
    linear: UOp,
    buffers: Sequence[Array],
    global_size: Sequence[int],
    local_size: Sequence[int] | None = None,
    variables: Mapping[str, int] | None = None,
) -> None:
    """Runs a LINEAR program on `prod(global_size)` work-items. `buffers[k]` is DEFINE_GLOBAL number k; it is overwritten in place.

    The name of a SPECIAL ends in its dimension: `gid0` is the global id, `lid0` (or `lidx0`) the id within the group, and `gidx0` the id of the
    group. Groups have `local_size` work-items; without `local_size`, each work-item is its own group.

    Raises:
        EvaluationError: an access out of bounds, a read of a register or local element never written, a race between work-items,
            a barrier that not all of a group reach, a value used outside its block, a buffer that does not fit.
    """
    require_uop(linear)
    with faults_of(linear.src), np.errstate(all="ignore"):
        groups = tuple(local_size or (1,) * len(global_size))
        launch = Launch(linear.src, buffers, tuple(global_size), groups, variables or {})
        while launch.place < len(launch.code) and launch.count:
            _step(launch)


def _step(launch: Launch) -> None:
    node = launch.code[launch.place]
    launch.place += 1
    instruction = INSTRUCTIONS.get(node.op)
    if instruction is None:
        raise EvaluationError(f"{node!r} is no instruction; {lowering(node.op) or 'lower it first'}")
    result = instruction(launch, node)
    if result is not None:
        launch.define(node, result)
