"""What a jitted function takes as data and what as constants, and that it notices when what it read has changed."""

import copy
import functools
import pickle
from collections import namedtuple
from itertools import permutations

import numpy as np
import pytest

import eqsat as eq
import eqsat.array as xp
from eqsat.pipeline import just_in_time
from eqsat.pipeline.functions.captured import reads_of
from eqsat.pipeline.functions.fingerprints import fingerprint
from eqsat.pipeline.just_in_time import _Jitted
from tests.pipeline.counting import count_programs

X = np.array([1.0, 2.0, 3.0], np.float32)
factor = 2.0


@pytest.mark.parametrize("dtype", [np.bool_, np.int64, np.uint8, np.float16, np.float64])
def test_numpy_scalars_are_data(dtype):
    product = eq.jit(lambda x, n: x * n)
    for number in (0, 1, 1):
        expected = X * dtype(number)
        result = product(X, dtype(number))
        np.testing.assert_array_equal(result, expected)
        assert result.dtype == expected.dtype
    assert count_programs(product) == 1


def test_a_jitted_function_called_in_another_is_traced_into_it():
    inner = eq.jit(lambda x: x + 1)
    outer = eq.jit(lambda x: inner(x) * 2)
    np.testing.assert_array_equal(outer(X), (X + 1) * 2)
    assert count_programs(inner) == 0


def test_results_keep_their_structure():
    pair = namedtuple("pair", "low high")
    low, (high,) = eq.jit(lambda x: pair(xp.min(x), [xp.max(x)]))(X)
    assert (low, high) == (1, 3)
    assert isinstance(eq.jit(lambda x: pair(x, x))(X), pair)


@pytest.mark.filterwarnings("error")  # Python warns of a coroutine that nobody awaits
def test_async_functions_are_refused():
    async def double(x):
        return x * 2

    with pytest.raises(eq.BuildError, match="an async function cannot be traced; write `def`"):
        eq.jit(double)(X)


# what is read beside the arguments


class Model:
    def __init__(self):
        self.weights = np.ones(3, np.float32)
        self.scale = 2
        self.offsets = [1.0, {"more": 2.0}]

    def apply(self, x):
        return x * xp.asarray(self.weights) * self.scale + self.offsets[0] + self.offsets[1]["more"]

    @eq.jit
    def jitted(self, x):
        return self.apply(x)


class Slotted:
    __slots__ = ("scale",)

    def __init__(self):
        self.scale = 2

    def __call__(self, x):
        return x * self.scale


def jitted_partial(model):
    return eq.jit(functools.partial(Model.apply, model))


