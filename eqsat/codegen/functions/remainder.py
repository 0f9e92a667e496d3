"""FMOD: the exact remainder of a truncated quotient."""

from __future__ import annotations

from eqsat.codegen.functions.function import FunctionTable

REMAINDER: FunctionTable = {}
