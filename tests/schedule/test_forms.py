"""Programs take the forms that bounds allow, and give the same bits as with full forms, on every kind of input."""

import numpy as np
import pytest

import eqsat as eq
from eqsat.dtype import float32, parse_dtype
from eqsat.errors import ScheduleError, SpecError
from eqsat.graph_files.serialize import from_json, to_json
from eqsat.ops import ELEMENTARY, Op, Stage
from eqsat.pipeline.compilation import render
from eqsat.pipeline.emission import emit_c
from eqsat.rules.library import LIBRARY
from eqsat.schedule import plan as scheduling
from eqsat.spec import verify
from eqsat.uop import UOp

EDGES = (
    0.0, -0.0, np.nan, np.inf, -np.inf, 1e-45, -1e-45, 1e-40, 1.1754944e-38, 1e-30, 0.1, 0.499, 0.5, -0.5, 0.50001, 0.785, 0.999, 1.0, -1.0,
    1.0000001, 2.0, 20.0, 40.0, -64.0, -64.00001, 87.9, 88.0, 88.00001, 88.8, 90.0, -110.0, -200.0, 51456.0, 51457.0, 1e9, 3e38, -3e38,
)  # fmt: skip


def numbers(dtype=np.float32):
    with np.errstate(over="ignore"):
        drawn = np.random.default_rng(3).normal(0, 30, 200)
        return np.concatenate(
            [np.array(EDGES), np.nextafter(np.float32(EDGES), np.float32(np.inf)), drawn]
        ).astype(dtype)


def rows():
    """Rows of finite numbers, of huge ones, with infinities, and with NaN."""
    draw = np.random.default_rng(4)
    found = draw.normal(0, 50, (8, 48)).astype(np.float32)
    found[1], found[2, 5], found[3, 7], found[4, 9], found[5] = (
        3e38 * np.sign(found[1]),
        np.inf,
        -np.inf,
        np.nan,
        -np.inf,
    )
    found[6, :6] = EDGES[5:11]
    return found


def softmax(x):
    powers = eq.exp(x - eq.max(x, axis=-1, keepdims=True))
    return powers / eq.sum(powers, axis=-1, keepdims=True)


# name: (program, whether of rows, forms in it)
PROGRAMS = {
    "clipped power": (lambda x: eq.exp(eq.clip(x, -64.0, 88.0)), {"exp_moderate"}),
    "power of what is at most 88": (lambda x: eq.exp(eq.minimum(x, 88.0)), {"exp_below"}),
    "power of a negative square": (lambda x: eq.exp(-(x * x)), {"exp_below"}),
    "softplus": (lambda x: eq.maximum(x, 0.0) + eq.log1p(eq.exp(-eq.abs(x))), {"exp_below"}),
    "logarithm of one and more": (lambda x: eq.log(1.0 + eq.exp(x)), {"log_normal"}),
    "logarithm of a square and a little": (lambda x: eq.log(x * x + 1e-6), {"log_normal"}),
    "logarithm of a clipped number": (lambda x: eq.log2(eq.clip(x, 1e-7, 1.0)), {"log2_normal"}),
    "sine of a clipped angle": (lambda x: eq.sin(eq.clip(x, -51456.0, 51456.0)), {"sin_moderate"}),
    "cosine of a small angle": (lambda x: eq.cos(eq.clip(x, -0.785, 0.785)), {"cos_small"}),
    "arctangent of a sine": (lambda x: eq.atan(eq.sin(x) * 0.99), {"atan_small"}),
    "small hyperbolic tangent": (lambda x: eq.tanh(eq.clip(x, -0.5, 0.5)), {"tanh_small"}),
    "sigmoid of a hyperbolic tangent": (lambda x: eq.sigmoid(eq.tanh(x)), {"sigmoid_moderate"}),
    "error function of half a sigmoid": (lambda x: eq.erf(eq.sigmoid(x) * 0.5), {"erf_small"}),
    "hyperbolic sine of a bounded number": (lambda x: eq.sinh(eq.clip(x, -88.0, 88.0)), {"sinh_moderate"}),
    "power of a number whose sign is chosen": (lambda x: eq.exp(eq.where(x < 0.0, x, -x)), {"exp_below"}),
}  # fmt: skip
FULL = {
    "power": eq.exp,
    "power of what is at least 0": lambda x: eq.exp(eq.maximum(x, 0.0)),
    "power of what is a little too large": lambda x: eq.exp(eq.minimum(x, 88.001)),
    "logarithm of a square": lambda x: eq.log(x * x),
    "logarithm of an absolute value": lambda x: eq.log(eq.abs(x)),
    "sine": lambda x: eq.sin(x * 0.001),
    "arctangent of a quotient": lambda x: eq.atan(x / (eq.abs(x) + 1.0) * 1.01),
    "logarithm of a sum that may be 0": lambda x: eq.log(eq.exp(x) + eq.sigmoid(x)),
}


