"""Rules for the shape of a value, given the shapes of its sources: one function per rule, which `ops.TABLE` refers to.

A shape is a tuple of extents; `()` is a scalar; `None` means that the node is no value (a store, a sink). Each rule gets the sources
(anything with `.shape`) and the node's argument, and raises `ShapeError` when they do not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, cast

from eqsat.errors import ShapeError
from eqsat.extents import Extent, capacities, is_dynamic

Shape = tuple[int, ...]
ShapeRule = Callable[[Sequence[Any], Any], Shape | None]


def nothing(src: Sequence[Any], arg: Any) -> Shape | None:
    """No value."""
    return None


def scalar(src: Sequence[Any], arg: Any) -> Shape | None:
    """One element (of one or more lanes)."""
    return ()


def first(src: Sequence[Any], arg: Any) -> Shape | None:
    """The shape of the first source."""
    return src[0].shape


def second(src: Sequence[Any], arg: Any) -> Shape | None:
    """The shape of the second source."""
    return src[1].shape


def elementwise(src: Sequence[Any], arg: Any) -> Shape | None:
    """All sources have one shape, and so has the result."""
    shape = src[0].shape
    for other in src[1:]:
        if other.shape != shape:
            shapes = " and ".join(str(source.shape) for source in src)
            raise ShapeError(f"elementwise operands have shapes {shapes}; expand them to one shape first")
    return shape


def sized(src: Sequence[Any], arg: Any) -> Shape | None:
    """A buffer of `arg` elements, or of `arg[1]` for a parameter (slot, size)."""
    return (cast("tuple[int, int]", arg)[1] if isinstance(arg, tuple) else arg,)


def view_of_buffer(src: Sequence[Any], arg: Any) -> Shape | None:
    """`arg` is (size, offset) within the source buffer."""
    size, offset = arg
    whole = prod(src[0].shape)
    if offset < 0 or size < 0 or offset + size > whole:
        raise ShapeError(
            f"buffer view of {size} elements at {offset} leaves its buffer of {whole}; shorten it"
        )
    return (size,)


def viewed(src: Sequence[Any], arg: Any) -> Shape | None:
    """`arg` is a `View`."""
    return arg.shape


def shaped(src: Sequence[Any], arg: Any) -> Shape | None:
    """`arg` is the shape itself, or nothing for a scalar."""
    return () if arg is None else tuple(arg)


def reshape(src: Sequence[Any], arg: Any) -> Shape | None:
    """Same elements in row-major order, another shape."""
    if is_dynamic(arg) or is_dynamic(src[0].shape):
        _require_outermost(src[0], arg)
    elif any(extent < 0 for extent in arg) or prod(arg) != prod(src[0].shape):
        raise ShapeError(
            f"cannot reshape {src[0].shape} ({prod(src[0].shape)} elements) to {arg} ({prod(arg)}); the products must agree"
        )
    return arg


def recur_axis(src: Sequence[Any], arg: Any) -> Shape | None:
    """All sources have the shape of the result; `arg` is (recurrence, (axis,))."""
    shape = elementwise(src, arg)
    (axis,) = arg[1]
    if shape is None or not 0 <= axis < len(shape):
        raise ShapeError(f"an array of {shape} has no axis {axis} for a recurrence; give one of its axes")
    return shape


def _require_outermost(source: Any, wanted: Shape) -> None:
    """Checks that a reshape means the same for all extents as for the capacities.

    A dynamic axis must stay an axis of its own, or be the outermost of the axes that are merged or split together; axes of extent 1 do not
    count. The elements of an argument or of an array of positions have no order yet, so it may take any shape of its size.
    """
    old, new = source.shape, wanted
    if source.op.name in ("PARAM", "BUFFERIZE") and prod(capacities(old)) == prod(capacities(new)):
        return
    left, right = ([extent for extent in shape if extent != 1] for shape in (old, new))
    while left and right:
        one, other = left.pop(0), right.pop(0)
        groups = [one], [other]
        while one != other:
            grown = one if capacities((one,)) < capacities((other,)) else other
            part, rest = (groups[0], left) if grown is one else (groups[1], right)
            if not rest or isinstance(rest[0], Extent):
                break
            part.append(rest.pop(0))
            one, other = prod(groups[0]), prod(groups[1])
        if one != other:
            break
    else:
        if not left and not right:
            return
    raise ShapeError(
        f"cannot reshape {old} to {new}: an extent that is known when the program is called stays an axis of its own, or the outermost of those "
        f"that are merged or split; permute the array first, or keep the axis"
    )


def permute(src: Sequence[Any], arg: Any) -> Shape | None:
    """Axis k of the result is axis `arg[k]` of the source."""
    shape = src[0].shape
    if sorted(arg) != list(range(len(shape))):
        raise ShapeError(f"cannot permute {shape} by {arg}; name each axis 0..{len(shape) - 1} once")
    return tuple(shape[axis] for axis in arg)


def expand(src: Sequence[Any], arg: Any) -> Shape | None:
    """Axes of extent 1 are repeated to the extents of `arg`."""
    shape = src[0].shape
    if len(shape) != len(arg) or any(
        old != new and (old != 1 or new < 0) for old, new in zip(shape, arg, strict=True)
    ):
        raise ShapeError(
            f"cannot expand {shape} to {arg}; only axes of extent 1 grow, and the rank stays (reshape first)"
        )
    return arg


def pad(src: Sequence[Any], arg: Any) -> Shape | None:
    """`arg` holds (before, after) per axis; the new elements are zero."""
    shape = src[0].shape
    if len(shape) != len(arg) or any(before < 0 or after < 0 for before, after in arg):
        raise ShapeError(
            f"cannot pad {shape} by {arg}; give one (before, after) pair of non-negative counts per axis"
        )
    for extent, (before, after) in zip(shape, arg, strict=True):
        if isinstance(before, Extent) or (isinstance(extent, Extent) and after != 0):
            raise ShapeError(
                f"cannot pad {shape} by {arg}: nothing can follow an axis whose extent is known when the program is called; "
                f"join it as the last part, or pad the argument before the call"
            )
    return tuple(extent + before + after for extent, (before, after) in zip(shape, arg, strict=True))


def shrink(src: Sequence[Any], arg: Any) -> Shape | None:
    """`arg` holds (begin, end) per axis."""
    shape = src[0].shape
    if len(shape) != len(arg) or any(
        not 0 <= begin <= end <= extent for extent, (begin, end) in zip(shape, arg, strict=True)
    ):
        raise ShapeError(
            f"cannot shrink {shape} to {arg}; give one (begin, end) with 0 <= begin <= end <= extent per axis"
        )
    if any(isinstance(begin, Extent) for begin, _ in arg):
        raise ShapeError(
            f"cannot shrink {shape} to {arg}: a part begins where only the call knows; take elements by arrays of positions"
        )
    return tuple(end - begin for begin, end in arg)


def flip(src: Sequence[Any], arg: Any) -> Shape | None:
    """`arg` holds one bool per axis: reversed or not."""
    if len(src[0].shape) != len(arg):
        raise ShapeError(f"cannot flip {src[0].shape} by {arg}; give one bool per axis")
    if any(flipped and isinstance(extent, Extent) for extent, flipped in zip(src[0].shape, arg, strict=True)):
        raise ShapeError(
            f"cannot flip {src[0].shape} by {arg}: an axis ends where only the call knows; take elements by arrays of positions"
        )
    return src[0].shape


def reduce_axis(src: Sequence[Any], arg: Any) -> Shape | None:
    """`arg` is (op, axes); the result lacks these axes."""
    shape, (_, axes) = src[0].shape, arg
    if len(set(axes)) != len(axes) or any(not 0 <= axis < len(shape) for axis in axes):
        raise ShapeError(f"cannot reduce {shape} over axes {axes}; name distinct axes in 0..{len(shape) - 1}")
    return tuple(extent for axis, extent in enumerate(shape) if axis not in axes)


def scan_axis(src: Sequence[Any], arg: Any) -> Shape | None:
    """`arg` is (op, (axis,)); the shape stays."""
    shape, (_, axes) = src[0].shape, arg
    if len(axes) != 1 or not 0 <= axes[0] < len(shape):
        raise ShapeError(f"cannot scan {shape} along axes {axes}; name one axis in 0..{len(shape) - 1}")
    return shape


def scatter_axis(src: Sequence[Any], arg: Any) -> Shape | None:
    """`arg` is (op, (axis of labels, reduced axes…)); the result lacks the reduced axes."""
    op, axes = arg
    if not axes or any(source.shape != src[0].shape for source in src):
        raise ShapeError(
            f"cannot scatter {src[0].shape} along axes {axes}; name an axis, and give as many labels"
        )
    reduce_axis(src, arg)
    return reduce_axis(src, (op, axes[1:]))


def indexed(src: Sequence[Any], arg: Any) -> Shape | None:
    """The shape of the indices, which all agree; a gate has it too."""
    return elementwise(src[1:], arg) if len(src) > 1 else ()


def comprehension(src: Sequence[Any], arg: Any) -> Shape | None:
    """One axis per range, of the range's extent."""
    return tuple(extent_of(bound) for bound in src[1:])


