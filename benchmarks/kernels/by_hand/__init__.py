"""Kernels that an expert wrote for eight of the workloads, to compare eqsat's kernels with: OpenCL C for one kind of machine.

They run as eqsat's kernels do: compiled by the same device, launched with the same arrays, with memory for results and temporaries from the same
pool. They differ in some ways. They are for float32 and for sizes that their tiles divide. Their vectors are those of AVX-512. The number of
work-items is fixed here. Exponentials are accurate to 2e-7 and ignore subnormal numbers, and NaN is not handled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Shape = tuple[int, ...]
FLOAT = np.dtype(np.float32)


class Step(NamedTuple):
    """A launch: the function, its work-items, and its arguments by number: 0 is the result, then come the inputs, and last the temporary."""

    name: str
    items: tuple[int, ...]
    arguments: tuple[int, ...]


@dataclass(frozen=True)
class Kernels:
    """The kernels that compute one result.

    Attributes:
        file: the file with the functions.
        sizes: the sizes for which they are compiled, by their names in the file.
        steps: the launches, in order.
        shape: the shape of the result.
        temporary: the number of elements that the steps pass on.
    """

    file: str
    sizes: Mapping[str, int]
    steps: tuple[Step, ...]
    shape: Shape
    temporary: int = 0

    def source(self) -> str:
        """The source for the compiler of a device."""
        defined = "".join(f"#define {name} {size}\n" for name, size in self.sizes.items())
        folder = Path(__file__).parent
        return defined + "".join((folder / name).read_text("utf-8") for name in ("common.cl", self.file))


def compiled(workload: str, inputs: Sequence[NDArray[Any]]) -> Callable[[], NDArray[Any]]:
    """A function that computes a workload of `WRITTEN` on the inputs."""
    from eqsat import UOp
    from eqsat.codegen import RenderedKernel
    from eqsat.runtime.devices import get_device
    from eqsat.runtime.layout import Layout

    kernels = WRITTEN[workload](*[each.shape for each in inputs])
    source, count = kernels.source(), len(inputs) + 1
    layout = Layout(
        count=count + 1,
        inputs=tuple((position + 1, position) for position in range(len(inputs))),
        outputs=((0, prod(kernels.shape), FLOAT),),
        temporaries=(((count,), kernels.temporary * FLOAT.itemsize),) if kernels.temporary else (),
        kept=(),
        empty=() if kernels.temporary else (count,),
        parameters=tuple(step.arguments for step in kernels.steps),
    )
    rendered = [
        RenderedKernel(step.name, source, step.items, (1,) * len(step.items), (), (), UOp.sink())
        for step in kernels.steps
    ]
    executable = get_device().compile(rendered, layout, save=False)
    return lambda: executable.run(inputs, f"running {workload} by hand")[0].reshape(kernels.shape)


def _matmul(a: Shape, b: Shape) -> Kernels:
    (rows, inner), (_, columns) = a, b
    steps = (Step("matmul", (2, columns // 32), (0, 1, 2)),)
    return Kernels("matmul.cl", {"ROWS": rows, "INNER": inner, "COLUMNS": columns}, steps, (rows, columns))


def _conv_3x3(images: Shape, weights: Shape) -> Kernels:
    (count, channels, height, width), filters = images, weights[0]
    band, tile = 7, 14
    sizes = {
        "CHANNELS": channels,
        "HEIGHT": height,
        "WIDTH": width,
        "FILTERS": filters,
        "BAND": band,
        "TILE": tile,
    }
    steps = (
        Step("pack_weights", (channels * 9,), (3, 2)),
        Step("conv_3x3", (height // band, count), (0, 1, 3)),
    )
    return Kernels("conv_3x3.cl", sizes, steps, (count, filters, height, width), prod(weights))


def _attention(queries: Shape, *_: Shape) -> Kernels:
    heads, tokens, depth = queries
    steps = (Step("attention", (tokens // 32, heads), (0, 1, 2, 3)),)
    return Kernels("attention.cl", {"TOKENS": tokens, "DEPTH": depth}, steps, queries)


def _rows(file: str, name: str, items: int, inputs: Sequence[Shape]) -> Kernels:
    rows, columns = inputs[0]
    steps = (Step(name, (items,), tuple(range(len(inputs) + 1))),)
    return Kernels(file, {"ROWS": rows, "COLUMNS": columns}, steps, (rows, columns))


def _sum(x: Shape) -> Kernels:
    parts = 64
    steps = (Step("sum_of_part", (parts,), (2, 1)), Step("sum_of_parts", (1,), (0, 2)))
    return Kernels("sum.cl", {"SIZE": x[0], "PARTS": parts}, steps, (), parts)


WRITTEN: Mapping[str, Callable[..., Kernels]] = {
    "matmul_512": _matmul,
    "matmul_1024": _matmul,
    "conv_3x3": _conv_3x3,
    "attention": _attention,
    "softmax": lambda *inputs: _rows("norms.cl", "softmax", 256, inputs),
    "layer_norm": lambda *inputs: _rows("norms.cl", "layer_norm", 256, inputs),
    "sum": _sum,
    "scaled_gelu": lambda *inputs: _rows("gelu.cl", "scaled_gelu", 256, inputs),
}