def run(function, *inputs, error=None):
    """What a program gives, and the forms in it. Plans with rules of one's own are not stored, so it is compiled each time."""
    graph = eq.trace(function, *(eq.spec(each.shape, parse_dtype(each.dtype.name)) for each in inputs))
    program = eq.compile(graph, eq.Plan(rules=LIBRARY, function_error=error))
    nodes = [
        node for kernel in program.schedule.kernels for node in kernel.ast.toposort() if node.op in ELEMENTARY
    ]
    forms = {f"{node.op.name.lower()}_{node.arg}" for node in nodes if node.arg is not None}
    return np.asarray(program(*inputs)), forms


def check(monkeypatch, function, forms, *inputs):
    found, taken = run(function, *inputs)
    assert taken == forms
    with monkeypatch.context() as patch:
        patch.setattr(scheduling, "with_forms", lambda drafts, accuracy: drafts)
        full, none = run(function, *inputs)
    assert none == set()
    assert np.array_equal(np.isnan(found), np.isnan(full))
    integer = np.dtype(f"u{found.itemsize}")
    assert np.array_equal(np.nan_to_num(found).view(integer), np.nan_to_num(full).view(integer))


@pytest.mark.parametrize("name", PROGRAMS)
def test_forms_give_the_same_bits(monkeypatch, name):
    function, forms = PROGRAMS[name]
    check(monkeypatch, function, forms, numbers())


@pytest.mark.parametrize(
    "name", ["clipped power", "softplus", "logarithm of one and more", "sigmoid of a hyperbolic tangent"]
)
def test_forms_of_float64_give_the_same_bits(monkeypatch, name):
    function, forms = PROGRAMS[name]
    check(monkeypatch, function, forms, numbers(np.float64))


@pytest.mark.parametrize("name", FULL)
def test_where_bounds_do_not_reach_the_full_form_stays(name):
    assert run(FULL[name], numbers())[1] == set()


def test_softmax_and_its_logarithm_never_overflow(monkeypatch):
    check(monkeypatch, softmax, {"exp_below"}, rows())
    check(monkeypatch, lambda x: x - eq.log(eq.sum(eq.exp(x - eq.max(x)))), {"exp_weight"}, rows()[0])


def test_a_number_less_the_maximum_of_others_may_overflow():
    assert run(lambda x: eq.exp(x - eq.max(x * 0.5, axis=-1, keepdims=True)), rows())[1] == set()
    assert run(lambda x: eq.exp(x - eq.max(x[:, :20], axis=-1, keepdims=True)), rows())[1] == set()
    assert run(lambda x: eq.exp(x - eq.max(x, axis=0, keepdims=True)[:, ::-1]), rows())[1] == set()
    assert (
        run(lambda x, y: eq.exp(x - eq.max(y, axis=-1, keepdims=True)), rows(), rows()[::-1].copy())[1]
        == set()
    )


def powers(x):
    return eq.exp(x - eq.max(x, axis=-1, keepdims=True))


