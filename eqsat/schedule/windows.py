"""Parts of arrays that differ only in where they begin: a layer reads each as the first such part of an array that begins later.

The steps of a recurrence read `x[:, 0]`, `x[:, 1]`, and so on. As memory, `x[:, 3]` is what `x[:, 0]` would be if the memory of `x` began three
rows later. So each step reads `x[:, 0]` of such memory, and all of them are one layer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from eqsat.ops import Op
from eqsat.schedule.layouts import extents_of_memory, row_major_strides
from eqsat.shape import Shape
from eqsat.uop import UOp

MOST_NESTED = 8  # greatest depth of parts of parts of an array that are moved


class View(NamedTuple):
    """A view of some elements of an array.

    Attributes:
        base: the array.
        shape: the shape of the view.
        strides: elements of the array from one element of the view to the next along each axis; negative along reversed axes.
        depth: the number of SHRINKs that lead from the array to the view.
    """

    base: UOp
    shape: Shape
    strides: Shape
    depth: int = 0


@dataclass(frozen=True, eq=False)
class Windows:
    """Parts of arrays that a layer reads.

    Attributes:
        offsets: by array, how many elements later it begins for the layer; arrays that are missing have 0.
        moved: by SHRINK of such an array, the range of elements that it then takes along each axis.
    """

    offsets: Mapping[UOp, int] = field(default_factory=dict[UOp, int])
    moved: Mapping[UOp, tuple[tuple[int, int], ...]] = field(
        default_factory=dict[UOp, tuple[tuple[int, int], ...]]
    )


def windows_of(nodes: Iterable[UOp], arrays: Collection[UOp], results: Collection[UOp]) -> Windows:
    """The parts that these nodes, each after its sources, read of arrays of which they read only such parts."""
    views: dict[UOp, View] = {}
    parts: dict[tuple[UOp, int], list[UOp]] = defaultdict(list)
    # the least depth of the views of each array that other nodes read
    read = dict.fromkeys(arrays, MOST_NESTED)
    for node in nodes:
        seen = _seen(node, views, arrays)
        if seen is not None and node.op is Op.SHRINK:
            parts[seen.base, seen.depth].append(node)
        if seen is not None:
            views[node] = seen
        for each in node.src if seen is None else (node,) if node in results else ():
            if view := views.get(each):
                read[view.base] = min(read[view.base], view.depth)
    offsets: dict[UOp, int] = {}
    moved: dict[UOp, tuple[tuple[int, int], ...]] = {}
    for (base, depth), shrinks in parts.items():
        own = {views[shrink.src[0]][1:3] for shrink in shrinks}
        if depth > read[base] or len(own) > 1:
            continue
        ((shape, strides),) = own
        first = [_first(shrinks, axis, extent, strides[axis]) for axis, extent in enumerate(shape)]
        later = sum(number * stride for number, stride in zip(first, strides, strict=True))
        offsets[base] = offsets.get(base, 0) + later
        for shrink in shrinks:
            window = zip(shrink.arg, first, strict=True)
            moved[shrink] = tuple((begin - by, end - by) for (begin, end), by in window)
    return Windows(offsets, moved)


def _seen(node: UOp, views: Mapping[UOp, View], arrays: Collection[UOp]) -> View | None:
    """Returns the view that a node denotes, of a whole array or a part; None if it is no view of one of these arrays."""
    shape = node.shape or ()
    if node in arrays:
        return View(node, shape, row_major_strides(shape))
    view = views.get(node.src[0]) if node.src else None
    if view is None or 0 in shape:
        return None
    strides = view.strides
    match node.op:
        case Op.PERMUTE:
            return view._replace(shape=shape, strides=tuple(map(strides.__getitem__, node.arg)))
        case Op.FLIP:
            turned = zip(strides, node.arg, strict=True)
            return view._replace(strides=tuple(-stride if flips else stride for stride, flips in turned))
        case Op.SHRINK:
            return view._replace(shape=shape, depth=view.depth + 1)
        case Op.RESHAPE if strides == row_major_strides(view.shape):
            return view._replace(shape=shape, strides=row_major_strides(shape))
        case Op.RESHAPE if extents_of_memory(shape) == extents_of_memory(view.shape):
            others = iter([stride for stride, extent in zip(strides, view.shape, strict=True) if extent != 1])
            return view._replace(
                shape=shape, strides=tuple(1 if extent == 1 else next(others) for extent in shape)
            )
        case _:
            return None


def _first(shrinks: Iterable[UOp], axis: int, extent: int, stride: int) -> int:
    """By how many elements along an axis all parts can be moved towards the first element in memory."""
    if stride >= 0:
        return min(shrink.arg[axis][0] for shrink in shrinks)
    return max(shrink.arg[axis][1] for shrink in shrinks) - extent
