"""What the cost models say of single nodes."""

import pickle
from decimal import Decimal
from fractions import Fraction
from math import inf, nan

import numpy as np
import pytest

import eqsat as eq
from eqsat.dtype import float32, float64, int32
from eqsat.errors import ExtractionError
from eqsat.extract import COST_MODELS, Node, Value, total_cost
from eqsat.extract.costs.learned import FEATURES, graph_features
from eqsat.extract.costs.ridge import fit, ridge
from eqsat.machine import Machine
from eqsat.ops import TABLE, Op
from eqsat.uop import UOp
from tests.examples import HALVING

TABLE_OF_COSTS = {
    "ADD float32 elementwise": 1e-11,
    "EXP2 float32 elementwise": 2e-10,
    "REDUCE ADD float32 rows": 3e-11,
    "REDUCE ADD float32 columns": 9e-11,
    "READ float32 contiguous": 1e-10,
    "READ float32 gather": 8e-10,
    "PERMUTE float32 apart": 5e-10,
}
MEASURED = eq.Measured("a device", TABLE_OF_COSTS, launch_seconds=1e-5)
LEARNED = eq.Learned("a device", tuple(1e-12 * (1 + place) for place in range(len(FEATURES))), error=0.3)
MODELS = {
    **COST_MODELS,
    MEASURED.name: MEASURED,
    LEARNED.name: LEARNED,
    "weighted-sum": eq.WeightedSum((eq.Roofline(), eq.CodeSize()), (1.0, 1e-9)),
    "lexicographic": eq.Lexicographic((eq.OperationCount(), eq.Latency())),
}


ARGUMENTS = {
    **dict.fromkeys((Op.REDUCE_AXIS, Op.SCAN_AXIS), (Op.ADD, (0,))),
    Op.ARGREDUCE_AXIS: (Op.MAX, (0,)),
    Op.SCATTER_AXIS: (Op.ADD, (0, 1)),
    Op.ARGREDUCE: (Op.MAX, 1),
    **dict.fromkeys((Op.REDUCE, Op.ALLREDUCE), Op.ADD),
    Op.SCAN: (Op.ADD, False),
    Op.RECUR_AXIS: (HALVING.packed(), (0,)),
}


class Forbidding:
    """A model of a user's: products are forbidden."""

    name, unit = "forbidding", "nothing"

    def cost(self, node):
        return inf if node.op is Op.MUL else 0.0


class Gives:
    """A model of a user's that gives every node the same cost."""

    name, unit = "gives", "nothing"

    def __init__(self, value):
        self.value = value

    def cost(self, node):
        return self.value


def node(op, *sources, dtype=float32, arg=None, shape=()):
    return Node(op, dtype, arg, shape, sources)


def row(*shape, dtype=float32):
    return Value(dtype, shape)


@pytest.mark.parametrize("model", MODELS.values(), ids=list(MODELS))
def test_every_operation_has_a_finite_cost(model):
    for op in TABLE:
        arg = ARGUMENTS.get(op)
        assert 0 <= model.cost(node(op, row(4), row(4), row(4), arg=arg, shape=(4,))) < 1e9


@pytest.mark.parametrize("model", MODELS.values(), ids=list(MODELS))
def test_a_model_is_a_value(model):
    """It survives pickling, says the same each time, and its representation tells models apart (plans are cached under it)."""
    again = pickle.loads(pickle.dumps(model))
    assert again == model
    assert repr(again) == repr(model)
    assert hash(again) == hash(model)
    example = node(Op.ADD, row(4), row(4), shape=(4,))
    assert model.cost(example) == again.cost(example)
    assert model.unit


@pytest.mark.parametrize("model", MODELS.values(), ids=list(MODELS))
def test_a_leaf_that_is_no_data_is_free(model):
    assert model.cost(node(Op.CONST, dtype=int32, arg=3)) == 0
    assert model.cost(node(Op.RANGE, dtype=int32, arg=0)) == 0


def test_a_sum_of_five_terms_is_four_additions():
    assert eq.OperationCount().cost(node(Op.ADD, *[row()] * 5)) == 4
    assert eq.Latency().cost(node(Op.ADD, *[row()] * 5)) == 4 * eq.Latency().cost(node(Op.ADD, row(), row()))


def test_division_is_dearer_than_a_shift():
    operands = [row(dtype=int32)] * 2
    division, shift = (eq.Latency().cost(node(op, *operands, dtype=int32)) for op in (Op.FLOORDIV, Op.SHR))
    assert division > 8 * shift


