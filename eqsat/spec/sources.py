"""Checks of all operations alike: sources are values, vector dtypes exist, and only operations that read an argument have one."""

from __future__ import annotations

from collections.abc import Mapping

from eqsat.dtype import LANES, DType
from eqsat.floats.forms import FORMS
from eqsat.ops import ALU, MOVEMENT, Op, Stage
from eqsat.uop import UOp

BUFFERS = frozenset({
    Op.PARAM, Op.BUFFER, Op.BUFFER_VIEW, Op.BUFFERIZE, Op.DEFINE_GLOBAL, Op.DEFINE_LOCAL, Op.DEFINE_REG,
})  # fmt: skip
ADDRESSES = frozenset({Op.INDEX, Op.PTRCAT, Op.POINTER_INDEX})

ARGUED = MOVEMENT | frozenset({
    Op.SINK, Op.KERNEL, Op.NAME, Op.DEVICE, Op.MULTI, Op.COPY, Op.BUFFERIZE, Op.DEFINE_VAR, Op.UNIQUE, Op.LUNIQUE, Op.EMPTY, Op.CUSTOM, Op.CUSTOMI,
    Op.CUSTOM_FUNCTION, Op.MSELECT, Op.ALLREDUCE, Op.CONST, Op.VCONST, Op.VIEW, Op.PARAM, Op.BUFFER, Op.BUFFER_VIEW, Op.DEFINE_GLOBAL,
    Op.DEFINE_LOCAL, Op.DEFINE_ACC, Op.DEFINE_REG, Op.REDUCE_AXIS, Op.REDUCE, Op.SCAN_AXIS, Op.SCAN, Op.RECUR_AXIS, Op.CARRY, Op.RECUR,
    Op.ARGREDUCE_AXIS, Op.ARGREDUCE, Op.WMMA, Op.RANGE, Op.SPECIAL, Op.GEP, Op.UNROLL, Op.SCATTER_AXIS, Op.STORE,
    Op.CONTRACT, Op.CALL, Op.FUNCTION, Op.GET_TUPLE, Op.LINEAR, Op.SOURCE, Op.PROGRAM_BINARY,
})  # fmt: skip
"""The operations that read an argument. Each has a rule that checks it, or a shape rule that does."""

_ALL, _NONE = (0, None), (0, 0)
_ARRAY_VALUES: Mapping[Op, tuple[int, int | None]] = {
    # checked by their own rules
    **dict.fromkeys((Op.BUFFER, Op.PARAM, Op.CONST, Op.BIND, Op.VALID, Op.LOAD), _NONE),
    Op.COPY: (1, 2),
    Op.ALLREDUCE: (0, 1),
    Op.BUFFERIZE: (0, 1),
}
_KERNEL_VALUES: Mapping[Op, tuple[int, int | None]] = {
    **dict.fromkeys((*ALU, Op.VECTORIZE, Op.GEP, Op.CAT, Op.UNROLL, Op.CONTRACT), _ALL),
    **dict.fromkeys((Op.REDUCE, Op.SCAN, Op.RANGE, Op.SPECIAL, Op.IF, Op.DEFINE_ACC), (0, 1)),
    Op.ARGREDUCE: (0, 2),
    **dict.fromkeys((Op.CARRY, Op.RECUR), (0, -1)),
    Op.WMMA: (0, 3),
    **dict.fromkeys((Op.STORE, Op.POINTER_INDEX, Op.ASSIGN), (1, 2)),
    Op.INDEX: (1, None),
}
"""By operation, which sources must be values: from the first number up to, but without, the second (None: up to the last source)."""

# Results of these may have any number of lanes, if only operations that take any number of lanes, and shuffles, read them.
_JOINED = frozenset({Op.VECTORIZE, Op.CAT, Op.VCONST})
_TAKE_ANY_LANES = frozenset({Op.REDUCE, Op.ARGREDUCE, Op.UNROLL, Op.CAT, Op.LINEAR})


