"""The stages in order, as a user calls them: what they give, and how each mistake is answered."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat as eq
from eqsat.cli.graphs import trace_example
from eqsat.demo.programs import PROGRAMS
from eqsat.errors import ScheduleError
from eqsat.pipeline.compilation import drafts_of
from eqsat.pipeline.planning import cheapest
from eqsat.spec import verify
from eqsat.uop import UOp
from tests.schedule.brute_force import drawn_graph

FLOATS = np.ones(3, np.float32)


def add(x, y):
    return x + y


@pytest.fixture(scope="module")
def graph():
    return eq.trace(add, eq.spec((3,), eq.float32), eq.spec((3,), eq.float32))


MISTAKES = {
    "shapes that do not fit": (
        lambda graph: eq.jit(add)(FLOATS, np.ones(4, np.float32)),
        eq.ShapeError, r"cannot add \(3,\) and \(4,\).*expand one first",
    ),
    "a dtype that eqsat lacks": (
        lambda graph: eq.jit(add)(FLOATS, FLOATS.astype(complex)),
        eq.DTypeError, "complex128 has no eqsat dtype; convert it to one of bool",
    ),
    "an argument that is no array": (
        lambda graph: eq.jit(add)(FLOATS, np.array([None])), eq.DTypeError, "object has no eqsat dtype",
    ),
    "a condition on a value that is not there yet": (
        lambda graph: eq.jit(lambda x: x if x[0] > 0 else -x)(FLOATS), eq.UnknownValueError, "has no value while .*where",
    ),
    "a function that returns no array": (
        lambda graph: eq.jit(lambda x: 3)(FLOATS), eq.BuildError, "must return arrays.*not int; wrap constants",
    ),
    "a function that does not take so many arrays": (
        lambda graph: eq.trace(add, eq.spec((3,), eq.float32)),
        eq.BuildError, "cannot trace add for 1 arrays: missing a required argument: 'y'; give one spec",
    ),
    "a spec that is none": (
        lambda graph: eq.trace(add, (3,), (3,)), eq.BuildError, r"describe each argument by eqsat.spec\(shape, dtype\)",
    ),
    "a negative extent": (lambda graph: eq.spec((-3,), eq.float32), eq.ShapeError, "must not be negative"),
    "an extent that is no integer": (
        lambda graph: eq.spec((3.5,), eq.float32), eq.ShapeError, r"cannot make an array of shape \(3.5,\); give an integer",
    ),
    "a dtype that nobody has": (
        lambda graph: eq.spec((3,), "float33"), eq.DTypeError, "'float33' is no dtype; use eqsat.float32",
    ),
    "no dtype": (lambda graph: eq.spec((3,), None), eq.DTypeError, "None is no dtype"),
    "rows of different lengths": (
        lambda graph: eq.asarray([[1], [1, 2]]), eq.ShapeError, "is no array; make all rows equally long",
    ),
    "an array in place of a graph": (
        lambda graph: eq.optimize(eq.ones(3)), eq.SpecError, r"a graph is a UOp, not Array\(.*take the .uop",
    ),
    "a function in place of a graph": (
        lambda graph: eq.compile(add), eq.SpecError, "not <function add.*trace a function to get one",
    ),
    "a number in place of an expression": (lambda graph: eq.simplify(3), eq.SpecError, "a graph is a UOp, not 3; "),
    "dtypes that disagree": (
        lambda graph: eq.optimize(UOp.const(eq.index, 1) + UOp.const(eq.float32, 1)),
        eq.SpecError, "ADD.* is not legal at the array stage: .*index, float32.*cast them",
    ),
    "a loop that nothing closes": (
        lambda graph: eq.compile(UOp.range(3, 0)), eq.SpecError, "range 0 is still open .*close it with BUFFERIZE",
    ),
    "a kernel in place of arrays": (
        lambda graph: verify(graph, eq.Stage.KERNEL), eq.SpecError, "kernel stage: .*LOAD an element of it",
    ),
    "a variable without a value": (
        lambda graph: eq.compile(eq.variable("i", 0, 9))(),
        eq.ExecutionError, r"variable 'i' has no value; give values by name, as in program\(x, n=3\)",
    ),
    "a device that is not there": (
        lambda graph: eq.compile(graph, eq.Plan(device="nonsense")),
        eq.DeviceError, "no device is named 'nonsense'; there are 0: .*Give a part of a name or a number",
    ),
    "a device number that is not there": (
        lambda graph: eq.compile(graph, eq.Plan(device=99)), eq.DeviceError, "no device number 99; there are 0: ",
    ),
    "too few arrays": (
        lambda graph: eq.compile(graph)(FLOATS), eq.ExecutionError, "takes 2 arrays and was given 1; pass one per input",
    ),
    "an array of another shape": (
        lambda graph: eq.compile(graph)(FLOATS, FLOATS[:2]),
        eq.ExecutionError, r"argument 1 of the program has shape \(2,\) and must be \(3,\); reshape it, or compile again",
    ),
    "an array of another dtype": (
        lambda graph: eq.compile(graph)(FLOATS, FLOATS.astype(int)),
        eq.ExecutionError, r"argument 1 of the program is int64 and must be float32; convert it with .astype",
    ),
    "another dtype after an array that nothing reads": (
        lambda graph: eq.compile(eq.trace(lambda x, y: y + 1, *[eq.spec(3, eq.float32)] * 2))(FLOATS, FLOATS.astype(int)),
        eq.ExecutionError, "argument 1 of the program is int64 and must be float32",
    ),
    "another dtype of what the host sorts": (
        lambda graph: eq.compile(eq.trace(lambda x, y: eq.sort(y), *[eq.spec(99, eq.float32)] * 2))(np.ones(99), np.ones(99)),
        eq.ExecutionError, "argument 1 of the program is float64 and must be float32",
    ),
    "an array by name": (
        lambda graph: eq.compile(graph)(FLOATS, y=FLOATS),
        eq.ExecutionError, "array 'y' is given by name, and a compiled graph knows its 2 arrays by their order only; give them in order, or call",
    ),
    "an evaluation without data": (
        lambda graph: eq.evaluate(graph, {0: FLOATS}), eq.EvaluationError, "has no data; bind the node or slot 1",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("mistake", "error", "words"), MISTAKES.values(), ids=MISTAKES)
def test_mistake_is_a_typed_error_that_says_what_to_try(graph, mistake, error, words):
    with pytest.raises(error, match=words) as caught:
        mistake(graph)
    assert type(caught.value) is error
    assert isinstance(caught.value, eq.EqsatError)


@pytest.mark.parametrize("name", [*PROGRAMS, "drawn"])
def test_optimize_and_compile_minimize_the_same_seconds(name):
    graphs = [trace_example(name)] if name in PROGRAMS else [drawn_graph(seed) for seed in range(8)]
    for graph in graphs:
        best = eq.optimize(graph)
        made = drafts_of(graph, eq.Plan()).schedule()
        assert best.unit == "seconds"
        assert best.cost == pytest.approx(made.predicted_seconds)
        assert best.lower_bound == pytest.approx(made.lower_bound)
        again = drafts_of(best.uop, eq.Plan()).schedule()
        assert again.predicted_seconds == pytest.approx(best.cost, rel=0.05)
        assert best.uop is best.snapshot.build(best.extraction.choice)[0]


def test_a_program_says_what_it_is(graph):
    program = eq.compile(graph)
    assert repr(program) == f"Program(kernels=[{program.kernels[0].name}], device={program.device.name!r})"


def test_data_that_a_traced_function_has_in_it_needs_no_binding():
    table = np.arange(12.0).reshape(3, 4)[:, ::-1]

    def looked_up(x):
        return eq.take(eq.asarray(table), eq.asarray([2, 0]), axis=0) * x

    x = np.full(4, 2.0)
    graph = eq.trace(looked_up, eq.spec((4,), eq.float64))
    np.testing.assert_array_equal(eq.evaluate(graph, {0: x})[0], table[[2, 0]] * 2)
    np.testing.assert_array_equal(eq.evaluate(graph, {0: x})[0], eq.compile(graph)(x))


def test_a_fault_in_the_choice_of_kernels_is_not_hidden(monkeypatch):
    def fails(*_):
        raise ScheduleError("a fault")

    monkeypatch.setattr(cheapest, "extract_kernels", fails)
    with pytest.raises(ScheduleError, match="a fault"):
        eq.optimize(eq.trace(eq.sum, eq.spec((8,), eq.float32)))
