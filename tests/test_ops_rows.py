"""What the rows of the table say about sources, dtypes and arithmetic is what operations do: found by trying, or said by the seeds."""

import itertools
from functools import cache

import numpy as np
import pytest

from eqsat import shape as shapes
from eqsat.codegen.functions import FUNCTIONS
from eqsat.dtype import AddrSpace, bool_, float32, float64, index, int32
from eqsat.errors import BuildError, EqsatError
from eqsat.ops import (
    ABREAST,
    ACROSS,
    ALONG_AXES,
    ALU,
    AT_HAND,
    AXES_REDUCED,
    BINARY,
    COMMUTATIVE,
    COMPARISON,
    DIVISIONS,
    ELEMENTARY,
    EXTREMES,
    IN_TURN,
    REDUCE_OPS,
    REDUCES,
    SHIFTS,
    TABLE,
    TERNARY,
    UNARY,
    AxisType,
    BufferizeOpts,
    Category,
    DTypeRule,
    KernelInfo,
    Op,
    Stage,
    View,
    identity_element,
)
from eqsat.reference import compute, constant
from eqsat.spec import fault_of
from eqsat.uop import UOp, toposort
from tests.examples import EXAMPLES, Executed

SOURCES: dict[tuple[int, int | None], str] = {
    (
        0,
        0,
    ): "NAME DEVICE DEFINE_VAR UNIQUE LUNIQUE EMPTY VCONST DEFINE_GLOBAL DEFINE_LOCAL DEFINE_REG SOURCE PROGRAM_BINARY",
    (0, 1): "CONST VIEW PARAM",
    (0, None): "SINK CUSTOM CUSTOMI GROUP BARRIER TUPLE LINEAR BLOCK BLOCKSTART BLOCKFORK BLOCKEND",
    (
        1,
        1,
    ): "NOOP CUSTOM_FUNCTION CONTIGUOUS CONTIGUOUS_BACKWARD DETACH PRECAST MSELECT RESHAPE PERMUTE EXPAND PAD SHRINK FLIP VALID "
    "BUFFER_VIEW CAST BITCAST NEG REDUCE_AXIS SCAN_AXIS ARGREDUCE_AXIS ENDRANGE ENDIF SPECIAL GEP UNROLL CONTRACT GET_TUPLE "
    "EXP2 LOG2 SIN SQRT RECIP EXP EXPM1 LOG LOG10 LOG1P COS TAN ASIN ACOS ATAN SINH COSH TANH ASINH ACOSH ATANH ERF ERFC SIGMOID "
    "SILU GELU",
    (1, 2): "ALLREDUCE",
    (1, 4): "LOAD",
    (
        1,
        None,
    ): "KERNEL MULTI MSTACK BUFFERIZE INDEX DEFINE_ACC REDUCE RECUR_AXIS RANGE END IF AFTER VECTORIZE CAT PTRCAT CALL FUNCTION",
    (
        2,
        2,
    ): "COPY ASSIGN BIND BUFFER POINTER_INDEX ADD SUB MUL FDIV POW IDIV MOD FLOORDIV FLOORMOD MAX MIN CMPLT CMPNE XOR OR AND SHL SHR "
    "DOT ATAN2 HYPOT LOGADDEXP FMOD SCATTER_AXIS",
    (2, 5): "PROGRAM",
    (2, None): "STORE SCAN CARRY",
    (3, 3): "WHERE MULACC",
    (3, None): "ARGREDUCE WMMA",
    (4, None): "RECUR",
}
GIVEN = {
    Op.EMPTY,
    Op.CUSTOM,
    Op.CUSTOMI,
    Op.PARAM,
    Op.BUFFER,
    Op.CAST,
    Op.CARRY,
}  # what they make may have any dtype of elements


def test_every_operation_takes_as_many_sources_as_the_seeds_give_it():
    said = {Op[name]: arity for arity, names in SOURCES.items() for name in names.split()}
    assert {op: TABLE[op].arity for op in Op} == said


@cache
def shown(op):
    """The node of an operation in its example."""
    example = EXAMPLES[op]
    roots = example.instructions if isinstance(example, Executed) else [example.root]
    return next((node for node in toposort(roots) if node.op is op), None)


SHOWN = [op for op in Op if TABLE[op].stages and op is not Op.LINEAR]


@pytest.mark.parametrize("op", SHOWN, ids=lambda op: op.name)
def test_dtype_of_a_result_follows_from_the_sources(op):
    node = shown(op)
    assert fault_of(node) is None
    other = float64 if node.dtype.scalar != float64 else int32
    try:
        changed = node.replace(dtype=other)
    except EqsatError:
        return
    assert (fault_of(changed) is None) == (op in GIVEN)


SAMPLES = {
    DTypeRule.FLOAT: (float32, (0.5, 1.5, -2.0)),
    DTypeRule.BITS: (int32, (0, 6, -5)),
    DTypeRule.INTEGRAL: (int32, (3, 5, -4)),
}


