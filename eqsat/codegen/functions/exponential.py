"""EXP, EXP2, EXPM1, SIGMOID, SILU."""

from __future__ import annotations

from eqsat.codegen.functions.function import FunctionTable

EXPONENTIAL: FunctionTable = {}
