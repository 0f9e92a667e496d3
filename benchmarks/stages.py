"""The stages of the pipeline up to rendered source, for benchmarks that leave the OpenCL compiler out."""

from __future__ import annotations

import eqsat as eq


def render_sources(graph: eq.UOp, plan: eq.Plan) -> list[str]:
    """Optimize, schedule and render; gives the source of each kernel."""
    return [kernel.source for kernel in eq.pipeline.render(eq.optimize(graph, plan), plan)]
