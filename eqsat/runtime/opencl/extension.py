"""The extension that makes calls past the queue, `_call.c`: it is there where a C compiler was when eqsat was installed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eqsat.runtime.opencl import _call

VARIABLE = "EQSAT_DIRECT"  # in the environment: "off" for the queue in all calls, "python" for calls without the extension
INTERFACE = 1  # of `_call.c`; an older library may lie beside a newer source


def call_type() -> type[_call.Call] | None:
    """The class of calls that it makes; None where there is none, or nobody wants it."""
    if os.environ.get(VARIABLE) == "python":
        return None
    try:
        from eqsat.runtime.opencl import _call
    except (ImportError, RuntimeError):  # it was not built, or for another NumPy
        return None
    return _call.Call if _call.INTERFACE == INTERFACE else None
