"""Write down every kernel that is compiled, for a referee to run later.

With `EQSAT_RECORD_KERNELS=DIRECTORY` each distinct kernel becomes one JSON file there, named by its digest and put in place
whole, so that many processes may record into one directory.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from eqsat.runtime.cache import digest

if TYPE_CHECKING:
    from eqsat.codegen import RenderedKernel

VARIABLE = "EQSAT_RECORD_KERNELS"


def record(kernels: Sequence[RenderedKernel]) -> None:
    """Record `kernels` if the environment asks for it."""
    directory = os.environ.get(VARIABLE)
    if directory:
        for kernel in kernels:
            if 0 not in kernel.global_size:
                _write(Path(directory), json.dumps(document(kernel), sort_keys=True))


def document(kernel: RenderedKernel) -> dict[str, object]:
    """What it takes to launch a kernel elsewhere: source, sizes, and the dtype, elements and direction of each argument."""
    return {
        "name": kernel.name,
        "source": kernel.source,
        "global_size": list(kernel.global_size),
        "local_size": None if kernel.local_size is None else list(kernel.local_size),
        "arguments": [
            {"dtype": argument.dtype.name, "size": argument.size, "written": argument.written}
            for argument in kernel.arguments
        ],
    }


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
