"""Many elements to one, and running sums."""

from __future__ import annotations

from tests.drawn_arrays.operations.forms import along, reduction
from tests.drawn_arrays.operations.step import Operation
from tests.drawn_arrays.operations.undefined import zeros_tie
from tests.drawn_arrays.oracle import FORMULA, SUM, Accuracy

CORRECTIONS = ("", ", correction=1", ", correction=0.5")

REDUCTIONS = (
    Operation("sum", reduction("sum"), SUM),
    Operation("mean", reduction("mean", filled=True), SUM),
    Operation("var", reduction("var", filled=True, more=CORRECTIONS), FORMULA),
    Operation("std", reduction("std", filled=True, more=CORRECTIONS), FORMULA),
    Operation("logsumexp", reduction("logsumexp", filled=True), FORMULA),
    Operation("prod", reduction("prod"), Accuracy(products=True, scale="logarithm_sizes")),
    Operation("max", reduction("max", filled=True), undefined=zeros_tie),
    Operation("min", reduction("min", filled=True), undefined=zeros_tie),
    *(Operation(name, reduction(name)) for name in ("any", "all", "count_nonzero")),
    *(
        Operation(name, along(name, filled=True, flat=True, more=("", ", keepdims=True")))
        for name in ("argmax", "argmin")
    ),
    Operation("cumulative_sum", along("cumulative_sum", more=("", ", include_initial=True")), SUM),
    Operation(
        "cumulative_prod",
        along("cumulative_prod"),
        Accuracy(products=True, scale="cumulative_logarithm_sizes"),
    ),
    *(Operation(name, along(name), undefined=zeros_tie) for name in ("cumulative_max", "cumulative_min")),
    Operation("diff", along("diff", more=("", ", n=2", ", n=0"))),
)
