"""Kernels of ours under many schedules, each measured: what cost models are judged by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import eqsat as eq
from eqsat.array import collect_params
from eqsat.codegen import render
from eqsat.demo import programs
from eqsat.dtype import DType, from_numpy
from eqsat.pipeline import render as render_all
from eqsat.runtime import Executable
from eqsat.runtime.opencl import OpenCLDevice
from eqsat.schedule.draft import Draft
from eqsat.schedule.plan import draft
from eqsat.schedule.ranking import Variants
from eqsat.schedule.search import Choice, every_tiling
from eqsat.schedule.tiling import Tiling

SLOWEST = 30.0  # times the least prediction: schedules that are predicted to be slower are not measured
TOLERANCE = 1e-3  # by which results may differ: schedules add in different orders
Inputs = tuple[tuple[tuple[int, ...], str], ...]


def _logsumexp(xp: Any, x: Any) -> Any:
    return xp.logsumexp(x, axis=-1)


def _column_sum(xp: Any, x: Any) -> Any:
    return xp.sum(x, axis=0)


def _max_pool(xp: Any, images: Any) -> Any:
    return xp.max_pool2d(images, 3, stride=1)


def _transposed(xp: Any, x: Any) -> Any:
    return xp.permute_dims(x, (1, 0)) * 2.0


def _blur(xp: Any, x: Any) -> Any:
    """Weights 1 2 1 in both directions."""
    rows = x[:-2] + 2.0 * x[1:-1] + x[2:]
    return (rows[:, :-2] + 2.0 * rows[:, 1:-1] + rows[:, 2:]) * (1 / 16)


def _sobel(xp: Any, x: Any) -> Any:
    """How steep a picture is, by the magnitudes of both differences."""
    across = x[:, 2:] - x[:, :-2]
    down = x[2:] - x[:-2]
    right = across[:-2] + 2.0 * across[1:-1] + across[2:]
    below = down[:, :-2] + 2.0 * down[:, 1:-1] + down[:, 2:]
    return xp.abs(right) + xp.abs(below)


KERNELS: dict[str, tuple[Callable[..., Any], Inputs]] = {
    "softmax": (programs.softmax, (((512, 512), "float32"),)),
    "layer_norm": (programs.layer_norm, (((512, 512), "float32"), ((512,), "float32"), ((512,), "float32"))),
    "matmul": (programs.matmul, (((256, 256), "float32"), ((256, 256), "float32"))),
    "thin_matmul": (programs.matmul, (((1024, 64), "float32"), ((64, 512), "float32"))),
    "conv2d": (programs.convolution, (((1, 32, 28, 28), "float32"), ((32, 32, 3, 3), "float32"))),
    "sum": (programs.total, (((1 << 21,), "float32"),)),
    "column_sum": (_column_sum, (((1024, 1024), "float32"),)),
    "elementwise": (programs.elementwise_chain, (((1024, 1024), "float32"),)),
    "attention": (programs.attention, (((4, 128, 64), "float32"),) * 3),
    "blur": (_blur, (((768, 768), "float32"),)),
    "sobel": (_sobel, (((768, 768), "float32"),)),
    "logsumexp": (_logsumexp, (((512, 512), "float32"),)),
    "max_pool": (_max_pool, (((4, 8, 64, 64), "float32"),)),
    "transposed": (_transposed, (((768, 768), "float32"),)),
}
"""Functions of an array namespace with the shapes and dtypes of their arrays. Of several kernels, the one predicted to take longest varies."""


@dataclass(frozen=True, eq=False)
class Study:
    """One kernel under many schedules.

    Attributes:
        name: of the function.
        variants: the schedules, as models see them.
        possible: how many there are to draw from.
        executable: runs all variants, one after the other, behind what they need.
        first: the number of the first variant among the executable's kernels.
        inputs: what it runs on.
    """

    name: str
    variants: Variants
    possible: int
    executable: Executable
    first: int
    inputs: tuple[NDArray[Any], ...]

    def times(self, rounds: int) -> NDArray[np.float64]:
        """Seconds of each variant (column) in each round (row); in a round all take turns."""
        return self.executable.times(*self.inputs, repeats=rounds)[:, self.first :]

    def check(self) -> None:
        """Runs every variant.

        Raises:
            AssertionError: a variant's results are not those of the first.
        """
        results = self.executable(*self.inputs)
        outputs = len(results) // len(self.variants.tilings)
        for place, result in enumerate(results):
            np.testing.assert_allclose(result, results[place % outputs], TOLERANCE, TOLERANCE)


def study(name: str, device: OpenCLDevice, count: int) -> Study:
    """`count` schedules of a kernel of `KERNELS`, or all if there are fewer, spread evenly over the ranks of their predictions."""
    function, described = KERNELS[name]
    arrays = [_random(shape, dtype) for shape, dtype in described]
    specs = [eq.spec(each.shape, from_numpy(each.dtype)) for each in arrays]
    graph = eq.trace(lambda *given: function(eq, *given), *specs)
    sink = eq.optimize(graph).uop
    params = collect_params(sink)
    dense: dict[eq.UOp, eq.UOp] = {}
    for slot, node in enumerate(params):
        assert isinstance(node.dtype, DType)
        dense[node] = eq.UOp.param(slot, node.arg[1], node.dtype)
    drafts = draft(sink.substitute(dense), device.description)
    number = max(range(len(drafts.kernels)), key=lambda place: drafts.kernels[place].choice.seconds[0])
    every = _worth_measuring(every_tiling(drafts.kernels[number].profile, device.description))
    tilings = _distinct(drafts.kernels[number], every, count)
    planned = drafts.side_by_side(number, tilings)
    executable = Executable(device, planned, render_all(planned, device), save=False)
    variants = Variants(drafts.kernels[number].profile, tuple(tilings), device.description)
    return Study(
        name, variants, len(every), executable, number, tuple(arrays[node.arg[0]] for node in params)
    )


def _worth_measuring(choice: Choice) -> tuple[Tiling, ...]:
    """The tilings that are not predicted to be hopeless."""
    seconds = zip(choice.ranked, choice.seconds, strict=True)
    return tuple(tiling for tiling, predicted in seconds if predicted <= SLOWEST * choice.seconds[0])


def _distinct(chosen: Draft, ranked: tuple[Tiling, ...], count: int) -> list[Tiling]:
    """Evenly spaced ones of the ranked, no two of which are the same source; more are tried where two are."""
    for tried in range(count, 4 * count, max(1, count // 4)):
        places = np.unique(np.linspace(0, len(ranked) - 1, min(tried, len(ranked))).astype(int)).tolist()
        found: dict[str, Tiling] = {}
        for place in places:
            found.setdefault(render(chosen.kernel(ranked[place]).ast).source, ranked[place])
        if len(found) >= count or tried >= len(ranked):
            break
    kept = list(found.values())
    return [
        kept[place] for place in np.unique(np.linspace(0, len(kept) - 1, min(count, len(kept))).astype(int))
    ]


def _random(shape: tuple[int, ...], dtype: str) -> NDArray[Any]:
    return np.random.default_rng(0).random(shape).astype(dtype)
