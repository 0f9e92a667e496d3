"""Auto-batched programs: functions with control flow and recursion, run over a batch whose members take different paths."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eqsat.autobatch.batch_program import BatchProgram as BatchProgram
    from eqsat.autobatch.batch_program import run as run
    from eqsat.autobatch.frontend.batched import Batched as Batched
    from eqsat.autobatch.frontend.batched import batch as batch
    from eqsat.autobatch.frontend.builder import ProgramBuilder as ProgramBuilder

_HOMES = {  # imported on first use, so that importing `eqsat.autobatch` stays cheap
    "BatchProgram": "eqsat.autobatch.batch_program",
    "Batched": "eqsat.autobatch.frontend.batched",
    "ProgramBuilder": "eqsat.autobatch.frontend.builder",
    "batch": "eqsat.autobatch.frontend.batched",
    "run": "eqsat.autobatch.batch_program",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(
            f"module 'eqsat.autobatch' has no attribute {name!r}; it has {', '.join(_HOMES)}"
        )
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
