"""Measures how the time to source grows with the graph: chains of elementwise operations, and programs whose loops Python unrolls.

Times are processor times of this process. `growth` is the exponent of growth from the row above to this one: 1 is linear.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log
from statistics import median
from time import process_time
from typing import Any

import eqsat as eq
from benchmarks import networks
from benchmarks.report import milliseconds, parser, publish
from eqsat.demo.programs import transformer_block
from eqsat.pipeline.compilation import planned
from eqsat.runtime import get_device
from eqsat.uop import UOp

Shapes = list[tuple[int, ...]]


@dataclass(frozen=True)
class Family:
    """Programs of one kind and different sizes.

    Attributes:
        name: the name of the family.
        function: a function of an array namespace, a size and arrays.
        shapes: the shapes of the arrays for a size.
        sizes: the sizes that are measured.
    """

    name: str
    function: Callable[..., Any]
    shapes: Callable[[int], Shapes]
    sizes: tuple[int, ...]

    def graph(self, size: int) -> UOp:
        """The array program for a size."""
        specs = (eq.spec(shape, eq.float32) for shape in self.shapes(size))
        found = eq.trace(lambda *arrays: self.function(eq, size, *arrays), *specs)
        return found if found.op is eq.Op.SINK else UOp.sink(found)


def chain(xp: Any, size: int, x: Any) -> Any:
    """Operations of several kinds in a row, no two neighbours of the same kind, so that few of them simplify."""
    y = x
    for number in range(size):
        match number % 5:
            case 0:
                y = y * (1.0 + number % 97 / 16)
            case 1:
                y = y + x
            case 2:
                y = xp.maximum(y, -float(number % 97))
            case 3:
                y = y - 0.5 * (number % 97)
            case _:
                y = xp.sin(y)
    return y


def outputs(xp: Any, size: int, x: Any) -> Any:
    """`size` results, each of which one operation or two compute from the same array."""
    return [x * (1.0 + number / 16) + number for number in range(size)]


def chained_outputs(xp: Any, size: int, x: Any) -> Any:
    """`size` results, each computed from the one before."""
    results = [x * 0.5 + 1.0]
    for number in range(1, size):
        results.append(results[-1] * (0.5 + 1 / (1 + number)) + number)
    return results


def line_stencil(xp: Any, size: int, x: Any) -> Any:
    """Weighted sums of three neighbours, with zeros outside, repeated `size` times."""
    for _ in range(size):
        x = xp.pad(0.25 * x[:-2] + 0.5 * x[1:-1] + 0.25 * x[2:], [(1, 1)])
    return x


def volume_stencil(xp: Any, size: int, x: Any) -> Any:
    """Heat that spreads to six neighbours, repeated `size` times."""
    for _ in range(size):
        y = 0.4 * x[1:-1, 1:-1, 1:-1]
        for axis in range(3):
            for begin in (0, 2):
                window = [slice(1, -1)] * 3
                window[axis] = slice(begin, x.shape[axis] - 2 + begin)
                y = y + 0.1 * x[tuple(window)]
        x = xp.pad(y, [(1, 1)] * 3)
    return x


def recurrent(xp: Any, size: int, x: Any, state: Any, into: Any, over: Any, shift: Any) -> Any:
    """A recurrent cell over `size` steps."""
    for step in range(size):
        state = xp.tanh(xp.matmul(x[step], into) + xp.matmul(state, over) + shift)
    return state


def gated(xp: Any, size: int, x: Any, state: Any, cell: Any, into: Any, over: Any) -> Any:
    """A cell with long short-term memory over `size` steps, whose inputs are parts of one array."""
    for step in range(size):
        inner = xp.matmul(x[:, step], into) + xp.matmul(state, over)
        keep, take, show = (1.0 / (1.0 + xp.exp(-inner[:, 64 * gate : 64 * gate + 64])) for gate in range(3))
        cell = keep * cell + take * xp.tanh(inner[:, 192:])
        state = show * xp.tanh(cell)
    return state


def layers(xp: Any, size: int, x: Any, *weights: Any) -> Any:
    """A deep network of equal layers."""
    for weight in weights:
        x = xp.maximum(xp.matmul(x, weight), 0.0)
    return x


def transformer(xp: Any, size: int, tokens: Any, *weights: Any) -> Any:
    """A row of equal transformer blocks."""
    for block in range(size):
        tokens = transformer_block(xp, tokens, *weights[6 * block : 6 * block + 6])
    return tokens


WIDTH = 96  # the width of the transformer
BLOCK = [(2, WIDTH), (2, WIDTH), (WIDTH, 3 * WIDTH), (WIDTH, WIDTH), (WIDTH, 4 * WIDTH), (4 * WIDTH, WIDTH)]

FAMILIES = (
    Family("chain", chain, lambda size: [(4096,)], (10, 100, 1_000, 10_000)),
    Family("outputs", outputs, lambda size: [(100,)], (100, 200, 400, 800)),
    Family("chained outputs", chained_outputs, lambda size: [(100,)], (100, 200, 400, 800)),
    Family("stencil 1-D", line_stencil, lambda size: [(4096,)], (10, 50, 100, 200)),
    Family("stencil 3-D", volume_stencil, lambda size: [(32, 32, 32)], (5, 10, 20)),
    Family(
        "recurrent",
        recurrent,
        lambda size: [(size, 16, 32), (16, 64), (32, 64), (64, 64), (64,)],
        (8, 16, 32, 64),
    ),
    Family(
        "gated",
        gated,
        lambda size: [(16, size, 32), (16, 64), (16, 64), (32, 256), (64, 256)],
        (8, 24, 48, 96),
    ),
    Family("layers", layers, lambda size: [(64, 128), *[(128, 128)] * size], (8, 16, 32, 64)),
    Family("transformer", transformer, lambda size: [(64, WIDTH), *BLOCK * size], (1, 4, 12, 24)),
    Family("text", networks.transformer, networks.transformer_shapes, (1, 12, 48)),
    Family("images", networks.residual_network, networks.residual_shapes, (26, 50, 101)),
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure each size of each family."""
    command = parser(__doc__)
    command.set_defaults(rounds=1)
    command.add_argument(
        "--families", nargs="+", help="only these", default=[family.name for family in FAMILIES]
    )
    command.add_argument("--sizes", type=int, nargs="+", help="other sizes")
    parsed = command.parse_args(arguments)
    rows: list[dict[str, Any]] = []
    measure(FAMILIES[0], 1, 1)  # does what happens once per process: imports, registering the rules
    for family in FAMILIES:
        if family.name not in parsed.families:
            continue
        measure(FAMILIES[0], 1, 1)  # does what happens once per process: imports, registering the rules
        above: dict[str, Any] | None = None
        for size in parsed.sizes or family.sizes:
            row = measure(family, size, parsed.rounds)
            if above:
                times = row["to_source_ms"] / above["to_source_ms"]
                row["growth"] = round(log(times) / log(row["uops"] / above["uops"]), 2)
            rows.append(row)
            above = row
    publish("scaling", rows, parsed)


def measure(family: Family, size: int, rounds: int) -> dict[str, Any]:
    """One row: the median times of optimizing the algebra alone, and of everything down to source, as `eqsat.compile` does it."""
    graph = family.graph(size)
    optimize: list[float] = []
    source: list[float] = []
    for _ in range(rounds):
        start = process_time()
        best = eq.optimize(graph, eq.Plan(cost=eq.LoopAware()))
        optimize.append(process_time() - start)
        start = process_time()
        kernels = planned(graph, eq.Plan(), get_device(None)).kernels
        source.append(process_time() - start)
    nodes = len(graph.toposort())
    return {
        "family": family.name,
        "size": size,
        "uops": nodes,
        "optimize_ms": milliseconds(median(optimize)),
        "to_source_ms": milliseconds(median(source)),
        "ms_per_uop": round(median(source) * 1e3 / nodes, 2),
        "kernels": len(kernels),
        "different": len({kernel.source for kernel in kernels}),
        "egraph_nodes": best.report.nodes,
        "stop": best.report.stop.value,
        "growth": None,
    }


if __name__ == "__main__":
    main()
