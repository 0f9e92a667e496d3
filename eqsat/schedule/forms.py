"""Chooses the forms of functions in kernels: for each function the cheapest that the plan and the bounds of its operands allow.

Kernels are visited in the order in which they run, so that the bounds of what one kernel stores are known in the kernels that load it. Arguments
of a program may be anything, unless they are integers. Prices of kernels are those of full forms, as forms are chosen after the kernels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from eqsat.dtype import DType
from eqsat.floats.bounds import bounds_of
from eqsat.floats.forms import FORMS, Accuracy, chosen_form
from eqsat.floats.intervals import ANYTHING, Bounds, hull
from eqsat.floats.maxima import is_below_own_maximum
from eqsat.schedule.draft import Draft, Drafts, params_in_order
from eqsat.schedule.weights import values_in_sums
from eqsat.spec.memory import definition
from eqsat.uop import UOp, toposort


def with_forms(drafts: Drafts, accuracy: Accuracy) -> Drafts:
    """The same kernels, each function in the cheapest form that is accurate enough."""
    stored: dict[int, Bounds] = {}
    kernels: list[Draft] = []
    known: dict[tuple[UOp, tuple[Bounds, ...], frozenset[UOp]], tuple[UOp, list[tuple[int, Bounds]]]] = {}
    weights = values_in_sums(drafts) if accuracy.zero_weights else [frozenset[UOp]()] * len(drafts.kernels)
    for draft, in_sums in zip(drafts.kernels, weights, strict=True):
        like = draft.sink, tuple(stored.get(buffer, ANYTHING) for buffer in draft.buffers), in_sums
        if like not in known:  # equal layers have equal kernels
            known[like] = _with_forms(*like, accuracy.error)
        sink, values = known[like]
        for place, value in values:
            buffer = draft.buffers[place]
            stored[buffer] = hull(stored[buffer], value) if buffer in stored else value
        kernels.append(replace(draft, sink=sink))
    return replace(drafts, kernels=tuple(kernels))


def _with_forms(
    sink: UOp, loaded: Sequence[Bounds], in_sums: frozenset[UOp], error: float | None
) -> tuple[UOp, list[tuple[int, Bounds]]]:
    """A kernel with chosen forms, given bounds for each PARAM, and for each store the position of its PARAM with bounds of the value.

    `in_sums` are the nodes that count in sums alone.
    """
    params = params_in_order(sink)
    found = bounds_of([sink], dict(zip(params, loaded, strict=True)))
    values = [
        (
            params.index(definition(store.src[0])),
            found.get(store.src[1], ANYTHING) if store.arg is None else ANYTHING,
        )
        for store in sink.src
    ]
    return _formed(sink, found, in_sums, error), values


def _formed(sink: UOp, bounds: Mapping[UOp, Bounds], in_sums: frozenset[UOp], error: float | None) -> UOp:
    done: dict[UOp, UOp] = {}
    for node in toposort([sink]):
        renewed = node.with_src(tuple(done[source] for source in node.src))
        if node.op in FORMS and isinstance(node.dtype, DType) and node.dtype.lanes == 1:
            operands = [bounds.get(source, ANYTHING) for source in node.src]
            is_weight = node in in_sums and is_below_own_maximum(node.src[0], bounds)
            form = chosen_form(node.op, node.dtype, operands, error, is_weight=is_weight)
            renewed = renewed.replace(arg=form)
        done[node] = renewed
    return done[sink]