def extent_of(bound: Any) -> int:
    """The constant extent of a RANGE (its end, less its start in the older form with two sources)."""
    ends = bound.src[:2] if isinstance(bound.arg, int) and len(bound.src) > 1 else bound.src[:1]
    if not ends or any(not isinstance(end.arg, int) for end in ends):
        raise ShapeError("an axis needs a RANGE with a constant end; substitute its variables first")
    return ends[0].arg if len(ends) == 1 else ends[1].arg - ends[0].arg


def sharded(src: Sequence[Any], arg: Any) -> Shape | None:
    """`arg` is (axis or None, real): the shards are concatenated along the axis, or are copies."""
    axis, _ = arg
    shape = src[0].shape
    if axis is None:
        return shape
    return (*shape[:axis], sum(shard.shape[axis] for shard in src), *shape[axis + 1 :])


def stacked(src: Sequence[Any], arg: Any) -> Shape | None:
    """One value per device, all of one shape."""
    return elementwise(src, arg)


def loaded(src: Sequence[Any], arg: Any) -> Shape | None:
    """The shape of the address, or of the view in the older form (buffer, view)."""
    return src[1].shape if len(src) > 1 and src[0].op.name != "INDEX" else src[0].shape


def member(src: Sequence[Any], arg: Any) -> Shape | None:
    """Element `arg` of a TUPLE, or of a FUNCTION or CALL whose body is one."""
    inner = src[0]
    while inner.op.name in ("FUNCTION", "CALL", "CUSTOM_FUNCTION"):
        inner = inner.src[0]
    if inner.op.name != "TUPLE" or not 0 <= arg < len(inner.src):
        raise ShapeError(f"there is no element {arg} of a {inner.op.name} with {len(inner.src)} sources")
    return inner.src[arg].shape
