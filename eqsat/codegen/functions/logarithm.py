"""LOG, LOG2, LOG10, LOG1P, LOGADDEXP."""

from __future__ import annotations

from eqsat.codegen.functions.function import FunctionTable

LOGARITHM: FunctionTable = {}
