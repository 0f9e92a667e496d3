"""How a kernel is launched: parallel ranges become coordinates of work-items, and the sizes of the launch follow from them."""

from __future__ import annotations

from math import prod

from eqsat.dtype import AddrSpace, DType, PtrDType, index
from eqsat.errors import CodegenError
from eqsat.ops import AxisType, Op
from eqsat.serialize import brief
from eqsat.shape import extent_of
from eqsat.uop import UOp, toposort

DIMENSIONS = 3  # of an OpenCL launch
COORDINATES = {
    f"{prefix}{axis}": f"{function}({axis})"
    for prefix, function in (("gid", "get_global_id"), ("gidx", "get_group_id"), ("lid", "get_local_id"))
    for axis in range(DIMENSIONS)
}
GROUPS = (AxisType.GLOBAL, AxisType.THREAD)
LARGEST_GROUP = 256  # work-items
FEWEST_GROUPS = 16  # worth splitting between cores


def with_work_items(sink: UOp) -> UOp:
    """The kernel with PARAM as DEFINE_GLOBAL, and GLOBAL and LOCAL ranges as SPECIAL coordinates.

    The range with the highest number is coordinate 0, which varies fastest; beyond three, the outermost ones share coordinate 2.
    A store that does not vary with a GLOBAL range happens only where that is 0.
    """
    order = toposort([sink])
    groups = _by_number(order, GROUPS)
    items = _by_number(order, (AxisType.LOCAL, AxisType.WARP))
    if len(items) > DIMENSIONS:
        raise CodegenError(f"{len(items)} LOCAL ranges; a work-group has {DIMENSIONS} dimensions, merge some")
    coordinates = _coordinates(groups, "gidx" if items else "gid") | _coordinates(items, "lid")
    parameters = {node: _argument(node) for node in order if node.op is Op.PARAM}
    stores = [_once(store, [*groups, *items]) for store in sink.src]
    return sink.with_src(tuple(stores)).substitute({**coordinates, **parameters})


def launch_sizes(instructions: tuple[UOp, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """(global size, local size) of a LINEAR's instructions, in work-items.

    SPECIAL coordinates are named `gid` (work-item), `gidx` (group) or `lid` (work-item in its group) and a dimension.
    """
    for node in instructions:
        if node.op is Op.SPECIAL:
            coordinate_function(node.arg)
    extents = {node.arg: extent_of(node) for node in instructions if node.op is Op.SPECIAL}
    dimensions = 1 + max((int(name[-1]) for name in extents), default=0)
    groups = [extents.get(f"gid{axis}", extents.get(f"gidx{axis}", 1)) for axis in range(dimensions)]
    items = [extents.get(f"lid{axis}", 1) for axis in range(dimensions)]
    if prod(items) == 1 and not any(node.op in (Op.RANGE, Op.BARRIER) for node in instructions):
        items = _group_of_straight_code(groups)
        return tuple(groups), tuple(items)
    return tuple(group * item for group, item in zip(groups, items, strict=True)), tuple(items)


def coordinate_function(name: object) -> str:
    """The call of OpenCL C that gives a SPECIAL coordinate.

    Raises:
        CodegenError: there is no coordinate of this name.
    """
    function = COORDINATES.get(name) if isinstance(name, str) else None
    if function is None:
        raise CodegenError(
            f"SPECIAL {brief(name)} is unknown; name coordinates gid0…gid2, gidx0…gidx2 and lid0…lid2"
        )
    return function


def _group_of_straight_code(sizes: list[int]) -> list[int]:
    """Work-items per group where no work-item loops: as many as divide the launch and leave all cores busy.

    A compiler for CPUs then makes a loop over the group, of vectors if the code is scalar: on PoCL 15 to 30 times faster than
    groups of one, and up to twice as fast for explicit vectors, which save the 5 ns that starting a group costs. Around a loop of
    the kernel's own it makes no vectors.
    """
    left = min(LARGEST_GROUP, max(1, prod(sizes) // FEWEST_GROUPS))
    group: list[int] = []
    for size in sizes:
        group.append(max(items for items in range(1, max(1, left) + 1) if size % items == 0))
        left //= group[-1]
    return group


def _by_number(order: list[UOp], axes: tuple[AxisType, ...]) -> list[UOp]:
    found = [node for node in order if node.op is Op.RANGE and node.arg[1] in axes]
    return sorted(found, key=lambda node: node.arg[0])


def _argument(parameter: UOp) -> UOp:
    slot, size = parameter.arg
    assert isinstance(parameter.dtype, DType)
    return UOp(Op.DEFINE_GLOBAL, PtrDType(parameter.dtype, AddrSpace.GLOBAL, size), (), slot)


def _coordinates(ranges: list[UOp], prefix: str) -> dict[UOp, UOp]:
    found: dict[UOp, UOp] = {}
    for axis, bound in enumerate(reversed(ranges[-(DIMENSIONS - 1) :])):
        found[bound] = UOp(Op.SPECIAL, index, bound.src, f"{prefix}{axis}")
    folded = ranges[: -(DIMENSIONS - 1)]
    whole = prod(extent_of(bound) for bound in folded)
    rest = UOp(Op.SPECIAL, index, (UOp.const(index, whole),), f"{prefix}{DIMENSIONS - 1}")
    for bound in reversed(folded[1:]):
        found[bound], rest = rest % extent_of(bound), rest // extent_of(bound)
    if folded:
        found[folded[0]] = rest
    return found


def _once(store: UOp, parallel: list[UOp]) -> UOp:
    """A store gated to one of the work-items that would all write the same."""
    if store.op is not Op.STORE:
        return store
    address, value, *bounds = store.src
    varies = address.ranges | value.ranges | frozenset(bounds)
    for bound in parallel:
        if bound not in varies:
            condition = bound < 1
            gate = address.src[2] & condition if len(address.src) > 2 else condition
            address = address.with_src((*address.src[:2], gate))
    return store.with_src((address, value, *bounds))
