"""Convolution and pooling."""

from __future__ import annotations

import math

from tests.drawn_arrays.operations.forms import Draw
from tests.drawn_arrays.operations.step import Choice, Drawn, Operation
from tests.drawn_arrays.operations.undefined import zeros_tie
from tests.drawn_arrays.oracle import SUM, Accuracy


def pool(name: str, axes: int, kinds: str, dilates: bool) -> Draw:
    """Windows along the last axes, with a frame around them."""

    def draw(choice: Choice) -> Drawn | None:
        chance = choice.chance
        place = choice.one(kinds, filled=True, least_rank=axes)
        if place is None:
            return None
        extents = choice.values[place].shape[-axes:]
        padding, dilation = chance.choice((0, 0, 1)), chance.choice((1, 1, 2)) if dilates else 1
        sizes = tuple(chance.randint(1, _most_taps(extent, padding, dilation)) for extent in extents)
        size = sizes if chance.random() < 0.8 else min(sizes)
        taps = math.prod(sizes) if isinstance(size, tuple) else size**axes
        gaps = f", dilation={dilation}" * dilates
        mode = ", ceil_mode=True" * (chance.random() < 0.3)
        counted = ", count_include_pad=False" * (not dilates and chance.random() < 0.3)
        how = f"stride={chance.randint(1, 4)}, padding={padding}{gaps}{mode}{counted}"
        return Drawn(f"xp.{name}({{}}, {size}, {how})", (place,), taps)

    return draw


def convolution(name: str, axes: int) -> Draw:
    """With filters that are a part of the image, so that they always fit."""

    def draw(choice: Choice) -> Drawn | None:
        chance = choice.chance
        place = choice.one(filled=True, rank=axes + 2)
        if place is None:
            return None
        batch, channels, *extents = choice.values[place].shape
        padding, dilation = chance.choice((0, 0, 1, 2)), chance.choice((1, 1, 2))
        taps = [min(extent, chance.randint(1, _most_taps(extent, padding, dilation))) for extent in extents]
        filters = chance.randint(1, batch)
        groups = chance.choice([each for each in (1, 2, 3) if channels % each == filters % each == 0])
        cut = ", ".join(f":{extent}" for extent in (filters, channels // groups, *taps))
        bias = f", xp.reshape({{}}, (-1,))[:{filters}]" * chance.randint(0, 1)
        how = f"stride={chance.randint(1, 3)}, padding={padding}, dilation={dilation}, groups={groups}"
        operands = (place,) * (3 if bias else 2)
        return Drawn(
            f"xp.{name}({{}}, {{}}[{cut}]{bias}, {how})", operands, channels // groups * math.prod(taps)
        )

    return draw


def transposed_convolution(name: str, axes: int) -> Draw:
    """With filters that are a part of the image, of whose channels there are as many as images: both are cut to as few."""

    def draw(choice: Choice) -> Drawn | None:
        chance = choice.chance
        place = choice.one(filled=True, rank=axes + 2)
        if place is None:
            return None
        batch, channels, *extents = choice.values[place].shape
        common = min(batch, channels)
        groups = chance.choice([each for each in (1, 2, 3) if common % each == 0])
        taps = [min(extent, chance.randint(1, 4)) for extent in extents]
        filters = chance.randint(1, channels)
        stride, dilation = chance.randint(1, 3), chance.choice((1, 1, 2))
        most = min(
            (extent - 1) * stride + (tap - 1) * dilation for extent, tap in zip(extents, taps, strict=True)
        )
        padding = min(chance.choice((0, 0, 1, 2)), most // 2)
        cut = ", ".join(f":{extent}" for extent in (common, filters, *taps))
        bias = f", xp.reshape({{}}, (-1,))[:{filters * groups}]" * chance.randint(0, 1)
        how = f"stride={stride}, padding={padding}, output_padding={chance.randint(0, stride - 1)}, dilation={dilation}, groups={groups}"
        operands = (place,) * (3 if bias else 2)
        return Drawn(
            f"xp.{name}({{}}[:, :{common}], {{}}[{cut}]{bias}, {how})",
            operands,
            common // groups * math.prod(taps),
        )

    return draw


def _most_taps(extent: int, padding: int, dilation: int) -> int:
    """Of a window within a framed axis."""
    return min(4, (extent + 2 * padding - 1) // dilation + 1)


CONVOLUTION = Accuracy(sums=True, roundings=1)  # before the bias is added

WINDOWS = (
    Operation("conv1d", convolution("conv1d", 1), CONVOLUTION),
    Operation("conv2d", convolution("conv2d", 2), CONVOLUTION),
    Operation("conv3d", convolution("conv3d", 3), CONVOLUTION),
    Operation("conv_transpose1d", transposed_convolution("conv_transpose1d", 1), CONVOLUTION),
    Operation("conv_transpose2d", transposed_convolution("conv_transpose2d", 2), CONVOLUTION),
    Operation("conv_transpose3d", transposed_convolution("conv_transpose3d", 3), CONVOLUTION),
    Operation("max_pool1d", pool("max_pool1d", 1, "iuf", dilates=True), undefined=zeros_tie),
    Operation("max_pool2d", pool("max_pool2d", 2, "iuf", dilates=True), undefined=zeros_tie),
    Operation("max_pool3d", pool("max_pool3d", 3, "iuf", dilates=True), undefined=zeros_tie),
    Operation("avg_pool1d", pool("avg_pool1d", 1, "biuf", dilates=False), SUM),
    Operation("avg_pool2d", pool("avg_pool2d", 2, "biuf", dilates=False), SUM),
    Operation("avg_pool3d", pool("avg_pool3d", 3, "biuf", dilates=False), SUM),
)