def sampled(op):
    dtype, values = SAMPLES.get(TABLE[op].dtype, (int32, (2, 6, -5)))
    return dtype, [constant(value, dtype) for value in values]


@pytest.mark.parametrize("op", sorted(BINARY, key=lambda op: op.name), ids=lambda op: op.name)
@pytest.mark.filterwarnings("ignore")
def test_order_of_operands_matters_where_the_row_says_so(op):
    """Functions that commute only up to rounding, or by chance, are not said to."""
    dtype, values = sampled(op)
    same = all(
        compute(op, dtype, x, y) == compute(op, dtype, y, x) for x, y in itertools.product(values, values)
    )
    assert TABLE[op].commutative == (same and op not in ELEMENTARY)


@pytest.mark.parametrize("op", sorted(BINARY - ELEMENTARY, key=lambda op: op.name), ids=lambda op: op.name)
@pytest.mark.filterwarnings("ignore")
def test_grouping_of_operands_matters_where_the_row_says_so(op):
    dtype, values = sampled(op)
    if TABLE[op].dtype is DTypeRule.COMPARE:
        assert not TABLE[op].associative
        return
    same = all(
        compute(op, dtype, compute(op, dtype, x, y), z) == compute(op, dtype, x, compute(op, dtype, y, z))
        for x, y, z in itertools.product(values, values, values)
    )
    assert TABLE[op].associative == same


def test_operations_that_commute_have_an_identity_element():
    assert {op for op in Op if TABLE[op].associative} == {op for op in Op if TABLE[op].identity is not None}
    assert {op for op in Op if TABLE[op].associative} > REDUCE_OPS
    assert identity_element(Op.AND, bool_) is True
    assert identity_element(Op.AND, index) == -1
    assert identity_element(Op.MAX, bool_) is False
    assert identity_element(Op.MAX, int32) == -(2**31)
    assert identity_element(Op.MIN, int32) == 2**31 - 1
    with pytest.raises(BuildError, match="SUB has no identity element"):
        identity_element(Op.SUB, int32)


def test_arithmetic_is_that_of_scalars():
    """Elementwise in all shapes, on any stage but programs."""
    assert (
        ALU
        == UNARY | BINARY | TERNARY
        == {op for op in Op if TABLE[op].category in (Category.UNARY, Category.BINARY, Category.TERNARY)}
    )
    x, y = UOp.param(0, 6, float32), UOp.param(1, 6, float32)
    for op in ALU:
        node = shown(op)
        spread = node.replace(
            src=tuple(
                x.reshape((2, 3)) if source is node.src[0] else y.reshape((2, 3)) for source in node.src
            )
        )
        assert spread.shape == (2, 3)


def test_priorities_are_what_seed_001_prints():
    printed = {
        "PLACEHOLDER": -3,
        "LOOP": -1,
        "GLOBAL": 0,
        "THREAD": 0,
        "WARP": 1,
        "LOCAL": 2,
        "GROUP_REDUCE": 2,
        "UPCAST": 3,
        "REDUCE": 4,
        "UNROLL": 5,
    }
    assert {name: AxisType[name].priority for name in printed} == printed


def test_numbers_of_operations_are_those_of_their_rows():
    assert [op.value for op in Op] == list(range(1, len(Op) + 1))
    assert len({hash(op) for op in Op}) == len(Op)
    assert repr(Op.ADD) == "ADD"
    assert not np.any([TABLE[op].elementary for op in Op if op not in UNARY | BINARY])


@pytest.mark.parametrize("op", TABLE, ids=str)
def test_what_has_no_value_has_no_shape(op):
    info = TABLE[op]
    assert (info.dtype is DTypeRule.VOID) == (info.shape is shapes.nothing)


SHAPES = {
    shapes.nothing: "SINK KERNEL NAME DEVICE UNIQUE LUNIQUE CUSTOM_FUNCTION GROUP STORE END ENDRANGE IF ENDIF BARRIER CALL FUNCTION TUPLE "
    "PROGRAM LINEAR SOURCE PROGRAM_BINARY BLOCK BLOCKSTART BLOCKFORK BLOCKEND",
    shapes.scalar: "DEFINE_VAR CUSTOM CUSTOMI CONST VCONST POINTER_INDEX DEFINE_GLOBAL DEFINE_LOCAL DEFINE_ACC DEFINE_REG WMMA RANGE SPECIAL "
    "VECTORIZE GEP CAT PTRCAT UNROLL CONTRACT CARRY",
    shapes.first: "ASSIGN BIND NOOP CONTIGUOUS CONTIGUOUS_BACKWARD DETACH PRECAST MSELECT ALLREDUCE VALID REDUCE SCAN RECUR ARGREDUCE AFTER",
    shapes.second: "COPY",
    shapes.sized: "PARAM BUFFER",
    shapes.reduce_axis: "REDUCE_AXIS ARGREDUCE_AXIS",
    shapes.sharded: "MULTI",
    shapes.stacked: "MSTACK",
    shapes.shaped: "EMPTY",
    shapes.viewed: "VIEW",
    shapes.view_of_buffer: "BUFFER_VIEW",
    shapes.comprehension: "BUFFERIZE",
    shapes.indexed: "INDEX",
    shapes.loaded: "LOAD",
    shapes.member: "GET_TUPLE",
}  # of what is neither arithmetic nor named as its rule