WEIGHTS = {
    "sum": (lambda x, y: eq.sum(powers(x), axis=-1), {"exp_weight"}),
    "product": (lambda x, y: powers(x) @ y, {"exp_weight"}),
    "mean": (lambda x, y: softmax(x) @ y, {"exp_weight"}),
    "scaled scores": (lambda x, y: softmax(x * 0.3) @ y, {"exp_weight"}),
    "attention": (lambda x, y: eq.attention(x[None], x[None], y[None, :8]), {"exp_weight"}),
    "the powers": (lambda x, y: powers(x), {"exp_below"}),
    "mean and the weights": (lambda x, y: eq.concat([softmax(x) @ y, softmax(x)], axis=1), {"exp_below"}),
    "sum of logarithms": (lambda x, y: eq.sum(eq.log(powers(x)), axis=-1), None),
    "greatest product": (lambda x, y: eq.max(powers(x)[:, :, None] * y[None], axis=1), {"exp_below"}),
    "product of products": (lambda x, y: eq.prod(powers(x), axis=-1), {"exp_below"}),
    "the quotient by a power": (lambda x, y: eq.sum(1.0 / powers(x), axis=-1), None),
    "bits": (lambda x, y: eq.sum(eq.bitcast(powers(x), eq.int32), axis=-1), {"exp_below"}),
    "a sum with a bell curve": (lambda x, y: eq.sum(eq.exp(-(x * x)), axis=-1), {"exp_below"}),
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_weights_alone_may_be_zero_where_they_would_be_subnormal(name):
    """Weights are powers of numbers less the maximum of their row, of which nothing but terms of sums is made."""
    function, forms = WEIGHTS[name]
    _, taken = run(function, rows(), np.ones((48, 8), np.float32))
    assert taken == forms if forms is not None else "exp_weight" not in taken


def test_a_strict_plan_keeps_subnormal_weights():
    graph = eq.trace(lambda x: eq.log(eq.sum(powers(x), axis=-1)), eq.spec((8, 48), float32))
    sources = [eq.compile(graph, plan).kernels[0].source for plan in (eq.Plan(), eq.Plan(strict=True))]
    assert ["exp_weight" in source for source in sources] == [True, False]


def test_sums_of_weights_have_the_bits_that_they_have_with_subnormal_weights(monkeypatch):
    """The greatest weight of each row is 1, so that others below 2^-126 change no sum of them, nor a mean of numbers of any size near 1."""
    scores, values = (
        np.linspace(-110.0, 0.0, 8 * 48, dtype=np.float32).reshape(48, 8).T,
        np.random.default_rng(0),
    )
    check(
        monkeypatch,
        lambda x, y: softmax(x) @ y,
        {"exp_weight"},
        np.ascontiguousarray(scores),
        values.random((48, 8), np.float32),
    )


def test_integers_have_bounds_and_are_no_nan(monkeypatch):
    image = np.arange(256, dtype=np.uint8)
    check(monkeypatch, lambda x: eq.exp(-(x.astype(float32) / 255.0)), {"exp_moderate"}, image)
    check(monkeypatch, lambda x: eq.tanh(x.astype(float32)), set(), image)
    check(
        monkeypatch,
        lambda x: x + eq.sin(eq.arange(256).astype(float32) * 0.5),
        {"sin_moderate"},
        numbers()[:256],
    )


def test_bounds_pass_from_kernel_to_kernel():
    def program(x):
        values = eq.sigmoid(x)
        return eq.exp(values[:, None] - values[None, :]) @ eq.ones((values.shape[0], 3))

    assert "exp_moderate" in run(program, rows().reshape(-1))[1]


def test_a_program_with_forms_is_written_as_c():
    graph = eq.trace(PROGRAMS["clipped power"][0], eq.spec((64,), float32))
    assert "exp_moderate_float(" in emit_c(graph).source


def kernel_of(name):
    return eq.compile(eq.trace(PROGRAMS[name][0], eq.spec((64,), float32))).schedule.kernels[0].ast


def test_a_form_is_an_argument_of_kernels_only():
    with pytest.raises(SpecError, match="takes no argument"):
        verify(UOp.sink(UOp(Op.EXP, float32, (UOp.param(0, 4, float32),), "moderate")), Stage.ARRAY)
    ast = kernel_of("clipped power")
    verify(ast, Stage.KERNEL)
    (power,) = (node for node in ast.toposort() if node.op is Op.EXP)
    with pytest.raises(SpecError, match="takes no argument"):
        verify(ast.substitute({power: power.replace(arg="large")}), Stage.KERNEL)


def test_a_stored_kernel_keeps_its_forms():
    ast = kernel_of("clipped power")
    assert {node.arg for node in ast.toposort() if node.op is Op.EXP} == {"moderate"}
    assert from_json(to_json([ast])) == [ast]


def test_a_plan_admits_relaxed_forms_by_their_errors():
    def program(x):
        return eq.sigmoid(x) + eq.sin(x) + eq.exp(eq.minimum(x, 1.0))

    full, forms = run(program, numbers())
    assert forms == {"exp_below"}
    found, taken = run(program, numbers(), error=4)
    assert taken == {"sin_relaxed", "exp_below_relaxed"}
    np.testing.assert_allclose(found, full, rtol=2e-6, atol=2e-6)
    assert run(program, numbers(), error=2.5)[1] == {"exp_below_relaxed"}
    assert run(program, numbers(np.float64), error=2.5)[1] == {"sin_relaxed", "exp_below_relaxed"}


@pytest.mark.parametrize("error", [1, -4, float("nan"), True, "4"])
def test_no_error_below_that_of_full_forms_is_asked_for(error):
    with pytest.raises(ScheduleError, match="function_error says how many units"):
        eq.Plan(function_error=error)


def test_plans_with_other_errors_are_stored_apart():
    keys = {eq.Plan(function_error=error).key for error in (None, 2, 4)}
    assert len(keys) == 3


def test_every_way_to_kernels_knows_the_error():
    plan, graph = eq.Plan(function_error=4), eq.trace(eq.sin, eq.spec((64,), float32))
    assert "sin_relaxed_float(" in emit_c(graph, plan).source
    assert any("sin_relaxed_float" in kernel.source for kernel in render(eq.optimize(graph, plan), plan))
