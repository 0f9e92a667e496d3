"""Checks WMMA: its argument, the fragments of its sources, and the threads that hold them."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

from eqsat.dtype import DType
from eqsat.fragments import OPERANDS, Product
from eqsat.ops import AxisType, Op, Stage
from eqsat.spec.dtypes import same
from eqsat.spec.rule import Rule, all_ranges, axis_type, ends_only, is_count, is_tuple, range_number
from eqsat.uop import UOp

_FORM = (
    "its argument is (name, (N, M, K), dtype in, dtype out, device, threads, upcast axes of a, b and c, reduce axes, tile grid), "
    "the last five optional"
)
_SUMMED = frozenset({AxisType.REDUCE, AxisType.UNROLL})
_MOST = 1 << 12  # largest dimension and largest number of threads: more than any device has


def _wmma(node: UOp, stage: Stage) -> str | None:
    if stage is Stage.LINEAR and len(node.src) > 3:
        return "its loops are closed by END: drop the RANGEs"
    wrong = _argument(node.arg)
    if wrong is not None:
        return wrong
    product = Product.of(node.arg)
    return (
        _axes(product)
        or _fragments(node, product)
        or all_ranges(node, 3)
        or ends_only(node, 3, _SUMMED)
        or _starts_once(node)
        or _threads(node, product, stage)
    )


def _argument(argument: Any) -> str | None:
    """What is wrong with the argument of a WMMA, checked part by part; None if nothing is."""
    if not is_tuple(argument) or not 4 <= len(argument) <= 9:
        return f"{_FORM}, not {argument!r}"
    name, dims, given, made, *rest = argument
    if not isinstance(name, str) or not name:
        return f"{_FORM}; the name is a text, not {name!r}"
    if not _are_sizes(dims, 3):
        return f"{_FORM}; N, M and K are from 1 to {_MOST}, not {dims!r}"
    for dtype in (given, made):
        if not isinstance(dtype, DType) or dtype.lanes > 1 or not (dtype.is_float or dtype.is_int):
            return f"{_FORM}; dtypes are those of numbers, such as float16 and float32, not {dtype!r}"
    if given.is_float != made.is_float or given.itemsize > made.itemsize:
        return f"{_FORM}; products of {given} are summed in a dtype of their kind that is no narrower, not in {made}"
    checks = zip(rest, (_device, _thread_count, _upcast, _pairs, _grid), strict=False)
    return next((f"{_FORM}; {wrong}" for part, check in checks if (wrong := check(part))), None)


def _are_sizes(values: Any, count: int) -> bool:
    return (
        is_tuple(values)
        and len(values) == count
        and all(is_count(each) and 0 < each <= _MOST for each in values)
    )


def _device(value: Any) -> str | None:
    return None if isinstance(value, str) and value else f"the device is a name, not {value!r}"


def _thread_count(value: Any) -> str | None:
    return None if _are_sizes((value,), 1) else f"threads are from 1 to {_MOST}, not {value!r}"


def _upcast(value: Any) -> str | None:
    if not is_tuple(value) or len(value) not in (0, 3):
        return f"upcast axes are three tuples, those of a, b and c, or none, not {value!r}"
    return next((wrong for each in value if (wrong := _pairs(each))), None)


def _pairs(values: Any) -> str | None:
    fits = is_tuple(values) and all(
        is_tuple(pair) and len(pair) == 2 and is_count(pair[0]) and _are_sizes(pair[1:], 1) for pair in values
    )
    if not fits:
        return f"axes are ((id, size), …), not {values!r}"
    return (
        None if len({axis for axis, _ in values}) == len(values) else f"an axis is named twice in {values!r}"
    )


def _grid(value: Any) -> str | None:
    return (
        None if _are_sizes(value, 2) else f"the tile grid is (columns, rows), each at least 1, not {value!r}"
    )


def _axes(product: Product) -> str | None:
    """Checks that the sizes of the summed axes multiply to K, and that none of these axes is left in the result."""
    if product.reduced and prod(size for _, size in product.reduced) != product.inner:
        return f"its reduce axes {product.reduced!r} make another K than {product.inner}; their sizes multiply to K"
    kept = {axis for axis, _ in product.upcast[2]} if product.upcast else set[int]()
    both = kept & {axis for axis, _ in product.reduced}
    return f"axis {min(both)} is summed over and in the result; name it in one of them" if both else None


def _fragments(node: UOp, product: Product) -> str | None:
    """Checks the dtypes and lanes of the fragments. Each thread holds its part of each matrix; several threads may hold the same part."""
    row = product.instruction
    for operand, name in enumerate(OPERANDS):
        dtype = node.src[operand].dtype
        scalar = product.made if name == "c" else product.given
        size, tiles = prod(product.shapes[operand]), prod(product.tiles[operand])
        lanes, rest = divmod(dtype.lanes, tiles)
        if not same(dtype.scalar, scalar) or rest:
            return f"{name} is {dtype}, and its {tiles} tiles are of {size} elements of {scalar} each"
        if row is not None and lanes != row.fragments[operand].held:
            return f"{name} has {lanes} lanes for a tile, and {row.fragments[operand].held} on each thread of {product.device}"
        if size % lanes or lanes * product.threads % size or (product.threads == 1 and lanes != size):
            return (
                f"{name} is {dtype} on {product.threads} threads, and the argument makes it {size * tiles} elements of {scalar}; "
                f"use {scalar.vec(max(1, size * tiles // product.threads))}"
            )
        held = prod(size for _, size in product.upcast[operand]) if product.upcast else dtype.lanes
        if held != dtype.lanes:
            return f"the upcast axes of {name} make {held} lanes, and it has {dtype.lanes}; their sizes multiply to its lanes"
    c = node.src[2].dtype
    return None if same(node.dtype, c) else f"its dtype is that of the accumulator, {c}, not {node.dtype}"


def _starts_once(node: UOp) -> str | None:
    """Checks that the accumulator does not vary with the ranges that the WMMA sums over: it is read once, before the first product."""
    varying = node.src[2].ranges.intersection(node.src[3:])
    if not varying:
        return None
    return f"its accumulator varies with range {range_number(min(varying, key=range_number))}, over which it sums; add what varies to its result"


def _threads(node: UOp, product: Product, stage: Stage) -> str | None:
    """Checks that in a kernel the fragments vary with one WARP range, whose work-items are the threads."""
    if product.threads == 1 or stage is Stage.LINEAR:
        return None
    warps = [bound for bound in node.ranges if axis_type(bound) is AxisType.WARP]
    end = warps[0].src[0] if len(warps) == 1 else None
    if end is not None and end.op is Op.CONST and end.arg == product.threads:
        return None
    return f"its fragments are spread over {product.threads} threads; let them vary with one WARP range of {product.threads} items"


STRUCTURE: Mapping[Op, Rule] = {Op.WMMA: _wmma}
