"""Sums of integers in fewer bits: of a count of 128 bools in 64 bits, 16 are enough, and a vector register holds four times as many."""

from __future__ import annotations

from eqsat.dtype import DType, int16, int32
from eqsat.ops import Op
from eqsat.rules.conversions.lossless import holds_bounds
from eqsat.rules.language.facts import hi, lo, shape_of
from eqsat.rules.language.pattern import Value, cast, reduce_axis
from eqsat.rules.language.rule import BOOL, INTS, Phase, Rewrite, Topic, rewrite
from eqsat.rules.language.scalar import Arg, Type, pure
from eqsat.rules.reductions.reduction_axes import count

narrow_sums = Topic("narrow sums")


@pure
def is_wider(dtype: DType, narrow: DType) -> bool:
    """Whether a dtype is an integer with more bits than `narrow`."""
    return dtype.is_int and dtype.bits > narrow.bits


def _summed_in(narrow: DType, x: Value, t: Type, axes: Arg) -> Rewrite:
    number = count(shape_of(x), axes)
    right = cast(reduce_axis(Op.ADD, cast(x, narrow), axes), t)
    guard = is_wider(t, narrow) & holds_bounds(narrow, lo(x) * number, hi(x) * number)
    return rewrite(reduce_axis(Op.ADD, cast(x, t), axes), right, where=guard)


@narrow_sums.rule(BOOL | INTS, phase=Phase.EXPLORE)
def sum_in_16_bits(x: Value, t: Type, axes: Arg) -> Rewrite:
    """A sum whose bounds 16 bits hold can be computed in 16 bits."""
    return _summed_in(int16, x, t, axes)


@narrow_sums.rule(BOOL | INTS, phase=Phase.EXPLORE)
def sum_in_32_bits(x: Value, t: Type, axes: Arg) -> Rewrite:
    """A sum whose bounds 32 bits hold can be computed in 32 bits."""
    return _summed_in(int32, x, t, axes)
