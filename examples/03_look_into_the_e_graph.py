"""What the rules did to a program: the time that is predicted, a lower bound, and which rules fired."""

import eqsat as eq


def wasteful(x: eq.Array) -> eq.Array:
    """Doubles, transposes twice and adds nothing, to see it go."""
    return (
        eq.permute_dims(eq.permute_dims(x * 1.0 + x, (1, 0)), (1, 0))
        + eq.zeros((128, 64), dtype=eq.float32) * 1.0
    )


graph = eq.trace(wasteful, eq.spec((128, 64), eq.float32))
best = eq.optimize(graph)
print(
    f"{len(graph.toposort())} UOps became {len(best.uop.toposort())}; "
    f"predicted {best.cost * 1e6:.3g} µs, at least {best.lower_bound * 1e6:.3g}"
)
print(
    f"the e-graph has {best.report.nodes} nodes in {best.report.classes} classes; it stopped because: {best.report.stop.value}"
)
for rule in best.report.rules:
    if rule.matches:
        print(f"  {rule.name}: {rule.matches}")
print(best.uop.pretty())
