"""Arrays on several devices."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import SupportsIndex

from eqsat.array.checking import array_function
from eqsat.array.core import Array, ArrayLike, node
from eqsat.array.nodes.axes import normalize_axis
from eqsat.array.nodes.views import cut, shape
from eqsat.dtype import void
from eqsat.errors import BuildError, brief
from eqsat.extents import Extent, quotient
from eqsat.ops import Op
from eqsat.uop import UOp

__all__ = ["shard", "to_device"]


@array_function
def shard(x: ArrayLike, /, devices: Sequence[str | int], axis: SupportsIndex | None = None) -> Array:
    """The same array, split along `axis` with one part on each device; without an axis, each device has a copy of it all.

    Computations on the array run where its parts are. Elementwise operations run on each part; a reduction along `axis` runs on each part
    and then across the devices. Where the number of devices does not divide the extent, the extents of parts differ by one.

    Args:
        x: the array.
        devices: distinct names or numbers of devices, as `get_device` knows them.
        axis: the axis to split.

    Raises:
        BuildError: `devices` is empty, contains a device twice, or is a single name; or a device is neither a name nor a number.
        ShapeError: there is no such axis.

    >>> import eqsat as eq
    >>> halves = eq.shard(eq.ones((10, 4)), ["0:1/2", "0:2/2"], axis=0)
    >>> halves.shape, [part.shape for part in halves.uop.src]
    ((10, 4), [(5, 4), (5, 4)])
    """
    if isinstance(devices, str | bytes) or not isinstance(devices, Sequence):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BuildError(f"shard takes a list of devices, not {brief(devices)}; to_device copies to one")
    names = [_name(each) for each in devices]
    if not names or len(set(names)) < len(names):
        raise BuildError(f"cannot shard an array over {names}; name one device or more, each once")
    value = node(x)
    real = (True,) * len(names)
    if axis is None:
        return Array(UOp(Op.MULTI, value.dtype, tuple(_copied(value, name) for name in names), (None, real)))
    place = normalize_axis(axis, len(shape(value)), "shard along")
    extent, count = shape(value)[place], len(names)
    ends = _ends(extent, count)
    parts = (cut(value, place, *ends[number : number + 2]) for number in range(count))
    copies = tuple(_copied(part, name) for part, name in zip(parts, names, strict=True))
    return Array(UOp(Op.MULTI, value.dtype, copies, (place, real)))


def _ends(extent: int, count: int) -> list[int]:
    """The bounds of the parts of an axis, from 0 to its extent; if the extent depends on a dim, part k has (extent + k) // count elements."""
    if not isinstance(extent, Extent):
        return [extent * number // count for number in range(count + 1)]
    return list(accumulate((quotient(extent + number, count) for number in range(count)), initial=0))


@array_function
def to_device(x: ArrayLike, /, device: str | int) -> Array:
    """The same array on a device; computations on it run on that device, too.

    Raises:
        BuildError: the device is neither a name nor a number.
    """
    return Array(_copied(node(x), _name(device)))


def _name(device: str | int) -> str:
    """The argument of the DEVICE node for a name or number."""
    if isinstance(device, bool) or not isinstance(device, str | int) or device == "":  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BuildError(
            f"{brief(device)} is no device; give a name of one, or its number among eqsat.devices()"
        )
    return str(device)


def _copied(value: UOp, device: str) -> UOp:
    return UOp(Op.COPY, value.dtype, (UOp(Op.DEVICE, void, (), device), value))
