"""Many elements to one, and running sums."""

from __future__ import annotations

from tests.drawn_arrays.operations.forms import along, reduction
from tests.drawn_arrays.operations.step import Choice, Drawn, Operation
from tests.drawn_arrays.operations.undefined import zeros_tie
from tests.drawn_arrays.oracle import FORMULA, SUM, Accuracy

CORRECTIONS = ("", ", correction=1", ", correction=0.5")


def segment_sum(choice: Choice) -> Drawn | None:
    """The rows of a value, by labels of which some are out of range."""
    place = choice.one(least_rank=1)
    if place is None:
        return None
    extent, count = choice.values[place].shape[0], choice.chance.randint(0, 4)
    return Drawn(f"xp.segment_sum({{}}, {_labels(choice, extent, count)}, {count})", (place,), extent)


def bincount(choice: Choice) -> Drawn | None:
    """The elements of integers, or weights of labels of which some are out of range."""
    length = choice.chance.randint(0, 4)
    if choice.chance.random() < 0.5:
        place = choice.one("biu")
        return (
            None
            if place is None
            else Drawn(f"xp.bincount(xp.reshape({{}}, (-1,)), length={length})", (place,))
        )
    place = choice.one(rank=1)
    if place is None:
        return None
    extent = choice.values[place].shape[0]
    return Drawn(f"xp.bincount({_labels(choice, extent, length)}, {{}}, length={length})", (place,), extent)


def _labels(choice: Choice, extent: int, count: int) -> str:
    return f'xp.asarray({[choice.chance.randint(-1, count) for _ in range(extent)]}, dtype="int64")'


def repeated_differences(choice: Choice) -> Drawn | None:
    """Not of bfloat16, for which NumPy's float32 would be rounded once and not after each difference."""
    drawn = along("diff", more=(", n=2",))(choice)
    if drawn is None or choice.values[drawn.operands[0]].dtype == "bfloat16":
        return None
    return drawn


REDUCTIONS = (
    Operation("sum", reduction("sum"), SUM),
    Operation("mean", reduction("mean", filled=True), SUM),
    Operation("var", reduction("var", filled=True, more=CORRECTIONS), FORMULA),
    Operation("std", reduction("std", filled=True, more=CORRECTIONS), FORMULA),
    Operation("logsumexp", reduction("logsumexp", filled=True), FORMULA),
    Operation("prod", reduction("prod"), Accuracy(products=True, scale="logarithm_sizes")),
    Operation("max", reduction("max", filled=True), undefined=zeros_tie),
    Operation("min", reduction("min", filled=True), undefined=zeros_tie),
    Operation("nansum", reduction("nansum"), SUM),
    Operation("nanmean", reduction("nanmean", filled=True), SUM),
    Operation("nanprod", reduction("nanprod"), Accuracy(products=True, scale="logarithm_sizes")),
    *(Operation(name, reduction(name, filled=True), undefined=zeros_tie) for name in ("nanmax", "nanmin")),
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
    Operation("segment_sum", segment_sum, SUM),
    Operation("bincount", bincount, SUM),
    Operation("diff", along("diff", more=("", ", n=0"))),
    Operation("diff", repeated_differences),
)
