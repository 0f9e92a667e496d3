"""POW and HYPOT."""

from __future__ import annotations

from eqsat.codegen.functions.function import FunctionTable

POWER: FunctionTable = {}
