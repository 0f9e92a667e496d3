"""What a graph must keep to be compiled: results, and constants in indices, are counted in 64 bits."""

from __future__ import annotations

from math import prod

from eqsat.dtype import index
from eqsat.errors import MemoryExhaustedError, ScheduleError, SpecError, brief
from eqsat.extents import capacity
from eqsat.ops import MOVEMENT, Op
from eqsat.uop import UOp, toposort
from eqsat.uop.limits import LARGEST


def require_no_calls_by_name(graph: UOp) -> None:
    """Checks that the graph calls no function by its name, as it does where the host sorts.

    Raises:
        SpecError: it calls one.
    """
    found = next((node for node in toposort([graph]) if node.op is Op.CUSTOM_FUNCTION), None)
    if found is not None:
        raise SpecError(
            f"CUSTOM_FUNCTION {brief(found.arg)} belongs to programs, which are compiled and not optimized or written as C by themselves: the host "
            "may run it, as it does for sorting along an axis that is long or has a dim; leave it out of this graph, and give the graph its results"
        )


def require_sizes(sink: UOp) -> None:
    """Checks that 64 bits count the elements of each result.

    Raises:
        MemoryExhaustedError: a result has more.
    """
    for result in sink.src:
        if prod(map(capacity, result.shape or ())) > LARGEST:
            raise MemoryExhaustedError(
                f"a result of shape {result.shape} has 2**63 elements or more; return smaller pieces"
            )


def require_index_constants(sink: UOp) -> None:
    """Checks that all index constants fit in 64 bits, including sums and products of constants.

    Later passes compute these sums and products, and a few repeated squares would fill the memory.

    Raises:
        ScheduleError: a constant does not fit.
    """
    known: dict[UOp, int] = {}
    for node in sink.toposort():
        if node.dtype is not index or not all(source in known for source in node.src[:2]):
            continue
        values = [known[source] for source in node.src[:2]]
        match node.op:
            case Op.CONST:
                value = node.arg
            case Op.ADD | Op.SUB:
                value = values[0] + values[1] if node.op is Op.ADD else values[0] - values[1]
            case Op.MUL:
                value = values[0] * values[1]
            case op if op is Op.NEG or op in MOVEMENT:
                value = -values[0] if op is Op.NEG else values[0]
            case _:
                continue
        if not index.min <= value <= index.max:
            raise ScheduleError(
                f"the index constant {brief(value)} does not fit 64 bits, in which indices are computed; make it smaller"
            )
        known[node] = value
