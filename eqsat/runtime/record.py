"""Records every kernel that is compiled, so that a referee can run it later.

With `EQSAT_RECORD_KERNELS=DIRECTORY` each distinct kernel becomes one JSON file there, named by its digest. A file is moved into place when
it is complete, so that many processes may record into one directory.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from eqsat.integers.bounds import bounds
from eqsat.ops import ELEMENTARY, Op
from eqsat.runtime.cache import digest
from eqsat.spec.order import closed_by
from eqsat.spec.sources import behind
from eqsat.uop import UOp

if TYPE_CHECKING:
    from eqsat.codegen import RenderedKernel

VARIABLE = "EQSAT_RECORD_KERNELS"
_PARTS = (
    Op.INDEX,
    Op.POINTER_INDEX,
    Op.PTRCAT,
    Op.CAST,
)  # of addresses; what is AFTER a STORE was not there before
FUNCTION = 500  # instructions that one elementary function counts as


def record(kernels: Sequence[RenderedKernel]) -> None:
    """Record `kernels` if the environment asks for it."""
    directory = os.environ.get(VARIABLE)
    if directory:
        for kernel in kernels:
            if 0 not in kernel.global_size:
                _write(Path(directory), json.dumps(document(kernel), sort_keys=True))


def document(kernel: RenderedKernel) -> dict[str, object]:
    """The data needed to launch a kernel elsewhere.

    It has the kernel's source, sizes, steps per work-item and arguments, and the dtype and greatest value of each variable that follows them.
    An argument is unset if the kernel writes it and reads nothing that it held before.
    """
    loads = (node.src[0] for node in kernel.linear.src if node.op is Op.LOAD)
    read = {base.arg for base in (behind(each, _PARTS) for each in loads) if base.op is Op.DEFINE_GLOBAL}
    return {
        "name": kernel.name,
        "source": kernel.source,
        "global_size": list(kernel.global_size),
        "local_size": list(kernel.local_size),
        "steps": _steps(kernel.linear),
        "variables": [[variable.dtype.name, variable.greatest] for variable in kernel.variables],
        "arguments": [
            {
                "dtype": argument.dtype.name,
                "size": argument.size,
                "unset": argument.written and argument.slot not in read,
            }
            for argument in kernel.arguments
        ],
    }


def _steps(linear: UOp) -> int:
    """Number of instructions that one work-item executes; a vector instruction counts once for each lane."""
    total, trips = 0, [1]
    for node in linear.src:
        if node.op is Op.RANGE:
            trips.append(trips[-1] * max(1, bounds(node.src[0])[1]))
        elif closed := [each for each in closed_by(node) if each.op is Op.RANGE]:
            del trips[-len(closed) :]
        else:
            total += trips[-1] * node.dtype.lanes * (FUNCTION if node.op in ELEMENTARY else 1)
    return total


def _write(directory: Path, text: str) -> None:
    path = directory / f"{digest(text)}.json"
    if path.exists():
        return
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(
        "w", dir=directory, suffix=".part", delete=False, encoding="utf-8"
    ) as file:
        file.write(text)
    Path(file.name).replace(path)
