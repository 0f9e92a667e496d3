"""NumPy under eqsat's names: what a step gives that is carried out by `xp.` functions on NumPy's arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy import special

from eqsat.reference import elementary
from tests.drawn_arrays.oracle import formulas
from tests.drawn_arrays.oracle.intervals import Interval
from tests.drawn_arrays.oracle.precision import WIDE
from tests.drawn_arrays.values import Numbers, round_to


class Namespace:
    """NumPy's functions, and those of eqsat's that NumPy lacks."""

    def __getattr__(self, name: str) -> Any:
        return _by_formula(getattr(formulas, name)) if name in formulas.NAMES else getattr(np, name)

    def astype(self, x: Numbers, dtype: str) -> Numbers:
        """As NumPy, and to bfloat16, which is held in float32."""
        return round_to(np.asarray(x), dtype)

    def bitcast(self, x: Numbers, dtype: str) -> Numbers:
        """The bits read as another dtype; of a bool, whether there are any."""
        if dtype == "bool":
            return np.asarray(x) != 0
        return np.ascontiguousarray(x).view(dtype).reshape(np.shape(x))

    # functions of one element

    def sigmoid(self, x: Numbers) -> Numbers:
        x = _floating(x)
        return (1 / (1 + np.exp(-x))).astype(x.dtype)

    def silu(self, x: Numbers) -> Numbers:
        x = _floating(x)
        return np.where(x == -np.inf, -x.dtype.type(0), x * self.sigmoid(x)).astype(x.dtype)

    def erf(self, x: Numbers) -> Numbers:
        return _special(x, elementary.erf, special.erf)

    def erfc(self, x: Numbers) -> Numbers:
        return _special(x, elementary.erfc, special.erfc)

    def gelu(self, x: Numbers, approximate: str = "none") -> Numbers:
        if approximate == "tanh":
            return _by_formula(formulas.gelu)(x, approximate=approximate)
        return _special(x, elementary.gelu, _gelu)

    def relu(self, x: Numbers) -> Numbers:
        return np.maximum(x, 0)

    def cumulative_max(self, x: Numbers, axis: int) -> Numbers:
        return np.maximum.accumulate(x, axis=axis)

    def cumulative_min(self, x: Numbers, axis: int) -> Numbers:
        return np.minimum.accumulate(x, axis=axis)

    def top_k(self, x: Numbers, k: int, axis: int) -> tuple[Numbers, Numbers]:
        found = self.argsort(x, axis, descending=True).take(range(k), axis=axis)
        return np.take_along_axis(x, found, axis), found

    def argsort(self, x: Numbers, axis: int, descending: bool = False) -> Numbers:
        """By a stable sort of ranks, which equal elements have in common, and all NaNs."""
        ranks = np.unique(x, return_inverse=True)[1].reshape(x.shape)
        return np.argsort(-ranks if descending else ranks, axis=axis, kind="stable")

    def sort(self, x: Numbers, axis: int, descending: bool = False, stable: bool = True) -> Numbers:
        return np.take_along_axis(x, self.argsort(x, axis, descending), axis)

    def median(self, x: Numbers, axis: Any, keepdims: bool) -> Numbers:
        """NumPy's fails over several axes where there are no elements."""
        return (np.median if x.size else np.mean)(x, axis=axis, keepdims=keepdims)

    def nanmedian(self, x: Numbers, axis: Any, keepdims: bool) -> Numbers:
        return (np.nanmedian if x.size else np.mean)(x, axis=axis, keepdims=keepdims)

    def nanquantile(self, x: Numbers, q: float, axis: Any, keepdims: bool) -> Numbers:
        if not x.size:
            return np.mean(x, axis=axis, keepdims=keepdims)
        return np.nanquantile(x, q, axis=axis, keepdims=keepdims)

    def quantile(self, x: Numbers, q: float, axis: Any, keepdims: bool, method: str = "linear") -> Numbers:
        """At the place of an element it is that element. NumPy's is NaN where that is infinite."""
        if not x.size:
            return np.mean(x, axis=axis, keepdims=keepdims)
        x = x.astype(np.float64) if x.dtype.kind in "biu" else x
        last = x.size // np.sum(x, axis=axis).size - 1
        method = "lower" if (q * last).is_integer() else method
        return np.quantile(x, q, axis=axis, keepdims=keepdims, method=method)

    def largest(self, x: Numbers, q: float = 0, *, axis: Any, keepdims: bool, method: str = "") -> Numbers:
        """The greatest number, whatever the quantile."""
        return np.fmax.reduce(x, axis=axis, keepdims=keepdims)

    def diagonal(self, x: Numbers, offset: int) -> Numbers:
        return np.linalg.diagonal(x, offset=offset)

    def one_hot(self, x: Numbers, num_classes: int, axis: int) -> Numbers:
        rows = np.asarray(x)[..., None] == np.arange(num_classes)
        return np.moveaxis(rows, -1, axis).astype(np.float32)

    def segment_sum(self, data: Numbers, segment_ids: Numbers, num_segments: int) -> Numbers:
        inside = (segment_ids >= 0) & (segment_ids < num_segments)
        summed = np.zeros((num_segments, *data.shape[1:]), np.sum(data[:0]).dtype)
        np.add.at(summed, segment_ids[inside].astype(np.int64), data[inside])
        return summed

    def bincount(self, x: Numbers, weights: Numbers | None = None, *, length: int) -> Numbers:
        return self.segment_sum(np.ones(x.shape, bool) if weights is None else weights, x, length)

    # sizes that errors are relative to

    def logarithm_sizes(self, x: Numbers, axis: Any, keepdims: bool = False) -> Numbers:
        """The sums of the absolute binary logarithms of what is finite and not zero."""
        return np.sum(_logarithm_sizes(x), axis=axis, keepdims=keepdims)

    def cumulative_logarithm_sizes(self, x: Numbers, axis: int) -> Numbers:
        return np.cumulative_sum(_logarithm_sizes(x), axis=axis)

    # windows

    def max_pool1d(self, x: Numbers, size: Any, **how: Any) -> Numbers:
        return _greatest(1, x, size, **how)

    def max_pool2d(self, x: Numbers, size: Any, **how: Any) -> Numbers:
        return _greatest(2, x, size, **how)

    def max_pool3d(self, x: Numbers, size: Any, **how: Any) -> Numbers:
        return _greatest(3, x, size, **how)

    def avg_pool1d(self, x: Numbers, size: Any, **how: Any) -> Numbers:
        return _averaged(1, x, size, **how)

    def avg_pool2d(self, x: Numbers, size: Any, **how: Any) -> Numbers:
        return _averaged(2, x, size, **how)

    def avg_pool3d(self, x: Numbers, size: Any, **how: Any) -> Numbers:
        return _averaged(3, x, size, **how)

    def conv1d(self, x: Numbers, weights: Numbers, bias: Numbers | None = None, **how: Any) -> Numbers:
        return _convolved(1, x, weights, bias, **how)

    def conv2d(self, x: Numbers, weights: Numbers, bias: Numbers | None = None, **how: Any) -> Numbers:
        return _convolved(2, x, weights, bias, **how)

    def conv3d(self, x: Numbers, weights: Numbers, bias: Numbers | None = None, **how: Any) -> Numbers:
        return _convolved(3, x, weights, bias, **how)

    def conv_transpose1d(
        self, x: Numbers, weights: Numbers, bias: Numbers | None = None, **how: Any
    ) -> Numbers:
        return _convolved_transposed(1, x, weights, bias, **how)

    def conv_transpose2d(
        self, x: Numbers, weights: Numbers, bias: Numbers | None = None, **how: Any
    ) -> Numbers:
        return _convolved_transposed(2, x, weights, bias, **how)

    def conv_transpose3d(
        self, x: Numbers, weights: Numbers, bias: Numbers | None = None, **how: Any
    ) -> Numbers:
        return _convolved_transposed(3, x, weights, bias, **how)