CHANGES = {
    "a number": lambda model: setattr(model, "scale", 3),
    "the sign of a zero": lambda model: setattr(model, "scale", -0.0),
    "an element of an array": lambda model: model.weights.__setitem__(1, 5),
    "an array": lambda model: setattr(model, "weights", np.full(3, 7, np.float32)),
    "an item of a list": lambda model: model.offsets.__setitem__(0, 4.0),
    "an item of a dict in a list": lambda model: model.offsets[1].update(more=9.0),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("made", [lambda model: eq.jit(model.apply), lambda model: model.jitted, jitted_partial],
                         ids=["a bound method", "a jitted method", "a partial"])  # fmt: skip
def test_a_change_of_self_is_noticed(made, change):
    model = Model()
    function = made(model)
    function(X)
    change(model)
    np.testing.assert_array_equal(function(X), np.asarray(model.apply(xp.asarray(X))))


def test_a_change_of_a_callable_object_with_slots_is_noticed():
    model = Slotted()
    function = eq.jit(model)
    function(X)
    model.scale = 5
    np.testing.assert_array_equal(function(X), X * 5)


def test_each_instance_has_its_own_program():
    one, other = Model(), Model()
    other.scale = 10
    assert one.jitted(X)[0] == 5
    assert other.jitted(X)[0] == 13
    assert one.jitted(X)[0] == 5


def scaled_by_global(x):
    return x * factor


def calls_another(x):
    return scaled_by_global(x)


def scaled_in_a_comprehension(x):
    return [each * factor for each in (x, x)][1]


@pytest.mark.parametrize("function", [scaled_by_global, calls_another, scaled_in_a_comprehension],
                         ids=["directly", "through a function", "in a comprehension"])  # fmt: skip
def test_a_change_of_a_global_is_noticed(function, monkeypatch):
    jitted = eq.jit(function)
    assert jitted(X)[0] == 2
    monkeypatch.setitem(globals(), "factor", 5.0)
    assert jitted(X)[0] == 5
    monkeypatch.setitem(globals(), "factor", 2.0)
    assert jitted(X)[0] == 2
    assert count_programs(jitted) == 2


def test_a_change_of_a_closure_and_of_its_contents_is_noticed():
    number, array = 1.0, np.zeros(3, np.float32)

    def function(x):
        return x + number + array

    jitted = eq.jit(function)
    np.testing.assert_array_equal(jitted(X), X + 1)
    number = 2.0
    np.testing.assert_array_equal(jitted(X), X + 2)
    array[:] = 10
    np.testing.assert_array_equal(jitted(X), X + 12)


def test_a_function_that_is_replaced_is_noticed(monkeypatch):
    jitted = eq.jit(calls_another)
    jitted(X)
    monkeypatch.setitem(globals(), "scaled_by_global", lambda x: x - 1)
    assert jitted(X)[0] == 0


def test_what_tracing_itself_changes_does_not_compile_anew():
    traced = []
    jitted = eq.jit(lambda x: traced.append(x.dtype) or x)
    for dtype in ("float32", "float64", "float32", "float64"):
        jitted(X.astype(dtype))
    assert len(traced) == 2


def test_unchanged_state_is_traced_once():
    model = Model()
    function = eq.jit(model.apply)
    for _ in range(3):
        function(X)
    assert count_programs(function) == 1


def test_state_that_holds_itself_has_a_fingerprint():
    model = Model()
    model.offsets.append(model)
    before = fingerprint(model)
    assert fingerprint(model) == before
    model.offsets[0] = 2.0
    assert fingerprint(model) != before
    assert all(read.is_unchanged() for read in reads_of(model.apply))


# what is no plain array


class OldMatrix(np.ndarray):
    """As numpy.matrix, of which one alone raises a warning."""


REFUSED = {
    "masked": (
        np.ma.masked_array([1.0, 2.0], [False, True]),
        eq.DTypeError,
        r"lose its mask; pass x.filled\(0\)",
    ),
    "matrix": (
        np.ones((1, 1)).view(OldMatrix),
        eq.DTypeError,
        r"OldMatrix would lose .*pass numpy.asarray\(x\)",
    ),
    "record": (np.rec.array([(1.0,)], dtype=[("a", "f4")]), eq.DTypeError, "recarray would lose"),
    "structured": (np.zeros(2, [("a", "f4")]), eq.DTypeError, "has no eqsat dtype; convert it"),
    "object": (np.array([None]), eq.DTypeError, "object has no eqsat dtype"),
    "string": (np.array(["a"]), eq.DTypeError, "has no eqsat dtype"),
    "complex": (np.ones(2, complex), eq.DTypeError, "complex128 has no eqsat dtype"),
    "datetime": (np.zeros(2, "M8[D]"), eq.DTypeError, "has no eqsat dtype"),
    "long double": (np.ones(2, np.longdouble), eq.DTypeError, "has no eqsat dtype"),
    "list": ([1.0, 2.0], eq.BuildError, "must return arrays, .* not float; wrap constants in asarray"),
}


@pytest.mark.parametrize(("value", "error", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_plain_array_is_refused(value, error, words):
    with pytest.raises(error, match=words):
        eq.jit(lambda x: x)(value)
    if not isinstance(value, list):
        with pytest.raises(error, match=words):
            xp.asarray(value)
        with pytest.raises(error, match=words):
            eq.jit(lambda x: x + value)(X)


class Offering:
    """Another library's array."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        if self.values is None:
            raise RuntimeError("requires grad")
        return np.asarray(self.values, dtype)


def test_what_offers_itself_as_an_array_is_one():
    np.testing.assert_array_equal(eq.jit(lambda x, y: x + y)(X, Offering([1.0, 2.0, 3.0])), X + X)
    with pytest.raises(
        eq.BuildError, match="Offering does not convert itself to a NumPy array: requires grad; convert"
    ):
        eq.jit(lambda x: x)(Offering(None))
    with pytest.raises(eq.DTypeError, match="object has no eqsat dtype"):
        eq.jit(lambda x: x)(Offering([None]))


def test_pandas_objects_are_their_values():
    pandas = pytest.importorskip("pandas")
    np.testing.assert_array_equal(eq.jit(lambda x: x + 1)(pandas.Series([1.0, 2.0])), [2, 3])


# programs


def two_inputs(x, y):
    return x + 1


def test_a_program_takes_as_many_arrays_as_the_function():
    program = eq.compile(eq.trace(two_inputs, eq.spec((2, 3), "float32"), eq.spec(3, "float32")))
    wide = np.ones((2, 3), np.float32)
    assert program(wide, X).shape == (2, 3)
    for arrays in ((wide,), (wide, X, X), ()):
        with pytest.raises(eq.ExecutionError, match=f"takes 2 arrays and was given {len(arrays)}"):
            program(*arrays)
    with pytest.raises(
        eq.ExecutionError, match=r"argument 0 of the program has shape \(3, 2\) and must be \(2, 3\)"
    ):
        program(wide.T, X)
    with pytest.raises(eq.DTypeError, match="lose its mask"):
        program(np.ma.masked_array(wide, wide > 0), X)


def test_inputs_that_nothing_reads_may_have_any_shape():
    one, grid = np.ones(3, np.int32), np.ones((2, 2), np.float32)
    np.testing.assert_array_equal(eq.jit(lambda x, y: y + 1)(one, grid), grid + 1)
    never, more = eq.jit(lambda x, y: (x > x, y + 1))(one, grid)
    np.testing.assert_array_equal(never, [False] * 3)
    np.testing.assert_array_equal(more, grid + 1)
    np.testing.assert_array_equal(eq.jit(lambda x: eq.zeros(2))(one), [0, 0])


def test_the_oldest_signatures_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(just_in_time, "_MOST_SIGNATURES", 2)
    doubled = eq.jit(lambda x: x * 2)
    assert isinstance(doubled, _Jitted)
    for extent in (1, 2, 3, 1, 4):
        x = np.arange(extent, dtype=np.float32)
        np.testing.assert_array_equal(doubled(x), x * 2)
        assert len(doubled._states) <= 2


@pytest.mark.parametrize("shape", [(5, 5), (5, 7), (1, 5), (5, 1), (3, 4, 5), (4, 4, 4)])
def test_transposed_arrays_are_read_where_they_are(shape: tuple[int, ...]) -> None:
    """Also after calls that run directly, and where a transposed array has the same shape."""
    x = np.random.default_rng(0).standard_normal(shape)
    summed = eq.jit(lambda x: x + x[0])
    orders = [
        np.ascontiguousarray(x.transpose(axes)).transpose(np.argsort(axes))
        for axes in permutations(range(x.ndim))
    ]
    for array in (*orders, x, x[::-1], *orders):
        for _ in range(10):
            np.testing.assert_array_equal(summed(array), array + array[0])


@eq.jit
def doubled(x):
    return x * factor


def tripled(x):
    return x * 3


def test_a_called_function_is_pickled_by_name_or_with_what_it_was_made_of():
    again = eq.jit(tripled, dynamic={"x": {0: eq.dim("n", 1, 9)}})
    assert doubled(X).tolist() == [2.0, 4.0, 6.0]
    assert again(X).tolist() == [3.0, 6.0, 9.0]
    assert pickle.loads(pickle.dumps(doubled)) is doubled
    assert copy.deepcopy(again) is again
    there = pickle.loads(pickle.dumps(again))
    assert there is not again
    assert count_programs(there) == 0
    assert there(X[:2]).tolist() == [3.0, 6.0]
    assert pickle.loads(pickle.dumps(eq.jit(functools.partial(tripled))))(X).tolist() == [3.0, 6.0, 9.0]


@pytest.mark.parametrize("shape", [(3,), (eq.dim("n", 1, 9),)], ids=str)
def test_programs_are_shared_by_copies_and_refuse_pickles(shape):
    program = eq.compile(eq.trace(tripled, eq.spec(shape, eq.float32)))
    assert copy.copy(program) is program
    assert copy.deepcopy({"made": program})["made"] is program
    with pytest.raises(eq.ExecutionError, match=r"program\.save"):
        pickle.dumps(program)
