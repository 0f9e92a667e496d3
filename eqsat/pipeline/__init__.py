"""The stages in order: from a function on arrays to a program on a device.

trace → optimize (saturate, extract) → schedule → render → compile → run
"""

from eqsat.pipeline.compilation import compile, compile_as_it_is, render
from eqsat.pipeline.emission import emit_c
from eqsat.pipeline.equality import prove_equal
from eqsat.pipeline.functions.mapping import vmap
from eqsat.pipeline.functions.scanning import associative_scan, scan
from eqsat.pipeline.functions.tracing import Spec, spec, trace
from eqsat.pipeline.just_in_time import jit
from eqsat.pipeline.optimization import Optimized, optimize, profile
from eqsat.pipeline.planning.plan import Plan
from eqsat.pipeline.planning.planned import Compilation
from eqsat.pipeline.planning.staging import staged
from eqsat.pipeline.programs.loading import load
from eqsat.pipeline.programs.program import Program
from eqsat.pipeline.simplification import explain_simplify, facts, simplify

__all__ = [
    "Compilation",
    "Optimized",
    "Plan",
    "Program",
    "Spec",
    "associative_scan",
    "compile",
    "compile_as_it_is",
    "emit_c",
    "explain_simplify",
    "facts",
    "jit",
    "load",
    "optimize",
    "profile",
    "prove_equal",
    "render",
    "scan",
    "simplify",
    "spec",
    "staged",
    "trace",
    "vmap",
]
