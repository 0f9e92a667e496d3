"""SINH, COSH, TANH and their inverses."""

from __future__ import annotations

from eqsat.codegen.functions.function import FunctionTable

HYPERBOLIC: FunctionTable = {}
