"""The launch of a kernel: parallel ranges become coordinates of work-items, and the sizes of the launch follow from them."""

from __future__ import annotations

from functools import reduce

from eqsat.codegen.dialects.dialect import COORDINATES, DIMENSIONS
from eqsat.codegen.linearization.loops import memory_of
from eqsat.dtype import AddrSpace, DType, PtrDType, index
from eqsat.errors import CodegenError, brief
from eqsat.integers.bounds import bounds
from eqsat.integers.conditions import gated
from eqsat.ops import AxisType, Op
from eqsat.uop import UOp, rewrite, toposort

GROUPS = (AxisType.GLOBAL, AxisType.THREAD)


def for_work_items(order: list[UOp]) -> tuple[UOp, dict[UOp, UOp]]:
    """The kernel for work-items, and the instructions that replace its PARAMs (DEFINE_GLOBALs) and its ranges over work-items (SPECIALs).

    `order` is the toposort of the kernel. In the result, only one work-item makes each store: a store that does not vary with a GLOBAL range
    happens only where that range is 0.

    The range with the highest number is coordinate 0, which varies fastest; a WARP range precedes all others. If there are more than three ranges,
    the outermost ones share coordinate 2.
    """
    sink = order[-1]
    groups = _by_number(order, GROUPS)
    items = _by_number(order, (AxisType.LOCAL, AxisType.WARP))
    coordinates = _coordinates(groups, "gidx" if items else "gid") | _coordinates(items, "lid")
    parameters = {node: _argument(node) for node in order if node.op is Op.PARAM}
    kernel = _filled_once(sink, items) if items else sink
    stores = [_once(store, groups, items) for store in kernel.src]
    kernel = kernel.with_src(tuple(stores))
    if any(node.op is Op.RANGE and node.src[0].ranges for node in order):
        kernel = _with_known_ends(kernel, coordinates)
    return kernel, {**coordinates, **parameters}


def _with_known_ends(kernel: UOp, coordinates: dict[UOp, UOp]) -> UOp:
    """The kernel in which ends of loops that vary with work-items are computed from coordinates instead of ranges."""
    made: dict[UOp, UOp] = {}
    for node in toposort([kernel]):
        if node.op is Op.RANGE and node.src[0].ranges:
            made[node] = node.with_src((rewrite(node.src[:1], coordinates)[0], *node.src[1:]))
    return rewrite([kernel], made)[0] if made else kernel