ORACLE = Namespace()


def _by_formula(formula: Callable[..., Interval]) -> Callable[..., Numbers]:
    """A formula of exact arrays."""

    def compute(*operands: Any, **how: Any) -> Numbers:
        given = (
            Interval.around(each, each.dtype.name, None) if isinstance(each, np.ndarray) else each
            for each in operands
        )
        return formula(*given, **how).result()[0]

    return compute


def _special(x: Numbers, longer: Callable[..., Numbers], double: Callable[..., Numbers]) -> Numbers:
    """A function that NumPy lacks: SciPy's in float64, and for the long double, which SciPy lacks, that of the reference."""
    x = _floating(x)
    return np.asarray(longer(x) if x.dtype == WIDE else double(x.astype(np.float64)).astype(x.dtype))


def _gelu(x: Numbers) -> Numbers:
    return np.where(x == -np.inf, -0.0, x * 0.5 * special.erfc(-x * math.sqrt(0.5)))


def _logarithm_sizes(x: Numbers) -> Numbers:
    ordinary = np.isfinite(x) & (x != 0)
    return np.abs(np.log2(np.where(ordinary, x, 1)))


def _floating(x: Numbers) -> Numbers:
    return x if x.dtype.kind == "f" else x.astype(np.exp(np.zeros((), x.dtype)).dtype)


def _least(x: Numbers) -> Any:
    return -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min


