"""ERF, ERFC and GELU."""

from __future__ import annotations

from eqsat.codegen.functions.function import FunctionTable

ERROR_FUNCTION: FunctionTable = {}