def test_an_operation_before_a_broadcast_is_cheaper_than_after():
    before, after = (
        eq.LoopAware().cost(node(Op.EXP2, row(*shape), shape=shape)) for shape in ((64, 1), (64, 64))
    )
    assert before * 50 < after


def test_a_reduction_costs_its_inputs():
    model = eq.LoopAware(launch_cycles=0, bytes_per_cycle=1e9)
    small, large = (
        model.cost(node(Op.REDUCE_AXIS, row(n, 8), arg=(Op.ADD, (0,)), shape=(8,))) for n in (10, 1000)
    )
    assert large == pytest.approx(100 * small, rel=1e-3)


def test_two_reductions_are_cheaper_than_one_large_one_on_two_cores_only():
    def cost(model, groups):
        one = model.cost(node(Op.REDUCE_AXIS, row(groups), arg=(Op.ADD, (0,))))
        if groups == 1 << 24:
            return one
        rows = row(groups, (1 << 24) // groups)
        return one + model.cost(node(Op.REDUCE_AXIS, rows, arg=(Op.ADD, (1,)), shape=(groups,)))

    assert cost(eq.LoopAware(cores=2), 16) < cost(eq.LoopAware(cores=2), 1 << 24)
    assert cost(eq.LoopAware(cores=1), 16) > cost(eq.LoopAware(cores=1), 1 << 24)


def test_wide_elements_fill_fewer_lanes():
    narrow = eq.LoopAware().cost(node(Op.ADD, row(64), row(64), shape=(64,)))
    wide = eq.LoopAware().cost(node(Op.ADD, *[row(64, dtype=float64)] * 2, dtype=float64, shape=(64,)))
    assert wide == 2 * narrow


def test_moving_is_nearly_free():
    move = eq.LoopAware().cost(node(Op.PERMUTE, row(64, 64), arg=(1, 0), shape=(64, 64)))
    assert 0 < move < 0.2 * eq.LoopAware().cost(node(Op.ADD, row(64, 64), row(64, 64), shape=(64, 64)))


def test_a_roofline_is_the_higher_of_arithmetic_and_traffic():
    reduction = node(Op.REDUCE_AXIS, row(1000, 8), arg=(Op.ADD, (1,)), shape=(1000,))
    computing = eq.Roofline(operations_per_second=8.0, bandwidth=inf, launch_seconds=0.0)
    moving = eq.Roofline(operations_per_second=inf, bandwidth=4.0, launch_seconds=0.0)
    both = eq.Roofline(operations_per_second=8.0, bandwidth=4.0, launch_seconds=0.5)
    assert computing.cost(reduction) == 1000
    assert moving.cost(reduction) == 1000
    assert both.cost(reduction) == 1000.5


def test_the_roofline_of_a_device_has_its_rates():
    device = Machine(cores=4, frequency=1e9, vector_bytes=32, bandwidth=5e9)
    assert eq.Roofline.of(device) == eq.Roofline(64e9, 5e9, device.launch_seconds, device)


def test_register_pressure_bounds_the_values_alive_at_once():
    x = UOp.param(0, 64, float32)
    assert total_cost(eq.RegisterPressure(), [x + x]) == 2
    shared = x * 2.0
    assert total_cost(eq.RegisterPressure(), [shared * shared]) == 4  # x, 2.0, the product, its square
    wide = node(Op.ADD, *[row(64, dtype=float64)] * 2, dtype=float64, shape=(64,))
    assert eq.RegisterPressure(lanes=8, register_bytes=32).cost(wide) == 2
    assert eq.RegisterPressure(lanes=1).cost(wide) == 1


def test_code_size_does_not_grow_with_the_data():
    small, large = (eq.CodeSize().cost(node(Op.EXP2, row(n), shape=(n,))) for n in (1, 1 << 20))
    assert small == large > eq.CodeSize().cost(node(Op.ADD, row(), row()))
    maximum = [
        eq.CodeSize().cost(node(Op.MAX, *[row(dtype=dtype)] * 2, dtype=dtype)) for dtype in (float32, int32)
    ]
    assert maximum[0] > maximum[1]


def test_measured_costs_come_from_the_table():
    add = node(Op.ADD, row(10), row(10), shape=(10,))
    assert MEASURED.cost(add) == pytest.approx(1e-10)
    rows = node(Op.REDUCE_AXIS, row(10, 10), arg=(Op.ADD, (1,)), shape=(10,))
    columns = node(Op.REDUCE_AXIS, row(10, 10), arg=(Op.ADD, (0,)), shape=(10,))
    assert MEASURED.cost(rows) == pytest.approx(1e-5 + 3e-9)
    assert MEASURED.cost(columns) == pytest.approx(1e-5 + 9e-9)
    transposed = node(Op.PERMUTE, row(4, 8), arg=(1, 0), shape=(8, 4))
    assert MEASURED.cost(transposed) == pytest.approx(32 * 5e-10)
    assert MEASURED.cost(node(Op.RESHAPE, row(4, 8), arg=(32,), shape=(32,))) == 0


def test_what_was_not_measured_is_taken_from_what_is_like_it():
    double = node(Op.EXP2, row(8, dtype=float64), dtype=float64, shape=(8,))
    assert MEASURED.cost(double) == pytest.approx(8 * 4e-10)
    integer = node(Op.ADD, *[row(8, dtype=int32)] * 2, dtype=int32, shape=(8,))
    assert MEASURED.cost(integer) == pytest.approx(8e-11)
    unknown = node(Op.SIN, row(8), shape=(8,))
    assert MEASURED.cost(unknown) == pytest.approx(8 * (1e-11 + 2e-10) / 2)


def test_a_scan_keeps_as_many_cores_busy_as_it_has_rows():
    model = eq.LoopAware(cores=64)
    one, many = (
        model.cost(node(Op.SCAN_AXIS, row(rows, 1 << 20), arg=(Op.ADD, (1,)), shape=(rows, 1 << 20)))
        for rows in (1, 64)
    )
    traffic = model.cost(node(Op.PARAM, shape=(1 << 20,)))
    assert one - traffic == pytest.approx(many - 64 * traffic)


@pytest.mark.parametrize("model", [MEASURED, LEARNED], ids=["measured", "learned"])
def test_a_model_of_a_device_is_kept_as_a_document(model):
    assert type(model).from_json(model.to_json()) == model
    for document in (
        "",
        "[]",
        "{}",
        '{"device": 1, "weights": {}, "error": 0}',
        '{"seconds": 3, "weights": 3}',
    ):
        with pytest.raises(ExtractionError):
            type(model).from_json(document)


def test_the_representation_of_a_table_tells_tables_apart():
    other = eq.Measured("a device", {**TABLE_OF_COSTS, "ADD float32 elementwise": 2e-11}, launch_seconds=1e-5)
    assert repr(other) != repr(MEASURED)


def test_the_features_of_a_graph_are_the_sums_over_its_nodes():
    """Which makes a regression on graphs a cost of nodes."""
    x = UOp.param(0, 64, float32)
    graph = UOp.sink((x * 2.0).reshape((8, 8)).reduce_axis(Op.ADD, (1,)))
    assert total_cost(LEARNED, [graph]) == pytest.approx(
        float(graph_features([graph]) @ np.array(LEARNED.weights))
    )


def test_learning_finds_the_seconds_behind_times():
    """Programs whose times are made of known seconds per feature."""
    graphs = []
    for size in (1 << 10, 1 << 14, 1 << 18):
        x = UOp.param(0, size, float32)
        table = x.reshape((size // 32, 32))
        graphs += [
            UOp.sink(x * 2.0),
            UOp.sink(x.alu(Op.EXP2)),
            UOp.sink(table.reduce_axis(Op.ADD, (0,))),
            UOp.sink(table.reduce_axis(Op.ADD, (1,))),
        ]
    seconds = [total_cost(LEARNED, [graph]) for graph in graphs]
    learned = eq.Learned.train(graphs, seconds, "a device", penalty=1e-12)
    assert learned.error < 1e-3
    for graph, taken in zip(graphs, seconds, strict=True):
        assert total_cost(learned, [graph]) == pytest.approx(taken, rel=1e-3)


@pytest.mark.parametrize(
    ("graphs", "seconds"),
    [([], []), ([UOp.sink()], [1.0, 2.0]), ([UOp.sink()], [0.0]), ([UOp.sink()], [nan])],
)
def test_times_that_nothing_can_be_learned_from(graphs, seconds):
    with pytest.raises(ExtractionError, match="a time above 0 for each"):
        eq.Learned.train(graphs, seconds, "a device")


def test_no_learned_weight_is_negative():
    random = np.random.default_rng(0)
    features = random.random((50, 4))
    seconds = features @ [3.0, 0.0, 1.0, 0.5] + 0.01 + 0.3 * random.random(50) * (1 - features[:, 1])
    assert ridge(features, seconds).min() >= 0
    assert fit(features, seconds, range(50)).error < 0.3


def test_the_error_is_that_of_groups_left_out():
    """Two groups that contradict each other: each is predicted from the other, wrongly."""
    regression = fit(np.ones((4, 1)), np.array([1.0, 1.0, 4.0, 4.0]), "aabb", penalty=0.0)
    assert regression.error == pytest.approx((3.0 + 0.75) / 2)
    assert np.isnan(fit(np.ones((2, 1)), np.ones(2), "aa").error)


def test_a_weighted_sum_adds():
    add = node(Op.ADD, row(), row(), row())
    assert eq.WeightedSum((eq.OperationCount(), eq.CodeSize()), (2.0, 0.5)).cost(add) == 2 * 2 + 0.5 * 2


def test_compositions_forbid_what_a_model_forbids():
    product = node(Op.MUL, row(), row())
    assert eq.WeightedSum((eq.OperationCount(), Forbidding()), (1.0, 0.0)).cost(product) == inf
    assert eq.Lexicographic((eq.OperationCount(), Forbidding())).cost(product) == inf


def test_a_lexicographic_order_asks_the_second_model_only_about_equals():
    model = eq.Lexicographic((eq.OperationCount(), eq.Latency()))
    i = UOp.variable("i", 0, 9)
    slow, quick, longer = i // 4, i >> UOp.const(i.dtype, 2), (i + 1) + i
    assert total_cost(model, [quick]) < total_cost(model, [slow]) < total_cost(model, [longer])


@pytest.mark.parametrize("weights", [(), (1.0,), (1.0, -1.0), (1.0, nan), (1.0, inf)])
def test_wrong_weights_are_refused(weights):
    with pytest.raises(ExtractionError):
        eq.WeightedSum((eq.OperationCount(), eq.CodeSize()), weights)


def test_a_program_of_a_users_model_is_not_kept_on_disk_also_inside_a_composition():
    """Its code may change, and the cache would not know."""
    own = eq.WeightedSum((eq.OperationCount(), eq.Lexicographic((eq.Latency(), Forbidding()))), (1.0, 1.0))
    assert eq.Plan(cost=own).key is None
    assert eq.Plan(cost=eq.WeightedSum((eq.OperationCount(), eq.Latency()), (1.0, 2.0))).key is not None


def test_an_order_of_nothing_is_refused():
    with pytest.raises(ExtractionError, match="one or more"):
        eq.Lexicographic(())
    with pytest.raises(ExtractionError, match="above 1"):
        eq.Lexicographic((eq.OperationCount(),), ratio=1.0)


PROGRAM = eq.trace(lambda x: eq.exp(x) + x, eq.spec((4,), eq.float32))


@pytest.mark.parametrize(
    "value",
    ["3", "", b"3", None, 1j, 2 + 0j, 10**400, -(10**400), 10**5000, Fraction(10**400), Decimal("sNaN"), [], [1.0], (1.0,), {}, object(),
     float, np.array([1.0]), np.array([1.0, 2.0]), np.complex64(1), np.str_("3"), np.datetime64("2000-01-01")],
    ids=lambda value: repr(value)[:20] if not isinstance(value, int) else f"{value.bit_length()} bits",
)  # fmt: skip
def test_a_cost_that_is_no_number_is_told(value):
    uses = [
        lambda: eq.optimize(PROGRAM, eq.Plan(cost=Gives(value))),
        lambda: eq.optimize(PROGRAM, eq.Plan(cost=eq.WeightedSum((eq.Latency(), Gives(value)), (1.0, 0.0)))),
        lambda: eq.optimize(PROGRAM, eq.Plan(cost=eq.Lexicographic((Gives(value), eq.Latency())))),
        lambda: total_cost(Gives(value), [PROGRAM]),
    ]
    for use in uses:
        with pytest.raises(
            ExtractionError, match=r"Gives says that a [A-Z]+ of \w+ with shape .* costs .*; give a number"
        ):
            use()


@pytest.mark.parametrize(
    "value", [1, 1.0, True, Fraction(1), Decimal(1), np.float16(1), np.float32(1), np.float64(1), np.int8(1), np.uint64(1)], ids=repr
)  # fmt: skip
def test_a_cost_is_a_real_number_of_any_kind(value):
    found = eq.optimize(PROGRAM, eq.Plan(cost=Gives(value)))
    assert (found.cost, type(found.cost)) == (4.0, float)


@pytest.mark.parametrize("value", [nan, -inf, np.float32(nan), Decimal("nan"), Decimal("-inf")], ids=repr)
def test_a_cost_without_an_order_is_told(value):
    with pytest.raises(ExtractionError, match=r"node 'node0' \(\w+\) costs (nan|-inf); give a number"):
        eq.optimize(PROGRAM, eq.Plan(cost=Gives(value)))