def _windows(
    x: Numbers,
    size: tuple[int, ...],
    stride: int,
    padding: int,
    dilation: int,
    fill: Any,
    ceil_mode: bool = False,
    beyond: Any = None,
) -> Numbers:
    """The last axes as windows: places, then positions within the window; a last one in `ceil_mode` ends in what is `beyond` the frame."""
    axes = len(size)
    frame = [(0, 0)] * (x.ndim - axes) + [(padding, padding)] * axes
    framed = np.pad(x, frame, constant_values=fill)
    spans = tuple((extent - 1) * dilation + 1 for extent in size)
    if ceil_mode:
        ends = [padding + extent for extent in x.shape[x.ndim - axes :]]
        begins = [
            math.ceil((end + padding - span) / stride) * stride for end, span in zip(ends, spans, strict=True)
        ]
        wider = [
            (0, max(0, begin + span - end - padding) if begin < end else 0)
            for begin, span, end in zip(begins, spans, ends, strict=True)
        ]
        outside = fill if beyond is None else beyond
        framed = np.pad(framed, [(0, 0)] * (x.ndim - axes) + wider, constant_values=outside)
    spread = sliding_window_view(framed, spans, tuple(range(-axes, 0)))
    return spread[(..., *(slice(None, None, stride),) * axes, *(slice(None, None, dilation),) * axes)]


def _greatest(
    axes: int,
    x: Numbers,
    size: Any,
    stride: int,
    padding: int = 0,
    dilation: int = 1,
    ceil_mode: bool = False,
) -> Numbers:
    sizes = (size,) * axes if isinstance(size, int) else size
    return _windows(x, sizes, stride, padding, dilation, _least(x), ceil_mode).max(tuple(range(-axes, 0)))


def _averaged(
    axes: int,
    x: Numbers,
    size: Any,
    stride: int,
    padding: int = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Numbers:
    """Means of windows; where some places do not count, sums divided by how many do."""
    sizes = (size,) * axes if isinstance(size, int) else size
    last = tuple(range(-axes, 0))
    spread = _windows(x, sizes, stride, padding, 1, 0, ceil_mode)
    if count_include_pad and not ceil_mode:
        return spread.mean(last)
    ones = np.ones(x.shape)
    counts = _windows(ones, sizes, stride, padding, 1, float(count_include_pad), ceil_mode, 0.0).sum(last)
    summed = spread.sum(last, dtype=spread.dtype if spread.dtype.kind == "f" else np.float64)
    return (summed / counts.astype(summed.dtype)).astype(spread.mean(last).dtype)


def _convolved(
    axes: int,
    x: Numbers,
    weights: Numbers,
    bias: Numbers | None,
    stride: int,
    padding: int,
    dilation: int = 1,
    groups: int = 1,
) -> Numbers:
    spread = _windows(x, weights.shape[2:], stride, padding, dilation, 0)
    spread = spread.reshape(len(x), groups, -1, *spread.shape[2:])
    filters = weights.reshape(groups, -1, *weights.shape[1:])
    places, taps = "xyz"[:axes], "uvw"[:axes]
    result = np.einsum(f"bgc{places}{taps},gfc{taps}->bgf{places}", spread, filters)
    result = result.reshape(len(x), len(weights), *result.shape[3:])
    return result if bias is None else result + bias.reshape(-1, *(1,) * axes)


def _convolved_transposed(
    axes: int,
    x: Numbers,
    weights: Numbers,
    bias: Numbers | None,
    stride: int,
    padding: int,
    output_padding: int,
    dilation: int = 1,
    groups: int = 1,
) -> Numbers:
    """Each element times a whole filter, added up where it belongs; so is each of the zeros around the image that a tap of some place meets."""
    batch, extents, taps = len(x), x.shape[2:], weights.shape[2:]
    sizes = [
        (extent - 1) * stride + (tap - 1) * dilation + 1 + output_padding
        for extent, tap in zip(extents, taps, strict=True)
    ]
    around = [((tap - 1) * dilation + output_padding) // stride + 1 for tap in taps]
    x = np.pad(x, [(0, 0), (0, 0), *((each, each) for each in around)])
    extents = x.shape[2:]
    wide = [
        (extent - 1) * stride + (tap - 1) * dilation + 1 for extent, tap in zip(extents, taps, strict=True)
    ]
    result = np.zeros((batch, groups, weights.shape[1], *wide), x.dtype)
    spread = x.reshape(batch, groups, -1, *extents)
    filters = weights.reshape(groups, -1, *weights.shape[1:])
    for tap in np.ndindex(taps):
        begins = [each * dilation for each in tap]
        where = [
            slice(begin, begin + (extent - 1) * stride + 1, stride)
            for begin, extent in zip(begins, extents, strict=True)
        ]
        result[(..., *where)] += np.einsum("bgc...,gcf->bgf...", spread, filters[(..., *tap)])
    inner = tuple(
        slice(each * stride + padding, each * stride + size - padding)
        for each, size in zip(around, sizes, strict=True)
    )
    result = result.reshape(batch, -1, *wide)[(..., *inner)]
    return result if bias is None else result + bias.reshape(-1, *(1,) * axes)
