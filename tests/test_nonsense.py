"""Nonsense among the arguments of public functions is an error of eqsat that says which function, what was given and what to try."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import eqsat as eq
from eqsat.array.interoperation import SPELLED
from eqsat.errors import EqsatError

ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)
RAGGED = [[1.0], [1.0, 2.0]]
NONSENSE = {
    "None": None,
    "string": "three",
    "bytes": b"three",
    "huge": 10**400,
    "nan": float("nan"),
    "object": object(),
    "endless": ENDLESS,
    "ragged": RAGGED,
    "complex": 1j,
    "mapping": {"a": 1},
    "function": len,
    "datetime": np.datetime64("2020-01-01"),
    "masked": np.ma.array([1, 2], mask=[0, 1]),
    "strings": np.array(["a"]),
}
ARRAY = np.arange(12.0).reshape(3, 4)
FUNCTIONS = [
    "add",
    "arange",
    "argmax",
    "astype",
    "attention",
    "broadcast_to",
    "clip",
    "concat",
    "conv1d",
    "conv2d",
    "conv_transpose2d",
    "cumulative_sum",
    "divide",
    "einsum",
    "equal",
    "expand_dims",
    "exp",
    "eye",
    "flip",
    "full",
    "full_like",
    "layer_norm",
    "linspace",
    "logaddexp",
    "matmul",
    "max",
    "max_pool2d",
    "meshgrid",
    "moveaxis",
    "outer",
    "pad",
    "permute_dims",
    "pow",
    "repeat",
    "reshape",
    "roll",
    "softmax",
    "squeeze",
    "stack",
    "sum",
    "swapaxes",
    "take",
    "take_along_axis",
    "tensordot",
    "tile",
    "tril",
    "unstack",
    "var",
    "where",
    "zeros",
]
REQUIRED = {
    "attention": 3,
    "where": 3,
    "take": 2,
    "pad": 2,
    "moveaxis": 3,
    "swapaxes": 3,
    "linspace": 3,
    "einsum": 2,
}
UNARY = [
    "argmax",
    "arange",
    "concat",
    "cumulative_sum",
    "exp",
    "expand_dims",
    "eye",
    "flip",
    "layer_norm",
    "max",
    "softmax",
    "squeeze",
    "stack",
    "sum",
    "unstack",
    "var",
    "zeros",
    "tril",
]


def calls(name: str, nonsense: object) -> list[tuple[Any, ...]]:
    """Arguments with nonsense in each place, and arrays in all others."""
    count = 1 if name in UNARY else REQUIRED.get(name, 2)
    return [tuple(nonsense if place == wrong else ARRAY for place in range(count)) for wrong in range(count)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("nonsense", NONSENSE.values(), ids=NONSENSE)
def test_array_functions_refuse_nonsense(nonsense: object) -> None:
    """Or take it for what NumPy takes it: then there is a result."""
    for name in FUNCTIONS:
        for arguments in calls(name, nonsense):
            try:
                getattr(eq, name)(*arguments)
            except EqsatError as error:
                assert 10 < len(str(error)) < 2000, (name, error)  # noqa: PT017


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("nonsense", NONSENSE.values(), ids=NONSENSE)
@pytest.mark.parametrize("name", ["axis", "keepdims", "dtype"])
def test_options_of_reductions_refuse_nonsense(name: str, nonsense: object) -> None:
    for function in (eq.sum, eq.mean, eq.prod):
        try:
            function(ARRAY, **{name: nonsense})
        except EqsatError as error:
            assert 10 < len(str(error)) < 2000  # noqa: PT017


@pytest.mark.parametrize("first", [[], [np.ones(3)]], ids=["alone", "beside an array"])
def test_containers_that_hold_themselves_are_refused(first: list[Any]) -> None:
    """Looking for their arrays had no end, and took all memory."""
    endless = [*first]
    endless.append({"again": endless})
    for call in (
        lambda: eq.jit(lambda x, y: x)(ARRAY, endless),
        lambda: eq.jit(lambda x: [x, endless])(ARRAY),
        lambda: eq.jit(lambda x: x, dynamic={"x": {0: {0: eq.dim("n", 1, 4)}}})(endless),
    ):
        with pytest.raises(eq.BuildError, match=r"nested without end|must return arrays"):
            call()


def test_signatures_are_still_those_of_python() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'axes'"):
        eq.sum(ARRAY, axes=0)  # pyright: ignore[reportCallIssue]


def test_deeply_nested_values_that_a_function_reads_are_told_by_identity() -> None:
    """Their fingerprint was found by recursion, without end."""
    assert eq.jit(lambda x: x + len(NESTED))(np.ones(2, np.float32)).tolist() == [2, 2]


def test_messages_about_long_names_are_short() -> None:
    with pytest.raises(eq.ShapeError) as caught:
        eq.dim("n" * 10**5, 1, None)
    assert len(str(caught.value)) < 600


def test_arrays_are_reshaped_by_an_array_of_extents() -> None:
    assert eq.ones(6).reshape(np.array([2, 3])).shape == (2, 3)
    assert eq.ones(6).reshape([3, -1]).shape == (3, 2)
    assert eq.ones(6).reshape(3, -1).shape == (3, 2)
    assert eq.ones(1).reshape(()).shape == ()


def test_error_of_an_operator_with_a_list_that_holds_itself() -> None:
    with pytest.raises(eq.ShapeError, match="nested without end"):
        _ = eq.asarray(ARRAY) + ENDLESS


def increased(x: eq.Array) -> eq.Array:
    return x + 1


GRAPH = eq.trace(increased, eq.spec((3,), eq.float32))
PROGRAM = eq.compile(GRAPH)
RANGED = eq.compile(eq.trace(increased, eq.spec((eq.dim("n", 1, 64),), eq.float32)))
HUGE = 10**5000  # Python writes no more than 4,300 digits
NESTED: list[Any] = []
for _ in range(5000):
    NESTED = [NESTED]
THREE = np.ones(3, np.float32)
REFUSED = {
    "cost by name": (lambda: eq.Plan(cost="latency"), "cost='latency' does not fit a plan"),
    "extractor by name": (lambda: eq.Plan(extractor="milp"), "such as eqsat.Portfolio"),
    "rules": (lambda: eq.Plan(rules="all"), "rules='all'"),
    "budget": (lambda: eq.Plan(budget=5), "give an eqsat.Budget"),
    "negative budget": (lambda: eq.Budget(nodes=-1), "nodes by a number from 0 on, below 2⁶³, not -1"),
    "budget that is no number": (lambda: eq.Budget(seconds=float("nan")), "seconds by a number"),
    "bounds": (lambda: eq.variable("i", "a", "b"), "UOp.variable"),
    "bounds that are no numbers": (lambda: eq.variable("i", 0, float("nan")), "UOp.variable"),
    "name of a variable": (lambda: eq.variable(None, 0, 1), "no name of a variable"),
    "jit of no function": (lambda: eq.jit("f"), "'f' is none"),
    "vmap of no function": (lambda: eq.vmap(3), "3 is none"),
    "scan by no function": (lambda: eq.associative_scan(3, ARRAY), "3 is none"),
    "device": (lambda: eq.get_device(1.5), "1.5 is no device"),
    "seconds of a comparison": (
        lambda: eq.compare(GRAPH, seconds=float("nan")),
        "number of seconds up to",
    ),
    "comparison of nothing": (lambda: eq.compare(None), "paths of files are compared, not None"),
    "comparison of numbers": (lambda: eq.compare([1, 2]), "made of UOps"),
    "costs of a comparison": (lambda: eq.compare(GRAPH, costs=3), "are lists, not 3"),
    "cost by name alone": (lambda: eq.compare(GRAPH, costs="latency"), "give \\['latency'\\]"),
    "extractors of a comparison": (lambda: eq.compare(GRAPH, extractors=[None]), "a method 'extract'"),
    "plan of a comparison": (lambda: eq.compare(GRAPH, plan=5), "a plan is an eqsat.Plan"),
    "rules that are none": (lambda: eq.verify(None), "takes rules, and None is none"),
    "names of rules": (lambda: eq.verify("all"), "takes rules, and 'a' is none"),
    "dtypes of a verification": (lambda: eq.verify([], [np.int8]), "a list of dtypes"),
    "seconds of a verification": (lambda: eq.verify([], seconds="2"), "seconds from 0, not '2'"),
    "models in an order": (lambda: eq.Lexicographic(np.zeros(2)), "give a tuple of one or more cost models"),
    "names of models in an order": (lambda: eq.Lexicographic(("latency",)), "'latency' is none"),
    "class in an order": (lambda: eq.Lexicographic((eq.Latency,)), "is none; try eqsat.Latency"),
    "ratio": (lambda: eq.Lexicographic((eq.Latency(),), 10**400), "must be above 1"),
    "weighted sum of nothing": (lambda: eq.WeightedSum(None, None), "a weighted sum of None"),
    "weights": (lambda: eq.WeightedSum((eq.Latency(),), 2.0), "with the weights 2.0"),
    "weights that are no numbers": (lambda: eq.WeightedSum((eq.Latency(),), ("1",)), "finite and not neg"),
    "array of no graph": (lambda: eq.Array(None), "eqsat.asarray makes one"),
    "devices of shards": (lambda: eq.shard(ARRAY, "basic"), "a list of devices, not 'basic'"),
    "axis of shards": (lambda: eq.shard(ARRAY, ["basic"], "x"), "axes have integers as names"),
    "arrays of a run": (lambda: PROGRAM.run(3), "3 are no arrays that the program takes"),
    "array of a run": (lambda: PROGRAM(ENDLESS), "no arrays that the program takes"),
    "step of a program": (lambda: PROGRAM.stage(THREE), "one of the steps"),
    "runs of a profile": (lambda: PROGRAM.profile(THREE, repeats=-1), "-1 is no number from 1"),
    "values of a profile": (lambda: PROGRAM.profile(THREE, values=3), "by the names of variables, not as 3"),
    "axes of a map": (lambda: eq.jit(eq.vmap(increased, in_axes=1.5))(ARRAY), "in_axes is 1.5"),
    "trace of a type": (lambda: eq.trace(int, eq.spec(3, eq.float32)), "cannot trace int for 1 arrays"),
    "step of a kernel": (lambda: eq.staged(GRAPH, ARRAY), "one of the steps"),
    "extractors in an array": (lambda: eq.compare(GRAPH, extractors=np.array(3)), "are lists, not"),
    "part of a budget that does not end": (lambda: eq.Budget(memory=10**400), "below 2⁶³"),
    "fraction of an iteration": (lambda: eq.Budget(iterations=1.5), "iterations by an integer"),
    "switch of a plan": (lambda: eq.Plan(strict=np.array([])), "give True or False"),
    "switch by name": (lambda: eq.Plan(contract="no"), "give True or False"),
    "endless number of choices": (lambda: eq.Plan(tune=HUGE), "no integer from 0"),
    "endless constant": (
        lambda: eq.UOp.const(eq.index, HUGE),
        "CONST: its argument has an integer of more than 14,000 bits",
    ),
    "endless bound": (lambda: eq.variable("n", 0, HUGE), "DEFINE_VAR: .* of more than 14,000 bits"),
    "endless size": (lambda: eq.UOp.param(0, HUGE, eq.float32), "PARAM: .* of more than 14,000 bits"),
    "endless constant of a dtype": (lambda: eq.UOp.const(eq.int32, HUGE), "does not fit int32"),
    "endless number beside a node": (lambda: eq.variable("i", 0, 1) == HUGE, "two nodes are the same one"),
    "endless number beside integers": (lambda: eq.arange(3) + HUGE, "a int does not fit"),
    "endless subscript": (lambda: eq.ones(3)[HUGE], "is out of range for axis 0"),
    "endless axis": (lambda: eq.ones(3).sum(HUGE), "of 1 axes"),
    "endless seed": (lambda: eq.random.key(HUGE), "a seed has 64 bits"),
    "endless remainder of an extent": (lambda: eq.dim("n", 1, 8) % HUGE, "cannot tell n % "),
    "endless bound of an extent": (lambda: eq.dim("n", 1, HUGE) < HUGE, "give it bounds"),
    "endless number of a device": (lambda: eq.get_device(HUGE), "device"),
    "seed": (lambda: eq.random.key(1.5), "a seed is an integer"),
    "bounds of integers": (
        lambda: eq.random.randint(eq.random.key(0), 3, (1, 2), 5),
        "eqsat.random.randint: ",
    ),
    "bounds of floats": (lambda: eq.random.uniform(eq.random.key(0), 3, low="a"), "eqsat.random.uniform: "),
    "slice by a name": (lambda: eq.ones(3)["a":], "slices have integers"),
    "slice by an array": (lambda: eq.ones(3)[:: np.array([1, 2])], "slices have integers"),
    "shape of fractions": (lambda: eq.ones(6).reshape((2.0, 3)), "eqsat.reshape: "),
    "no shape": (lambda: eq.ones(6).reshape(), "(?i)reshape|infer"),
    "dtype without end": (lambda: eq.spec(3, NESTED), "is no dtype"),
    "function without end": (lambda: eq.trace(NESTED, eq.spec(3, eq.float32)), "cannot trace"),
    "page": (lambda: eq.optimize(GRAPH).show(np.zeros(3)), "cannot write"),
    "values of a program": (lambda: PROGRAM.run([THREE], np.array([1, 2])), "by the names of variables"),
    "names of values": (
        lambda: PROGRAM.run([THREE], {3: 1, "n": 2}),
        "variable .* a value and is not in the program",
    ),
    "values of dims": (lambda: RANGED.part(3), "by the names of dims, not as 3"),
    "dims without a value": (lambda: RANGED.part({}), "dim 'n' is None and must be an integer in 1..64"),
    "dims outside of their bounds": (lambda: RANGED.part({"n": 65}), "dim 'n' is 65"),
    "replacing a function": (
        lambda: eq.custom_function("tests_replaced", len, replace=np.array([1, 2])),
        "replace is True or False",
    ),
    "limits of an explanation": (
        lambda: eq.explain_simplify(eq.variable("i", 0, 1), None, 5),
        "limits are an eqsat.explain.Limits",
    ),
    "explanation of nothing": (lambda: eq.Explanation(None, None, ()), "has two UOps"),
    "steps of an explanation": (lambda: eq.Explanation(GRAPH, GRAPH, (1,)), "a tuple of Steps"),
    "seconds of an extractor": (lambda: eq.Milp("1"), "seconds of Milp is a number from 0 on, not '1'"),
    "seconds that are no number": (lambda: eq.Portfolio(float("nan")), "seconds of Portfolio"),
    "width of a beam": (lambda: eq.Beam(1.5), "width of Beam is an integer from 0 on"),
    "workers": (lambda: eq.CpSat(1.0, 2**31), "workers of CpSat .* at most 2147483647"),
    "seed of a search": (lambda: eq.LocalSearch(seed=(1,)), "seed of LocalSearch"),
    "listener": (lambda: eq.LocalSearch(listener=3), "listener of LocalSearch is a function, not 3"),
    "bandwidth": (lambda: eq.Roofline(bandwidth=0), "bandwidth of Roofline is a number above 0, not 0"),
    "registers": (lambda: eq.RegisterPressure(lanes=True), "lanes of RegisterPressure"),
    "endless cores": (lambda: eq.LoopAware(cores=HUGE), "cores of LoopAware"),
    "machine": (lambda: eq.LoopAware(machine="cpu"), "machine of LoopAware is an eqsat.machine.Machine"),
    "weights of features": (lambda: eq.Learned("d", (1.0,), 0.1), "weights are .* numbers, one for each"),
    "table of seconds": (lambda: eq.Measured("d", [], 1e-5), "by the names of entries, not as"),
    "entry of a table": (lambda: eq.Measured("d", {"a": "b"}, 1e-5), "entry 'a' of Measured is a number"),
    "costs of a problem": (
        lambda: eq.Problem.build(["a"], [0], [[]], [0]),
        "node_cost is an array of numbers",
    ),
    "children of a problem": (lambda: eq.Problem.build([1.0], [0], 3, [0]), "a problem has a cost, a class"),
    "class in place of a cost model": (lambda: eq.Plan(cost=eq.LoopAware), "give a cost model"),
    "class in place of an extractor": (lambda: eq.Plan(extractor=eq.Portfolio), "give an extractor"),
    "integer beyond 64 bits": (
        lambda: eq.asarray([2**64]),
        r"\[18446744073709551616\] does not fit .* use floats",
    ),
    "array of nothing": (lambda: eq.asarray([1, None]), "None is no number; give numbers, nested lists"),
    "array of a generator": (
        lambda: eq.sum(each for each in (1, 2)),
        r"generator.* is no number; .*list\(x\)",
    ),
    "result beyond 64 bits": (
        lambda: eq.jit(lambda x: eq.broadcast_to(x, (2**40, 2**40)))(np.ones(1)),
        r"result of shape \(1099511627776, 1099511627776\) has 2\*\*63 elements or more",
    ),
    "processes of a comparison": (lambda: eq.compare(GRAPH, processes=10**9), "None takes one for each core"),
}


@pytest.mark.parametrize(("call", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused_is_named(call: Any, words: str) -> None:
    with pytest.raises(EqsatError, match=words):
        call()


@pytest.mark.parametrize("dtype", [np.float32, np.int8])
def test_axes_may_be_given_by_position_as_in_numpy(dtype: Any) -> None:
    x = np.arange(24).reshape(2, 3, 4).astype(dtype)
    for name in ("sum", "prod", "max", "min", "mean", "argmax", "argmin", "all", "any", "std", "var"):
        np.testing.assert_allclose(
            getattr(eq, name)(x, 1).numpy(), getattr(np, name)(x, 1), rtol=1e-6, err_msg=name
        )
    for name, reference, more in (
        ("stack", np.stack, (1,)),
        ("concat", np.concatenate, (1,)),
        ("flip", np.flip, (2,)),
        ("expand_dims", np.expand_dims, (1,)),
        ("repeat", np.repeat, (2, 1)),
        ("roll", np.roll, (1, 0)),
        ("take", np.take, ([1, 0], 1)),
        ("tril", np.tril, (1,)),
        ("triu", np.triu, (-1,)),
    ):
        value = [x, x] if name in ("stack", "concat") else x
        np.testing.assert_array_equal(getattr(eq, name)(value, *more).numpy(), reference(value, *more))
    np.testing.assert_array_equal(eq.eye(3, 4, 1).numpy(), np.eye(3, 4, 1))
    np.testing.assert_array_equal(eq.linspace(0, 1).numpy(), np.linspace(0, 1))


def test_rules_hold_where_python_drops_their_docstrings() -> None:
    program = "import eqsat as eq; i = eq.variable('i', 0, 15); print(eq.simplify((i * 64 + 3) // 64) is i)"
    child = subprocess.run([sys.executable, "-OO", "-c", program], capture_output=True, text=True, check=True)
    assert child.stdout == "True\n"


def test_names_of_numpy_lead_to_names_here() -> None:
    for name, ours in SPELLED.items():
        assert hasattr(np, name) or hasattr(np.ndarray, name), name
        assert callable(getattr(eq, ours))
        with pytest.raises(AttributeError, match=f"has no attribute '{name}'; use eqsat.{ours}$"):
            getattr(eq, name)
    with pytest.raises(AttributeError, match=r"use eqsat.any\(x, …\)"):
        eq.asarray(ARRAY).any()
    with pytest.raises(eq.BuildError, match=r"use eqsat.acos, or"):
        np.arccos(eq.asarray(ARRAY))
    assert not hasattr(eq.asarray(ARRAY), "nothing_of_numpy")


@pytest.mark.parametrize("movement", ["reshape", "permute", "expand", "pad", "shrink", "flip"])
def test_movements_of_too_many_axes_are_refused_before_memory_is_full(movement: str) -> None:
    value = eq.UOp.full((2, 3), eq.float32, 1.0)
    with pytest.raises(eq.BuildError, match="1000000000 axes are more than 1024"):
        getattr(value, movement)(range(10**9))
    with pytest.raises(eq.ShapeError):
        value.permute((0,))
