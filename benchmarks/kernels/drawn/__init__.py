"""Workloads that nobody chose: kinds that users of array libraries run, with drawn extents, element types and axes."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.kernels.drawn import elements, folds, products, programs, windows
from benchmarks.kernels.drawn.draw import MOST, Draw
from benchmarks.kernels.workload import Workload

KINDS = (*products.KINDS, *windows.KINDS, *folds.KINDS, *elements.KINDS, *programs.KINDS)


def drawn(seed: str, numbers: Iterable[int], most: int = MOST) -> dict[str, Workload]:
    """The workloads of a seed with these numbers, by name; kinds take turns. The largest arrays have about `most` elements."""
    return {workload.name: workload for workload in (_drawn(seed, number, most) for number in numbers)}


def _drawn(seed: str, number: int, most: int) -> Workload:
    kind = KINDS[number % len(KINDS)]
    made = kind(Draw(f"{seed}:{number}", most))
    shapes = " ".join("x".join(map(str, each.shape)) for each in made.inputs)
    types = "/".join(dict.fromkeys(each.dtype for each in made.inputs))
    name = f"{number} {kind.__name__} {shapes} {types} {made.detail}".rstrip()
    return Workload(name, kind.__name__, made.function, made.inputs, made.tolerance, made.spelled)
