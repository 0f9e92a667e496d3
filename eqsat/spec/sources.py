"""Checks of every node at a stage: its sources are values, its vector dtype exists, and it has an argument only if its operation reads one."""

from __future__ import annotations

from collections.abc import Mapping

from eqsat.dtype import DType
from eqsat.floats.forms import FORMS
from eqsat.ops import ALU, MOVEMENT, Op, Stage
from eqsat.uop import UOp

BUFFERS = frozenset({
    Op.PARAM, Op.BUFFER, Op.BUFFER_VIEW, Op.BUFFERIZE, Op.DEFINE_GLOBAL, Op.DEFINE_LOCAL, Op.DEFINE_REG,
})  # fmt: skip
ADDRESSES = frozenset({Op.INDEX, Op.PTRCAT, Op.POINTER_INDEX})
LANES = (2, 3, 4, 8, 16)  # of the vectors of OpenCL C; three lie one after another in memory, too

ARGUED = MOVEMENT | frozenset({
    Op.SINK, Op.KERNEL, Op.NAME, Op.DEVICE, Op.MULTI, Op.COPY, Op.BUFFERIZE, Op.DEFINE_VAR, Op.UNIQUE, Op.LUNIQUE, Op.EMPTY, Op.CUSTOM, Op.CUSTOMI,
    Op.CUSTOM_FUNCTION, Op.MSELECT, Op.ALLREDUCE, Op.CONST, Op.VCONST, Op.VIEW, Op.PARAM, Op.BUFFER, Op.BUFFER_VIEW, Op.DEFINE_GLOBAL,
    Op.DEFINE_LOCAL, Op.DEFINE_ACC, Op.DEFINE_REG, Op.REDUCE_AXIS, Op.REDUCE, Op.SCAN_AXIS, Op.SCAN,
    Op.ARGREDUCE_AXIS, Op.ARGREDUCE, Op.WMMA, Op.RANGE, Op.SPECIAL, Op.GEP, Op.UNROLL, Op.SCATTER_AXIS, Op.STORE,
    Op.CONTRACT, Op.CALL, Op.FUNCTION, Op.GET_TUPLE, Op.LINEAR, Op.SOURCE, Op.PROGRAM_BINARY,
})  # fmt: skip
"""The operations that read an argument; each has a rule for it, or a shape rule that does."""

_ALL, _NONE = (0, None), (0, 0)
_ARRAY_VALUES: Mapping[Op, tuple[int, int | None]] = {
    **dict.fromkeys((Op.BUFFER, Op.PARAM, Op.CONST, Op.BIND, Op.VALID, Op.LOAD), _NONE),  # rules of their own
    Op.COPY: (1, 2),
    Op.ALLREDUCE: (0, 1),
    Op.BUFFERIZE: (0, 1),
}
_KERNEL_VALUES: Mapping[Op, tuple[int, int | None]] = {
    **dict.fromkeys((*ALU, Op.VECTORIZE, Op.GEP, Op.CAT, Op.UNROLL, Op.CONTRACT), _ALL),
    **dict.fromkeys((Op.REDUCE, Op.SCAN, Op.RANGE, Op.SPECIAL, Op.IF, Op.DEFINE_ACC), (0, 1)),
    Op.ARGREDUCE: (0, 2),
    Op.WMMA: (0, 3),
    **dict.fromkeys((Op.STORE, Op.POINTER_INDEX, Op.ASSIGN), (1, 2)),
    Op.INDEX: (1, None),
}
"""Which sources are values, from the first number to before the second, by operation."""

_JOINED = frozenset(
    {Op.VECTORIZE, Op.CAT, Op.VCONST}
)  # may have any number of lanes as long as only these read them
_TAKE_ANY_LANES = frozenset({Op.REDUCE, Op.ARGREDUCE, Op.UNROLL, Op.CAT, Op.LINEAR})


def behind(node: UOp, through: tuple[Op, ...] = (Op.AFTER, Op.CAST)) -> UOp:
    """The node that a chain of AFTERs and pointer CASTs starts from."""
    while node.op in through and node.src:
        node = node.src[0]
    return node


def shuffle_of(node: UOp) -> tuple[UOp, UOp] | None:
    """The two vectors that a GEP has lanes of, side by side in a CAT, if both are of its own dtype; None for all else."""
    if node.op is not Op.GEP or not _is_pair(node.src[0]):
        return None
    first, second = node.src[0].src
    return (first, second) if first.dtype == node.dtype and not node.dtype.scalar.is_bool else None


def _is_pair(node: UOp) -> bool:
    """Whether this joins two vectors of one dtype."""
    return node.op is Op.CAT and len(node.src) == 2 and node.src[0].dtype == node.src[1].dtype


def general(node: UOp, stage: Stage) -> str | None:
    """What any operation may do wrong at a stage: an argument that nothing reads, a source without a value, lanes that no vector has."""
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
    """Whether a node of the array stage has elements; a VIEW without a base only says where, for the LOAD that names a buffer."""
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
