"""Functions under several extractions and many schedules, each of which is measured, to judge cost models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import eqsat as eq
from benchmarks.kernel_models import KernelModel, Variants, every_tiling
from benchmarks.learned_ranking import LearnedRanking
from benchmarks.members import members
from eqsat.array.data import collect_params
from eqsat.demo import programs
from eqsat.dtype import from_numpy
from eqsat.pipeline import render
from eqsat.pipeline.planning.tuning import distinct
from eqsat.runtime import Device, Executable, machine_of
from eqsat.schedule.draft import Drafts
from eqsat.schedule.loops.search import Choice
from eqsat.schedule.tiling import Tiling

SLOWEST = 30.0  # schedules that are predicted to take more than this times the least are not measured
MOST_MEMBERS = 8  # extractions of one function
TOLERANCE = 1e-3  # allowed relative and absolute difference of results: schedules add in different orders
Floats = NDArray[np.float64]
Model = KernelModel | LearnedRanking
Inputs = tuple[tuple[tuple[int, ...], str], ...]


def _logsumexp(xp: Any, x: Any) -> Any:
    return xp.logsumexp(x, axis=-1)


def _column_sum(xp: Any, x: Any) -> Any:
    return xp.sum(x, axis=0)


def _max_pool(xp: Any, images: Any) -> Any:
    return xp.max_pool2d(images, 3, stride=1)


def _gelu(xp: Any, x: Any) -> Any:
    return xp.gelu(x)


def _transposed(xp: Any, x: Any) -> Any:
    return xp.permute_dims(x, (1, 0)) * 2.0


def _blur(xp: Any, x: Any) -> Any:
    """A blur with the weights 1 2 1 in both directions."""
    rows = x[:-2] + 2.0 * x[1:-1] + x[2:]
    return (rows[:, :-2] + 2.0 * rows[:, 1:-1] + rows[:, 2:]) * (1 / 16)


def _sobel(xp: Any, x: Any) -> Any:
    """The edge strength of a picture: the sum of the magnitudes of both Sobel derivatives."""
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
    "gelu": (_gelu, (((512, 512), "float32"),)),
    "attention": (programs.attention, (((4, 128, 64), "float32"),) * 3),
    "blur": (_blur, (((768, 768), "float32"),)),
    "sobel": (_sobel, (((768, 768), "float32"),)),
    "logsumexp": (_logsumexp, (((512, 512), "float32"),)),
    "max_pool": (_max_pool, (((4, 8, 64, 64), "float32"),)),
    "transposed": (_transposed, (((768, 768), "float32"),)),
}
"""Functions of an array namespace with the shapes and dtypes of their arrays. """


@dataclass(frozen=True, eq=False)
class Member:
    """One extraction. Its kernel that is predicted to take longest varies: it has many schedules.

    Attributes:
        drafts: the kernels of the extraction.
        number: the number of the kernel that varies.
        tilings: the schedules of that kernel.
        inputs: the arrays that the extraction runs on.
        possible: the number of schedules from which `tilings` were drawn.
        device: the device for which all this is.
    """

    drafts: Drafts
    number: int
    tilings: tuple[Tiling, ...]
    inputs: tuple[Floats, ...]
    possible: int
    device: Device

    @property
    def variants(self) -> Variants:
        """The schedules of the kernel that varies, in the form that models read."""
        return Variants(self.drafts.kernels[self.number].profile, self.tilings, machine_of(self.device))

    def predict(self, model: Model) -> Floats:
        """A model's prediction for all kernels together, for each schedule of the kernel that varies."""
        others = [each for place, each in enumerate(self.drafts.kernels) if place != self.number]
        fixed = [Variants(each.profile, (each.choice.best,), machine_of(self.device)) for each in others]
        return model.predict(self.variants) + sum(float(model.predict(each)[0]) for each in fixed)

    def executables(self) -> list[Executable]:
        """One program for each schedule."""
        planned = [self.drafts.schedule({self.number: tiling}) for tiling in self.tilings]
        return [Executable(self.device, each, render(each, self.device), save=False) for each in planned]


