"""ASIN, ACOS, ATAN, ATAN2."""

from __future__ import annotations

from eqsat.codegen.functions.function import FunctionTable

INVERSE_CIRCULAR: FunctionTable = {}
