"""The stages of the pipeline up to rendered source, for benchmarks that leave the OpenCL compiler out."""

from __future__ import annotations

import eqsat as eq
from eqsat.pipeline.compilation import as_sink, planned
from eqsat.runtime import get_device


def render_sources(graph: eq.UOp, plan: eq.Plan) -> list[str]:
    """Saturates, extracts kernels and renders, as `eqsat.compile` does before it builds; returns the source of each kernel."""
    return [kernel.source for kernel in planned(as_sink(graph), plan, get_device(plan.device)).kernels]
