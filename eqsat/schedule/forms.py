"""Chooses the forms of functions in kernels: for each function the cheapest that the plan and the bounds of its operands allow.

Kernels are visited in the order in which they run, so that the bounds of what one kernel stores are known in the kernels that load it. Arguments
of a program may be anything, unless they are integers. Prices of kernels are those of full forms, as forms are chosen after the kernels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from eqsat.dtype import DType
from eqsat.floats.bounds import bounds_of
from eqsat.floats.forms import FORMS, chosen_form
from eqsat.floats.intervals import ANYTHING, Bounds, hull
from eqsat.schedule.draft import Draft, Drafts, params_in_order
from eqsat.spec.memory import definition
from eqsat.uop import UOp, toposort


def with_forms(drafts: Drafts, error: float | None) -> Drafts:
    """The same kernels, each function in the cheapest form that is off by `error` units in the last place at most; None asks for every bit."""
    stored: dict[int, Bounds] = {}
    kernels: list[Draft] = []
    known: dict[tuple[UOp, tuple[Bounds, ...]], tuple[UOp, list[tuple[int, Bounds]]]] = {}
    for draft in drafts.kernels:
        like = draft.sink, tuple(stored.get(buffer, ANYTHING) for buffer in draft.buffers)
        if like not in known:  # equal layers have equal kernels
            known[like] = _with_forms(*like, error)
        sink, values = known[like]
        for place, value in values:
            buffer = draft.buffers[place]
            stored[buffer] = hull(stored[buffer], value) if buffer in stored else value
        kernels.append(replace(draft, sink=sink))
    return replace(drafts, kernels=tuple(kernels))


def _with_forms(
    sink: UOp, loaded: Sequence[Bounds], error: float | None
) -> tuple[UOp, list[tuple[int, Bounds]]]:
    """A kernel with chosen forms, given bounds for each PARAM, and for each store the position of its PARAM with bounds of the value."""
    params = params_in_order(sink)
    found = bounds_of([sink], dict(zip(params, loaded, strict=True)))
    values = [
        (
            params.index(definition(store.src[0])),
            found.get(store.src[1], ANYTHING) if store.arg is None else ANYTHING,
        )
        for store in sink.src
    ]
    return _formed(sink, found, error), values


def _formed(sink: UOp, bounds: Mapping[UOp, Bounds], error: float | None) -> UOp:
    done: dict[UOp, UOp] = {}
    for node in toposort([sink]):
        renewed = node.with_src(tuple(done[source] for source in node.src))
        if node.op in FORMS and isinstance(node.dtype, DType) and node.dtype.lanes == 1:
            operands = [bounds.get(source, ANYTHING) for source in node.src]
            renewed = renewed.replace(arg=chosen_form(node.op, node.dtype, operands, error))
        done[node] = renewed
    return done[sink]