def launch_sizes(linear: UOp) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The (global size, local size) of a LINEAR, in work-items; the greatest one if a size depends on variables.

    SPECIAL coordinates are named `gid` (work-item), `gidx` (group) or `lid` (work-item in its group) and a dimension.
    """
    ends = _ends(linear)
    groups = [bounds(end)[1] for end, _ in ends]
    items = [item for _, item in ends]
    if not any(node.arg.startswith(("gidx", "lid")) for node in linear.src if node.op is Op.SPECIAL):
        fixed = [size if end.op is Op.CONST else 1 for size, (end, _) in zip(groups, ends, strict=True)]
        # local memory here is meant for one item, so a group must not have several
        shared = any(node.op is Op.DEFINE_LOCAL for node in linear.src)
        return tuple(groups), tuple(_divisors(fixed, 1 if shared else getattr(linear.arg, "group", 1)))
    return tuple(group * item for group, item in zip(groups, items, strict=True)), tuple(items)


def launch_expressions(linear: UOp) -> tuple[UOp, ...]:
    """The global size of a LINEAR as expressions of its variables; empty if no size depends on a variable."""
    ends = _ends(linear)
    if all(end.op is Op.CONST for end, _ in ends):
        return ()
    return tuple(end if item == 1 else end * item for end, item in ends)


def _ends(linear: UOp) -> list[tuple[UOp, int]]:
    """For each dimension of a launch, the number of groups (of work-items, if there are no groups) and the items of a group."""
    ends = {coordinate(node): node.src[0] for node in linear.src if node.op is Op.SPECIAL}
    dimensions = 1 + max((int(name[-1]) for name in ends), default=0)
    one = UOp.const(index, 1)
    return [
        (ends.get(f"gid{axis}", ends.get(f"gidx{axis}", one)), ends.get(f"lid{axis}", one).arg)
        for axis in range(dimensions)
    ]


def coordinate(node: UOp) -> str:
    """The name of a SPECIAL: one of `COORDINATES`.

    Raises:
        CodegenError: there is no coordinate of this name.
    """
    if node.arg not in COORDINATES:
        raise CodegenError(
            f"SPECIAL {brief(node.arg)} is unknown; name coordinates gid0…gid2, gidx0…gidx2 and lid0…lid2"
        )
    return node.arg


def _divisors(sizes: list[int], most: int) -> list[int]:
    """A divisor of each size, such that their product is at most `most`. Each is as large as possible, earlier ones first."""
    found: list[int] = []
    for size in sizes:
        found.append(max(items for items in range(1, most + 1) if size % items == 0))
        most //= found[-1]
    return found


def _by_number(order: list[UOp], axes: tuple[AxisType, ...]) -> list[UOp]:
    found = [node for node in order if node.op is Op.RANGE and node.arg[1] in axes]
    return sorted(found, key=lambda node: (node.arg[1] is AxisType.WARP, node.arg[0]))


def _argument(parameter: UOp) -> UOp:
    slot, size = parameter.arg
    assert isinstance(parameter.dtype, DType)
    return UOp(Op.DEFINE_GLOBAL, PtrDType(parameter.dtype, AddrSpace.GLOBAL, size), (), slot)


def _coordinates(ranges: list[UOp], prefix: str) -> dict[UOp, UOp]:
    found: dict[UOp, UOp] = {}
    for axis, bound in enumerate(reversed(ranges[-(DIMENSIONS - 1) :])):
        found[bound] = UOp(Op.SPECIAL, index, bound.src, f"{prefix}{axis}")
    folded = ranges[: -(DIMENSIONS - 1)]
    whole = reduce(multiplied, (bound.src[0] for bound in folded), UOp.const(index, 1))
    rest = UOp(Op.SPECIAL, index, (whole,), f"{prefix}{DIMENSIONS - 1}")
    for bound in reversed(folded[1:]):
        found[bound], rest = rest % bound.src[0], rest // bound.src[0]
    if folded:
        found[folded[0]] = rest
    return found


def multiplied(left: UOp, right: UOp) -> UOp:
    """The product of two sizes, a constant if both are."""
    if left.op is Op.CONST and right.op is Op.CONST:
        return UOp.const(index, left.arg * right.arg)
    return right if left.op is Op.CONST and left.arg == 1 else left * right


def _filled_once(sink: UOp, items: list[UOp]) -> UOp:
    """The kernel in which only one work-item of a group stores each element of local memory."""
    done: dict[UOp, UOp] = {}
    for node in toposort([sink]):
        renewed = node.with_src(tuple(done[source] for source in node.src))
        if node.op is Op.STORE and memory_of(node.src[0]).op is Op.DEFINE_LOCAL:
            others = [item for item in items if item not in node.src[0].ranges]
            address = gated(renewed.src[0], [item < 1 for item in others])
            renewed = renewed.with_src((address, *renewed.src[1:]))
        done[node] = renewed
    return done[sink]


def _once(store: UOp, groups: list[UOp], items: list[UOp]) -> UOp:
    """Gates a store so that only one of the work-items that would write the same value makes it.

    The value may vary with items of a group: these have shared its reduction, so all of them hold the same value.
    """
    if store.op is not Op.STORE:
        return store
    address, value, *bounds = store.src
    places = address.ranges | frozenset(bounds)
    others = [bound for bound in groups if bound not in places | value.ranges]
    others += [bound for bound in items if bound not in places]
    return store.with_src((gated(address, [bound < 1 for bound in others]), value, *bounds))