@dataclass(frozen=True, eq=False)
class Study:
    """One function under other extractions, each under many schedules.

    Attributes:
        name: the name of the function.
        members: the extractions.
    """

    name: str
    members: tuple[Member, ...]

    @cached_property
    def programs(self) -> list[tuple[Member, Executable]]:
        """Every variant: all schedules of the first member, then those of the second, and so on."""
        return [(member, program) for member in self.members for program in member.executables()]

    def predict(self, model: Model) -> Floats:
        """A model's prediction for each variant."""
        return np.concatenate([member.predict(model) for member in self.members])

    def check(self) -> None:
        """Runs every variant, and checks that all give the same results.

        Raises:
            AssertionError: the results of a variant differ from those of the first.
        """
        results = [program(*member.inputs) for member, program in self.programs]
        for result in results:
            for found, expected in zip(result, results[0], strict=True):
                np.testing.assert_allclose(found, expected, TOLERANCE, TOLERANCE)

    def times(self, rounds: int) -> Times:
        """Seconds of each variant (column) in each round (row); in a round all take turns."""
        whole, varied = np.zeros((2, rounds, len(self.programs)))
        for turn in range(rounds):
            for place, (member, program) in enumerate(self.programs):
                (seconds,) = program.times(*member.inputs, repeats=1)
                whole[turn, place], varied[turn, place] = seconds.sum(), seconds[member.number]
        return Times(whole, varied)

    def by_member(self, values: Floats) -> list[Floats]:
        """Splits values of all variants into those of each member."""
        return np.split(values, np.cumsum([len(member.tilings) for member in self.members])[:-1])


@dataclass(frozen=True, eq=False)
class Times:
    """Seconds by round (row) and variant (column): `whole` for all kernels, `varied` for the kernel that varies."""

    whole: Floats
    varied: Floats


def study(name: str, device: Device, count: int) -> Study:
    """At least `count` variants of a function of `KERNELS`, or all if there are fewer.

    Each extraction has equally many, spread evenly over the ranks of their predictions.
    """
    function, described = KERNELS[name]
    arrays = [_random(shape, dtype) for shape, dtype in described]
    specs = [eq.spec(each.shape, from_numpy(each.dtype)) for each in arrays]
    graph = eq.trace(lambda *given: function(eq, *given), *specs)
    found = members(graph, device, MOST_MEMBERS)
    shares = np.linspace(0, 1, count).tolist()
    return Study(name, tuple(
        _member(sink, drafts, arrays, device, shares[place :: len(found)]) for place, (sink, drafts) in enumerate(found)
    ))  # fmt: skip


def _member(
    sink: eq.UOp, drafts: Drafts, arrays: list[NDArray[Any]], device: Device, shares: Sequence[float]
) -> Member:
    number = max(range(len(drafts.kernels)), key=lambda place: drafts.kernels[place].choice.best_seconds)
    every = _worth_measuring(every_tiling(drafts.kernels[number].profile, machine_of(device)))
    places = [round(share * (len(every) - 1)) for share in shares]
    choices = distinct(drafts.kernels[number], every, places, device.dialect)
    tilings = tuple(tiling for tiling, _ in choices)
    inputs = tuple(arrays[node.arg[0]] for node in collect_params(sink))
    return Member(drafts, number, tilings, inputs, len(every), device)


def _worth_measuring(choice: Choice) -> tuple[Tiling, ...]:
    """The tilings that are not predicted to be far too slow, the quickest first."""
    seconds = zip(choice.ranked, choice.seconds, strict=True)
    return tuple(tiling for tiling, predicted in seconds if predicted <= SLOWEST * choice.best_seconds)


def _random(shape: tuple[int, ...], dtype: str) -> NDArray[Any]:
    return np.random.default_rng(0).random(shape).astype(dtype)
