"""Evaluates graphs: `evaluate` returns values, `evaluate_kernel` carries out the stores of one kernel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np

from eqsat.dtype import DType, PtrDType, to_numpy
from eqsat.errors import BuildError, EvaluationError, ExtentError
from eqsat.ops import TABLE, AxisType, Op
from eqsat.reference import arrays, calls, kernels, matrices, scalars
from eqsat.reference.faults import faults_of
from eqsat.reference.frame import Frame, Meaning, Result, Shards
from eqsat.reference.memory import Storage
from eqsat.reference.number import Array, hold
from eqsat.reference.value import SAMPLES, Value, in_turn
from eqsat.shape import Shape
from eqsat.spec import require_uop, require_uops
from eqsat.spec.programs import body_of, is_kernel
from eqsat.spec.rule import range_number
from eqsat.specialization.binding import Binding as Dims
from eqsat.specialization.dynamic_extents import argument_shapes, extents_of, has_extents
from eqsat.specialization.specialize import at_values
from eqsat.uop import UOp, loops_begin, toposort

Binding = Any  # a NumPy array, or a Python number

_MOST_POINTS = 1 << 22  # points of a kernel computed at once; if there are more, one output range is cut

_WHAT_INSTEAD = {
    Op.CUSTOM: "text of the target language, pasted by the renderer; bind the node to give it a value",
    Op.CUSTOMI: "text of the target language, pasted by the renderer; bind the node to give it a value",
    Op.PROGRAM: "a container; evaluate its SINK with evaluate_kernel, or run its LINEAR with run_linear",
    Op.SOURCE: "text for a compiler; run the LINEAR it was rendered from with run_linear",
    Op.PROGRAM_BINARY: "code for a device; run the LINEAR it was compiled from with run_linear",
}


def lowering(op: Op) -> str:
    """The operation to lower to, in words, if an operation has no meaning here or in the linear interpreter; empty if it has one."""
    return _WHAT_INSTEAD.get(op) or TABLE[op].lowering


def evaluate(root: UOp | Sequence[UOp], bindings: Mapping[UOp | int | str, Binding] | None = None) -> Any:
    """Computes the value of a graph: an array, or a tuple of arrays for a SINK, a TUPLE, a CALL or a sequence of roots.

    Bindings give inputs their data. A PARAM (by node or slot number) or BUFFER (by node) is bound to a whole array of any shape.
    A variable or hardware coordinate (by node or name), a RANGE, or any other node is bound to its value. A BUFFER for data that a
    traced function contains needs no binding. Values may be arrays of samples, whose shapes broadcast to one; every result then has that
    shape in front. A RANGE that is neither bound nor closed also becomes a leading axis, lowest number first. Vectors have their lanes
    last. A bfloat16 is returned in float32, an index in int64, or as Python integers if it does not fit. The value of a store is the
    content of its buffer afterwards; the caller's arrays do not change. Results may be read-only, or views of bound arrays.

    >>> i = UOp.variable("i", 0, 15)
    >>> evaluate((i * 64 + 3) // 64, {"i": np.arange(4)})
    array([0, 1, 2, 3])

    Raises:
        EvaluationError: an input is unbound or bound to an array of another shape, or a node has no value.
        MemoryExhaustedError: there is no memory for an array.
    """
    roots = _outputs(root)
    if has_extents(toposort(roots)):
        told = argument_shapes([root] if isinstance(root, UOp) else ())
        roots, bindings = _with_known_extents(roots, bindings or {}, told)
    with faults_of(roots), np.errstate(all="ignore"):
        frame, samples = _bound_frame(roots, bindings or {})
        run(frame)
        results = [frame.values[node] for node in frame.roots]
        found: list[Array] = []
        for result, node in zip(results, roots, strict=True):
            members = result if isinstance(result, tuple) else (result,)
            found.extend(_as_array(frame.value(member, node), samples) for member in members)
    is_one = isinstance(root, UOp) and root.op not in (Op.SINK, Op.TUPLE, Op.CALL, Op.KERNEL)
    return found[0] if is_one else tuple(found)


def _with_known_extents(
    roots: Sequence[UOp], bindings: Mapping[UOp | int | str, Binding], told: Mapping[int, Shape]
) -> tuple[tuple[UOp, ...], Mapping[UOp | int | str, Binding]]:
    """The graphs with the extents that the shapes of the bound arrays give, and the bindings of their inputs.

    The shapes of arguments, with dims, are those in `told`, or else those that the graphs reshape the arguments to.

    Raises:
        EvaluationError: an extent is out of bounds, or arrays that share a dim disagree.
    """
    order = toposort(roots)
    by_slot = {
        key.arg[0] if isinstance(key, UOp) and key.op is Op.PARAM else key: each
        for key, each in bindings.items()
    }
    wanted = {**argument_shapes(order), **told}
    slots = [slot for slot in wanted if slot in by_slot]
    binding = Dims([wanted[slot] for slot in slots], (), [f"the array of slot {slot}" for slot in slots])
    names = {dim.name for extent in extents_of(order) for dim in extent.dims}
    try:
        values = {name: by_slot[name] for name in names if name in by_slot}
        values |= binding.values(tuple(np.shape(by_slot[slot]) for slot in slots))
        return tuple(at_values(roots, values)), {
            key: each for key, each in by_slot.items() if key not in names
        }
    except (ExtentError, BuildError) as error:
        raise EvaluationError(str(error)) from error


def evaluate_kernel(
    sink: UOp,
    buffers: Sequence[Array],
    variables: Mapping[str, int] | None = None,
    most_points: int = _MOST_POINTS,
) -> None:
    """Runs a kernel graph. `buffers[k]` is the argument of PARAM slot k; buffers with stores are overwritten in place.

    Every range, of any axis type, is an axis of points that are computed at once. A load sees the content of its buffer before the kernel,
    unless it reads through AFTER. A kernel with more than `most_points` points is computed in pieces.

    Raises:
        EvaluationError: an access that is not gated off is out of bounds, or a buffer is missing or of another dtype or size.
    """
    require_uop(sink)
    order = toposort([sink])
    with faults_of([sink]):
        _check_buffers(order, buffers)
        slots = {number: Storage(buffer.reshape(-1)) for number, buffer in enumerate(buffers)}
        names = {name: Value((), np.asarray(value, np.int64)) for name, value in (variables or {}).items()}
        for windows in _pieces(order, most_points, variables or {}):
            run(Frame((sink,), {}, slots, names, windows, strict=True))
    for number, storage in slots.items():
        if storage.stored is not None:
            np.copyto(buffers[number], storage.stored.reshape(buffers[number].shape))


def run(frame: Frame) -> None:
    """Computes all nodes of a frame. Each call runs in its own frame on a stack.

    Raises:
        EvaluationError: a node has no meaning at this level.
    """
    stack = [frame]
    with np.errstate(all="ignore"):
        while stack:
            top = stack[-1]
            for node in top.pending:
                if node.op in (Op.CALL, Op.KERNEL) and node not in top.bound:
                    if node.src[0].op is Op.CUSTOM_FUNCTION:
                        top.finish(node, calls.custom_results(top, node))
                        continue
                    inner = calls.call_frame(top, node)
                    if is_kernel(body_of(node)):  # it contains no calls
                        calls.finish_call(top, _run_in_pieces(inner, body_of(node)))
                        continue
                    stack.append(inner)
                    break
                top.finish(node, _result(top, node))
            else:
                stack.pop()
                if stack:
                    calls.finish_call(stack[-1], top)


def _run_in_pieces(frame: Frame, kernel: UOp) -> Frame:
    """Runs a called kernel in pieces, and returns the frame of the last piece."""
    variables = {name: value.data for name, value in frame.names.items()}
    for windows in _pieces(toposort([kernel]), _MOST_POINTS, variables):
        frame = Frame(frame.roots, frame.bound, frame.slots, frame.names, windows, strict=frame.strict, result_of=frame.result_of)  # fmt: skip
        run(frame)
    return frame


def _recur(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    """What a recurrence gives: its iterations are computed one after the other."""
    begin = loops_begin(node)
    bounds, roots = node.src[begin:], (node.src[0], *node.src[1:begin:2])
    ranges = dict(zip(frame.needs(node), sources, strict=True))
    kept, found = dict[UOp, Value](), list[Value]()
    for place in product(*(ranges[bound].data.tolist() for bound in bounds)):
        windows = {**frame.windows, **{bound: (at, at + 1) for bound, at in zip(bounds, place, strict=True)}}
        inner = Frame(roots, frame.bound, frame.slots, frame.names, windows, strict=frame.strict, kept=kept)
        inner.storages, inner.position = frame.storages, frame.position
        run(inner)
        value, *following = (inner.value(inner.values[root], root) for root in roots)
        found.append(value)
        kept = dict(zip(node.src[2:begin:2], following, strict=True))
    return in_turn(found, [ranges[bound] for bound in bounds], frame.position)


MEANING: Mapping[Op, Meaning] = {
    **scalars.MEANING,
    **arrays.MEANING,
    **kernels.MEANING,
    **matrices.MEANING,
    **calls.MEANING,
    Op.RECUR: _recur,
}


def _result(frame: Frame, node: UOp) -> Result:
    if node in frame.bound:
        return frame.bound[node]
    meaning = MEANING.get(node.op)
    if meaning is None:
        how = lowering(node.op) or "an instruction of linear programs; run them with run_linear"
        raise EvaluationError(f"{node!r} has no value in a graph: {how}")
    results = [frame.values[source] for source in frame.needs(node)]
    if node.op not in _OF_SHARDS and any(isinstance(each, Shards) and each.axis is None for each in results):
        return _of_each_copy(frame, node, meaning, results)
    return meaning(frame, node, results)


_OF_SHARDS = frozenset({Op.MULTI, Op.MSTACK, Op.MSELECT, Op.ALLREDUCE, Op.COPY, Op.SINK, Op.TUPLE, Op.CALL})


def _of_each_copy(frame: Frame, node: UOp, meaning: Meaning, results: Sequence[Result]) -> Result:
    """Applies an operation to each copy of an array that is on several devices."""
    copies = [each for each in results if isinstance(each, Shards) and each.axis is None]
    parts: list[Value] = []
    for number in range(len(copies[0].parts)):
        own = [
            each.parts[number] if isinstance(each, Shards) and each.axis is None else each for each in results
        ]
        parts.append(frame.value(meaning(frame, node, own), node))
    real = tuple(map(all, zip(*(each.real for each in copies), strict=True)))
    return Shards(tuple(parts), None, real if any(real) else (True,) * len(real))


def _outputs(root: UOp | Sequence[UOp]) -> tuple[UOp, ...]:
    require_uops(root)
    if not isinstance(root, UOp):
        return tuple(root)
    return root.src if root.op in (Op.SINK, Op.TUPLE) else (root,)


@dataclass(frozen=True, slots=True)
class _Samples:
    """The common shape of all sampled bindings."""

    shape: tuple[int, ...]


def _bound_frame(
    roots: tuple[UOp, ...], bindings: Mapping[UOp | int | str, Binding]
) -> tuple[Frame, _Samples]:
    nodes = {key: _Bound(np.asarray(value), key) for key, value in bindings.items() if isinstance(key, UOp)}
    names = {key: np.asarray(value) for key, value in bindings.items() if isinstance(key, str)}
    shapes = [array.shape for array in names.values()] + [bound.samples for bound in nodes.values()]
    try:
        samples = _Samples(np.broadcast_shapes(*shapes))
    except ValueError as error:
        raise EvaluationError(
            f"bindings vary over samples of shapes {sorted(set(shapes))}; give them one shape"
        ) from error
    slots = {
        key: Storage(np.asarray(value).reshape(-1)) for key, value in bindings.items() if isinstance(key, int)
    }
    frame = Frame(
        roots,
        {node: bound.value(samples) for node, bound in nodes.items() if not bound.is_buffer},
        slots,
        {name: _sampled(array, array.shape, samples) for name, array in names.items()},
    )
    frame.storages.update(
        {node: Storage(bound.array.reshape(-1)) for node, bound in nodes.items() if bound.is_buffer}
    )
    return frame, samples


class _Bound:
    """An array bound to a node, and which of its leading axes are sample axes."""

    __slots__ = ("array", "is_buffer", "node", "samples")

    def __init__(self, array: Array, node: UOp) -> None:
        dtype = node.dtype.base if isinstance(node.dtype, PtrDType) else node.dtype
        shape = (*(node.shape or ()), *((dtype.lanes,) if dtype.lanes > 1 else ()))
        self.node = node
        self.is_buffer = node.op in (Op.PARAM, Op.BUFFER, Op.DEFINE_GLOBAL) and array.size == prod(shape)
        self.array = array if dtype.kind == "v" else hold(array, dtype)
        self.samples = () if self.is_buffer else array.shape[: array.ndim - len(shape)]
        if not self.is_buffer and array.shape[array.ndim - len(shape) :] != shape:
            raise EvaluationError(
                f"{node!r} is bound to an array of shape {array.shape}; its value has shape {shape}"
            )

    def value(self, samples: _Samples) -> Value:
        return _sampled(self.array, self.samples, samples)


def _sampled(array: Array, own: tuple[int, ...], samples: _Samples) -> Value:
    """The value of a binding, with one named axis for all samples. It has no such axis if the binding is the same for all samples."""
    if not own:
        return Value((), array)
    inner = array.shape[len(own) :]
    whole = np.broadcast_to(
        array.reshape(*(1,) * (len(samples.shape) - len(own)), *array.shape), (*samples.shape, *inner)
    )
    return Value((SAMPLES,), whole.reshape(-1, *inner))


def _as_array(value: Value, samples: _Samples) -> Array:
    rest = value.data.shape[1:] if SAMPLES in value.axes else value.data.shape
    if SAMPLES in value.axes:
        return value.data.reshape(*samples.shape, *rest)
    return np.broadcast_to(value.data, (*samples.shape, *rest)) if samples.shape else value.data


def _check_buffers(order: Sequence[UOp], buffers: Sequence[Array]) -> None:
    for node in order:
        if node.op not in (Op.PARAM, Op.DEFINE_GLOBAL):
            continue
        slot = range_number(node)
        if slot >= len(buffers):
            raise EvaluationError(
                f"{node!r} is argument {slot}, and only {len(buffers)} buffers were given; pass it too"
            )
        dtype = node.dtype.base if isinstance(node.dtype, PtrDType) else node.dtype
        assert isinstance(dtype, DType)
        if buffers[slot].dtype != to_numpy(dtype):
            raise EvaluationError(
                f"{node!r} is given an array of {buffers[slot].dtype}; convert it to {to_numpy(dtype)}"
            )


_FILLED = (Op.DEFINE_LOCAL, Op.DEFINE_REG)
_TOGETHER = (
    AxisType.UPCAST,
    AxisType.UNROLL,
    AxisType.LOCAL,
)  # each iteration has its own element of local memory, so all are computed together


def _pieces(
    order: Sequence[UOp], most_points: int, variables: Mapping[str, Any]
) -> list[dict[UOp, tuple[int, int]]]:
    """The pieces of a kernel: windows of one output range. A kernel that is small, or whose stores share no range, is one piece without windows.

    Local memory is filled again in each iteration of the loops around it, so each such iteration is a piece. Each iteration is a piece, too, of a
    loop in which a buffer is read after a STORE to it, and of an output range or coordinate that the end of another range varies with.
    """
    around = {
        bound
        for node in order
        if node.op is Op.AFTER
        for bound in node.ranges
        if (bound.arg[1] not in _TOGETHER if node.src[0].op in _FILLED else bound.arg[1] is AxisType.LOOP)
    }
    stored = [frozenset(node.src[2:]) for node in order if node.op is Op.STORE]
    shared = stored[0].intersection(*stored) if stored else frozenset[UOp]()
    scanned = {
        bound for node in order if node.op in (Op.SCAN, Op.RECUR) for bound in node.src[loops_begin(node) :]
    }
    around |= {bound for node in order if node.op is Op.RANGE for bound in node.src[0].ranges} & (
        shared - scanned
    )
    ends = [node.src[0] for node in order if node.op is Op.RANGE and node.src[0].op is not Op.CONST]
    around |= {node for node in toposort(ends) if node.op is Op.SPECIAL}
    if around:
        return list(_iterations([node for node in order if node in around], variables, {}))
    points = max((prod(_extent(bound) for bound in node.ranges) for node in order), default=1)
    if points <= most_points or any(node.op is Op.AFTER for node in order):
        return [{}]
    candidates = [node for node in order if node in shared - scanned and node.op is Op.RANGE]
    if not candidates:
        return [{}]
    cut = max(candidates, key=_extent)
    step = max(1, _extent(cut) * most_points // points)
    return [{cut: (begin, min(begin + step, _extent(cut)))} for begin in range(0, _extent(cut), step)]


def _iterations(
    bounds: Sequence[UOp], variables: Mapping[str, Any], place: dict[UOp, tuple[int, int]]
) -> Iterator[dict[UOp, tuple[int, int]]]:
    """Each iteration of nested ranges, outer ones first."""
    if not bounds:
        yield place
        return
    end = bounds[0].src[0]
    known: dict[UOp | int | str, Any] = {**variables, **{bound: begin for bound, (begin, _) in place.items()}}
    for at in range(end.arg if end.op is Op.CONST else int(evaluate(end, known))):  # pyright: ignore[reportArgumentType]
        yield from _iterations(bounds[1:], variables, {**place, bounds[0]: (at, at + 1)})


def _extent(bound: UOp) -> int:
    end = bound.src[0].arg
    return end if isinstance(end, int) else 1
