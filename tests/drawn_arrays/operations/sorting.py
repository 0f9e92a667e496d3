"""Sorting, and what is found by it. The host runs some of these steps."""

from __future__ import annotations

from functools import partial

from eqsat.array.nodes.sorting import MOST_SEARCHES
from tests.drawn_arrays.operations.forms import along, reduction
from tests.drawn_arrays.operations.indexing import top_k
from tests.drawn_arrays.operations.step import Operation
from tests.drawn_arrays.operations.undefined import beside_infinities, zeros_tie
from tests.drawn_arrays.oracle import Accuracy

MIDDLE = Accuracy(sums=True, scale="largest")
QUANTILES = tuple(f", q={q}" for q in (0.0, 0.25, 0.5, 0.75, 1.0))  # at places that floats hold exactly
METHODS = tuple(
    f', q={q}, method="{name}"' for q in (0.25, 0.5) for name in ("lower", "higher", "midpoint", "nearest")
)


def many(extent: int) -> tuple[int, int]:
    """The fewest and the most elements of an axis, so many that the host finds them, if there are."""
    return min(extent, MOST_SEARCHES + 1), extent


SORTING = (
    Operation("sort", along("sort", more=("", ", descending=True"))),
    Operation(
        "sort",
        along("sort", more=(", stable=False", ", descending=True, stable=False")),
        undefined=zeros_tie,
    ),
    Operation("top_k", partial(top_k, count=many)),
    Operation("argsort", along("argsort", more=("", ", descending=True"))),
    Operation("median", reduction("median", filled=True), MIDDLE),
    Operation("quantile", reduction("quantile", filled=True, more=(*QUANTILES, *METHODS)), MIDDLE),
    Operation("nanmedian", reduction("nanmedian", filled=True), MIDDLE),
    Operation(
        "nanquantile", reduction("nanquantile", "f", filled=True, more=QUANTILES), MIDDLE, beside_infinities
    ),
)
