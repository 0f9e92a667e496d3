"""SIN, COS and TAN of any angle, in radians."""

from __future__ import annotations

from eqsat.codegen.functions.function import FunctionTable

CIRCULAR: FunctionTable = {}