def test_shape_of_a_result_follows_from_the_sources():
    said = {Op[name]: rule for rule, names in SHAPES.items() for name in names.split()}
    said |= dict.fromkeys(ALU, shapes.elementwise)
    named = {op: getattr(shapes, op.name.lower()) for op in Op if op not in said}
    assert {op: TABLE[op].shape for op in Op} == said | named


STAGES = {
    "AKELP": "AFTER",
    "AKEP": "SINK PARAM",
    "AKEL": "DEFINE_VAR CONST INDEX LOAD RANGE",
    "AKE": "NOOP RESHAPE",
    "AK": "BUFFERIZE",
    "AL": "ASSIGN",
    "AP": "DEVICE",
    "A": "MULTI COPY BIND UNIQUE LUNIQUE EMPTY CONTIGUOUS CONTIGUOUS_BACKWARD DETACH PRECAST MSTACK MSELECT ALLREDUCE PERMUTE EXPAND PAD SHRINK "
    "FLIP VIEW VALID BUFFER BUFFER_VIEW REDUCE_AXIS SCAN_AXIS RECUR_AXIS ARGREDUCE_AXIS SCATTER_AXIS",
    "KEL": "CUSTOM CUSTOMI VCONST DEFINE_LOCAL STORE WMMA END BARRIER SPECIAL VECTORIZE GEP CAT",
    "KE": "GROUP REDUCE SCAN CARRY RECUR ARGREDUCE",
    "K": "UNROLL CONTRACT",
    "EL": "POINTER_INDEX DEFINE_GLOBAL DEFINE_REG PTRCAT",
    "L": "DEFINE_ACC ENDRANGE IF ENDIF",
    "LP": "LINEAR",
    "P": "KERNEL NAME CUSTOM_FUNCTION CALL FUNCTION TUPLE GET_TUPLE PROGRAM SOURCE PROGRAM_BINARY",
    "": "BLOCK BLOCKSTART BLOCKFORK BLOCKEND",
}  # of what is no arithmetic


def test_stages_of_every_operation():
    said = {Op[name]: letters for letters, names in STAGES.items() for name in names.split()}
    said |= dict.fromkeys(ALU, "AKEL")
    assert {op: "".join(each.name[0] for each in Stage if each in TABLE[op].stages) for op in Op} == said


def test_sets_of_operations_are_what_their_names_say():
    assert {op for op in Op if op.name.startswith("SH") and op in BINARY} == SHIFTS == {Op.SHL, Op.SHR}
    assert {op for op in Op if op.name.endswith(("DIV", "MOD")) and op in BINARY} - {
        Op.FDIV,
        Op.FMOD,
    } == DIVISIONS
    assert {op for op in BINARY if op.name.startswith("CMP")} == COMPARISON
    along = {op for op in Op if op.name.endswith("_AXIS")}
    assert along == ACROSS == ALONG_AXES | {Op.RECUR_AXIS}
    assert {op for op in along if op.name.removesuffix("_AXIS") not in Op.__members__} == {Op.SCATTER_AXIS}
    assert {op for op in IN_TURN if op is not Op.SCAN} == {Op.CARRY, Op.RECUR}
    assert {op for op in ALONG_AXES if op not in (Op.SCAN_AXIS, Op.SCATTER_AXIS)} == AXES_REDUCED
    assert {op for op in REDUCE_OPS if op not in (Op.ADD, Op.MUL)} == EXTREMES == {Op.MAX, Op.MIN}
    assert {
        op
        for op in Op
        if TABLE[op].arity[0] == 0 and TABLE[op].shape is shapes.scalar and Stage.ARRAY in TABLE[op].stages
    } == AT_HAND
    assert (
        {axis for axis in AxisType if axis.name.startswith("U")}
        == ABREAST
        == {AxisType.UPCAST, AxisType.UNROLL}
    )
    assert {op for op in Op if op.name in ("REDUCE", "ARGREDUCE")} == REDUCES
    assert {op for op in Op if TABLE[op].commutative} == COMMUTATIVE


def test_operations_with_a_function_of_their_own_are_elementary():
    """What code generation writes as a function is what rows call elementary: of floats nothing else may stand for it."""
    assert {op for op in ALU if (op.name.lower(), float32) in FUNCTIONS} == ELEMENTARY


def test_what_is_not_said_of_a_kernel_a_buffer_or_a_view_is_the_plain_case():
    assert KernelInfo("k") == KernelInfo("k", chains=1, group=1, streams=False)
    assert BufferizeOpts() == BufferizeOpts(device=None, space=AddrSpace.GLOBAL, removable=True)
    assert View((2,), (1,)) == View((2,), (1,), offset=0, mask=None)
