"""The meaning of calls and tuples. The body of a call is evaluated in its own frame, where its parameters are bound to the arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.custom import Operand, custom_named
from eqsat.dtype import to_numpy
from eqsat.errors import EvaluationError
from eqsat.ops import Op
from eqsat.reference.frame import Frame, Meaning, Result, element_type
from eqsat.reference.memory import Pointer, Storage
from eqsat.reference.value import Value, extents_of, spread, union
from eqsat.spec.programs import arguments_of, body_of, formals_of, is_kernel
from eqsat.spec.rule import is_tuple
from eqsat.uop import UOp


def call_frame(frame: Frame, call: UOp) -> Frame:
    """The frame that computes the body of `call`, with its parameters bound to the arguments.

    Raises:
        EvaluationError: the call has more or fewer arguments than its body has parameters.
    """
    body = body_of(call)
    _require_all_arguments(call)
    bound: dict[UOp, Result] = {}
    slots: dict[int, Storage] = {}
    for formal, source in zip(formals_of(call), arguments_of(call), strict=True):
        if isinstance(formal, int):
            slots[formal] = _storage_of(frame.values[source], source)
        else:
            bound[formal] = frame.values[source]
    roots = body.src if body.op in (Op.TUPLE, Op.SINK) else (body,)
    strict = frame.strict or is_kernel(body)  # outside its buffers, a kernel would read other memory
    return Frame(roots, bound, slots, frame.names, strict=strict, result_of=call)


def _require_all_arguments(call: UOp) -> None:
    given, formals = len(arguments_of(call)), len(formals_of(call))
    if given != formals:
        raise EvaluationError(
            f"{call!r} passes {given} arguments for {formals} parameters; pass one for each"
        )


def _storage_of(argument: Any, source: UOp) -> Storage:
    if isinstance(argument, Pointer):
        return Storage(argument.elements())
    if isinstance(argument, Value) and not argument.axes:
        return Storage(argument.data.reshape(-1))
    raise EvaluationError(
        f"argument {source!r} of a call is no array or buffer, or varies with the samples; evaluate it first"
    )


def finish_call(frame: Frame, inner: Frame) -> None:
    """Passes the results of a body to the calling frame, and its stores to the buffers among the arguments."""
    call = inner.result_of
    assert call is not None
    for formal, source in zip(formals_of(call), arguments_of(call), strict=True):
        argument = frame.values[source]
        stored = inner.slots[formal].stored if isinstance(formal, int) else None
        if isinstance(argument, Pointer) and stored is not None:
            argument.storage.writable()[argument.offset : argument.offset + argument.size] = stored
    results = (inner.values[root] for root in inner.roots)
    frame.finish(call, tuple(inner.value(result, call) for result in results if result is not None))


def custom_results(frame: Frame, call: UOp) -> Result:
    """The results of a function that a user registered, for the arguments of a call: it is called once for each sample.

    Raises:
        EvaluationError: the results of the function are not as declared.
        BuildError: there is no such function.
    """
    function = custom_named(call.src[0].arg)
    results = [Operand(each.shape or (), element_type(each)) for each in call.src[0].src[0].src]
    computed = function.prepared(function.meaning, results, EvaluationError)
    arguments = arguments_of(call)
    values = [frame.value(frame.values[source], source) for source in arguments]
    axes = union(values, frame.position)
    extents = extents_of(values, axes)
    given = [spread(value, axes, extents) for value in values]
    made = [np.empty((*extents, *each.shape), to_numpy(each.dtype)) for each in results]
    for place in np.ndindex(*extents):
        arrays = [
            each[place].reshape(source.shape or ()) for each, source in zip(given, arguments, strict=True)
        ]
        for whole, array in zip(made, computed(arrays), strict=True):
            whole[place] = array
    return tuple(Value(axes, whole) for whole in made)


def _tuple(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    return tuple(frame.value(result, source) for result, source in zip(sources, node.src, strict=True))


def _get_tuple(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    values = sources[0]
    if not is_tuple(values):
        raise EvaluationError(f"{node!r} takes an element of a function that nobody called; CALL it first")
    element: Value = values[node.arg]
    return Value(
        element.axes, element.data.reshape((*element.data.shape[: len(element.axes)], *(node.shape or ())))
    )


MEANING: dict[Op, Meaning] = {Op.TUPLE: _tuple, Op.GET_TUPLE: _get_tuple}