def behind(node: UOp, through: tuple[Op, ...] = (Op.AFTER, Op.CAST)) -> UOp:
    """Skips AFTERs and pointer CASTs, or the operations in `through`: returns the node that they are applied to."""
    while node.op in through and node.src:
        node = node.src[0]
    return node


def shuffle_of(node: UOp) -> tuple[UOp, UOp] | None:
    """The two vectors from which a GEP picks lanes, if its source is a CAT of two vectors of the GEP's own dtype; None otherwise.

    Vectors of bools give None, too.
    """
    if node.op is not Op.GEP or not _is_pair(node.src[0]):
        return None
    first, second = node.src[0].src
    return (first, second) if first.dtype == node.dtype and not node.dtype.scalar.is_bool else None


def _is_pair(node: UOp) -> bool:
    """Whether a node is a CAT of two vectors of one dtype."""
    return node.op is Op.CAT and len(node.src) == 2 and node.src[0].dtype == node.src[1].dtype


def general(node: UOp, stage: Stage) -> str | None:
    """Checks for faults that any operation may have: an argument that it does not read, a source without a value, an illegal number of lanes."""
    if node.arg is not None and node.op not in ARGUED and (stage is Stage.ARRAY or not _is_form(node)):
        return f"it takes no argument, not {node.arg!r}; leave it out"
    if stage is Stage.ARRAY:
        return _array_sources(node)
    return None if stage is Stage.PROGRAM else _kernel_sources(node) or _lanes(node, stage)


def _is_form(node: UOp) -> bool:
    """Whether the argument of an elementary function names one of its forms."""
    return any(form.name == node.arg for form in FORMS.get(node.op, ()))


def _array_sources(node: UOp) -> str | None:
    if node.dtype.lanes > 1:
        return f"{node.dtype} is a vector, which kernels have; give an array an axis instead"
    first, last = _ARRAY_VALUES.get(node.op, _ALL)
    for source in node.src[first:last]:
        if not is_array(source):
            return f"its source {source.op.name} has no value; give it an array{_view_hint(source)}"
    return None


def is_array(node: UOp) -> bool:
    """Whether a node of the array stage has elements.

    A VIEW without a base has none: it only describes a window for a LOAD, which names the buffer.
    """
    return (
        node.shape is not None
        and isinstance(node.dtype, DType)
        and node.dtype.kind != "v"
        and (node.op is not Op.VIEW or bool(node.src))
    )


def _view_hint(source: UOp) -> str:
    return ", or the VIEW a base" if source.op is Op.VIEW else ""


def _kernel_sources(node: UOp) -> str | None:
    wanted = _KERNEL_VALUES.get(node.op)
    if wanted is None or (node.op is Op.CAST and not isinstance(node.dtype, DType)):
        return None
    for source in node.src[wanted[0] : wanted[1]]:
        if not is_value(source):
            remedy = "LOAD it" if behind(source).op in ADDRESSES else "LOAD an element of it, or compute one"
            return f"its source {source.op.name} of {source.dtype} is no value; {remedy} first"
    return None


def is_value(node: UOp) -> bool:
    """Whether a node of a kernel has elements: no buffer, address or statement."""
    dtype = node.dtype
    if not isinstance(dtype, DType) or dtype.kind == "v":
        return False
    inner = behind(node, (Op.AFTER, Op.NOOP, Op.RESHAPE)).op
    return inner not in BUFFERS and inner not in ADDRESSES


def _lanes(node: UOp, stage: Stage) -> str | None:
    lanes = node.dtype.lanes
    is_joined = _is_pair(node) if stage is Stage.LINEAR else node.op in _JOINED
    if lanes > 1 and lanes not in LANES and not is_joined:
        return _no_vector(lanes)
    if node.op in _TAKE_ANY_LANES or shuffle_of(node) is not None:
        return None
    wrong = next((each for each in node.src if each.dtype.lanes > 1 and each.dtype.lanes not in LANES), None)
    return None if wrong is None else _no_vector(wrong.dtype.lanes)


def _no_vector(lanes: int) -> str:
    return f"there is no vector of {lanes} lanes; use {', '.join(map(str, LANES))}"
