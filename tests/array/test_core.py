"""What an Array is to Python and to NumPy."""

import sys

import numpy as np
import pytest

import eqsat as eq
import eqsat.array as xp
from eqsat.array.data import collect_buffers, collect_params, parametrize
from eqsat.dtype import float32, index, int64
from eqsat.errors import BuildError, DTypeError, EqsatError, ShapeError
from eqsat.ops import Op, Stage
from eqsat.spec import verify
from eqsat.uop import UOp, toposort
from tests.array.compare import assert_agrees


def test_an_array_knows_its_shape_without_computing():
    x = xp.placeholder(0, (4, 3), "float32")
    assert (x.shape, x.dtype, x.ndim, x.size, x.nbytes) == ((4, 3), float32, 2, 12, 48)
    assert repr(x + 1) == "Array(shape=(4, 3), dtype=float32)"


def test_equal_computations_are_one_graph():
    x = xp.placeholder(0, (4, 3), "float32")
    assert (xp.exp(x) + 1).uop is (xp.exp(x) + 1).uop


def test_numbers_come_out():
    x = xp.asarray([3])
    assert int(x) == 3
    assert float(x) == 3.0
    assert bool(x)
    assert (x == 3).item() is True
    assert [10, 20][xp.asarray(1)] == 20
    with pytest.raises(ShapeError, match="is not one number"):
        bool(xp.ones(2))
    with pytest.raises(DTypeError, match="is not one integer"):
        range(xp.ones(()))


def test_numpy_reads_arrays():
    x = xp.arange(3)
    np.testing.assert_array_equal(np.asarray(x), np.arange(3))
    assert np.asarray(x, dtype=np.float32).dtype == np.float32


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x,
        lambda x: x.T,
        lambda x: x[1],
        lambda x: x + 0,
        lambda x: xp.flip(x, axis=0),
        lambda x: xp.broadcast_to(x, (3, 2, 3)),
        lambda x: xp.concat([x.reshape(6), xp.ones(2)]),
        lambda _: xp.zeros((2, 3)),
        lambda _: xp.arange(3.0),
        lambda _: xp.asarray(1.0),
    ],
)
@pytest.mark.parametrize("read", [lambda array: array.numpy(), np.asarray, np.array])
def test_values_that_numpy_reads_are_the_callers_own(make, read):
    data = np.arange(6.0).reshape(2, 3)
    x = xp.asarray(data, copy=False)
    array = make(x)
    first = read(array)
    before = first.copy()
    assert first.flags.c_contiguous
    first[...] = 50
    np.testing.assert_array_equal(array.numpy(), before)
    np.testing.assert_array_equal(data, np.arange(6.0).reshape(2, 3))


def test_an_evaluated_graph_keeps_its_data():
    with pytest.raises(ValueError, match="read-only"):
        eq.evaluate(xp.asarray([1.0, 2.0]).uop)[0] = 50


def test_a_value_that_fits_no_memory_is_an_error():
    for array in (xp.zeros(2**45), xp.zeros(2**45) + xp.asarray([1.0])):
        with pytest.raises(
            eq.MemoryExhaustedError, match=r"no memory was left while evaluating .*smaller graph"
        ):
            array.numpy()


def test_lists_come_out():
    assert xp.arange(4).reshape(2, 2).tolist() == [[0, 1], [2, 3]]
    assert xp.asarray(2.5).tolist() == 2.5
    assert type(xp.asarray(True).tolist()) is bool


def test_one_number_is_formatted_as_pythons():
    assert (
        f"{xp.asarray(3.14159):.2f} {xp.asarray([7]):>3d} {xp.asarray(1) == 1:}"
        == "3.14   7 Array(shape=(), dtype=bool)"
    )
    assert f"{xp.placeholder(0, (3,), 'int8')}" == "Array(shape=(3,), dtype=int8)"
    with pytest.raises(ShapeError, match="is not one number"):
        f"{xp.ones(2):.2f}"


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "float64"])
def test_dlpack_gives_and_takes_arrays(dtype):
    data = np.arange(6).reshape(2, 3).astype(dtype)
    array = xp.asarray(data).T
    assert array.__dlpack_device__() == np.zeros(1).__dlpack_device__()
    for taken in (np.from_dlpack(array), xp.from_dlpack(array).numpy(), xp.from_dlpack(data.T).numpy()):
        assert taken.dtype == dtype
        np.testing.assert_array_equal(taken, data.T)


def test_dlpack_shares_data_when_asked():
    data = np.zeros(2)
    copied, shared = xp.from_dlpack(data), xp.from_dlpack(data, copy=False)
    data[0] = 5
    assert copied.tolist() == [0, 0]
    assert shared.tolist() == [5, 0]


def test_what_dlpack_cannot_take_is_refused_by_name():
    with pytest.raises(
        BuildError, match=r"\[1, 2\] does not give its data to the host by DLPack .*use eqsat.asarray"
    ):
        xp.from_dlpack([1, 2])
    with pytest.raises(DTypeError, match="complex128 has no eqsat dtype"):
        xp.from_dlpack(np.zeros(2, complex))


def test_tensors_of_torch_come_and_go():
    torch = pytest.importorskip("torch")
    tensor = torch.arange(6.0).reshape(2, 3).T
    np.testing.assert_array_equal(xp.from_dlpack(tensor).numpy(), tensor.numpy())
    assert torch.from_dlpack(xp.asarray(tensor) + 1).tolist() == (tensor + 1).tolist()


def test_bfloat16_of_torch_is_data(monkeypatch):
    torch = pytest.importorskip("torch")
    pytest.importorskip("ml_dtypes")
    tensor = torch.tensor([[1.0, 2.5, -3.0], [np.nan, np.inf, 3.0]], dtype=torch.bfloat16)
    for data in (tensor, tensor.T, tensor[:, ::2], tensor[0, 1]):
        made, held = xp.asarray(data), data.float().numpy()
        assert made.dtype == "bfloat16"
        np.testing.assert_array_equal(made.numpy(), held)
        np.testing.assert_array_equal(eq.jit(lambda x: x + x)(data), held * 2)
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(DTypeError, match="install ml_dtypes, or pass x.float"):
        xp.asarray(tensor)


def test_a_stack_that_is_full_is_no_fault_of_the_arguments():
    x = xp.ones(3)

    def fill(left):
        return fill(left - 1) if left else xp.max(x, axis=0).shape

    def fill_by_one_more_call_each_time():
        for depth in range(sys.getrecursionlimit()):
            assert fill(depth) == ()

    with pytest.raises(RecursionError):
        fill_by_one_more_call_each_time()


def test_numpy_operators_build():
    x, y = np.arange(3.0), xp.arange(3.0)
    assert_agrees(x + y, x + x)
    assert_agrees(x < y, x < x)
    assert_agrees(np.float32(2) * y, np.float32(2) * x)
    assert_agrees(np.arange(3) << xp.arange(3), np.arange(3) << np.arange(3))
    assert_agrees(np.eye(3) @ y, np.eye(3) @ x)


@pytest.mark.parametrize("function", [np.exp, np.sum, np.concatenate, np.where])
def test_numpy_functions_are_refused_by_name(function):
    x = xp.placeholder(0, (3,), "float32")
    arguments = ([x, x],) if function is np.concatenate else (x, x, x) if function is np.where else (x,)
    with pytest.raises(BuildError, match=r"numpy.\w+ cannot take an eqsat Array.*use eqsat\."):
        function(*arguments)


@pytest.mark.parametrize("function", [np.unique, np.linalg.norm])
def test_numpy_functions_without_a_counterpart_are_refused(function):
    with pytest.raises(BuildError, match=r"eqsat has no such function; use numpy.asarray\(x\) first"):
        function(xp.placeholder(0, (3,), "float32"))


def test_a_placeholder_has_no_value():
    x = xp.placeholder(2, (3,), "float32")
    for use in (bool, int, float, lambda value: value.numpy(), np.asarray):
        with pytest.raises(EqsatError, match="placeholder 2 has no value while a function is traced"):
            use(x[0] > 0)


def test_other_operands_are_pythons_business():
    with pytest.raises(TypeError):
        xp.ones(2) + "text"
    with pytest.raises(TypeError):
        xp.ones(2) @ None


def test_nodes_without_a_value_are_no_arrays():
    with pytest.raises(BuildError, match="has no value; an Array holds a node with a shape"):
        xp.Array(UOp.sink())


def test_buffers_become_parameters():
    x, y = np.arange(3.0), np.arange(4, dtype=np.int32)
    given = xp.placeholder(0, (3,), "float64")
    result = given * xp.asarray(x) + xp.sum(xp.asarray(y))
    sink, data = parametrize(UOp.sink(result.uop))
    assert [param.arg for param in collect_params(sink)] == [(0, 3), (1, 3), (2, 4)]
    assert not collect_buffers(sink)
    assert sorted(array.tolist() for array in data) == sorted([x.tolist(), y.tolist()])
    again, _ = parametrize(UOp.sink((given * xp.asarray(x) + xp.sum(xp.asarray(y))).uop))
    assert again is sink
    renumbered, _ = parametrize(UOp.sink(result.uop), first_slot=5)
    assert [param.arg[0] for param in collect_params(renumbered)] == [0, 5, 6]


def test_scalars_are_constants():
    assert xp.asarray(np.float32(2)).uop.op is Op.CONST
    assert xp.asarray(True).uop.op is Op.CONST


def test_index_arrays_come_out_as_int64():
    assert xp.Array(UOp.iota(3)).dtype is index
    assert xp.arange(3).dtype is int64


def test_graphs_are_legal_at_the_array_stage():
    x = xp.placeholder(0, (4, 6), "float32")
    results = [
        xp.erf(x),
        x // 0.7,
        xp.round(x),
        xp.cumulative_sum(x, axis=0),
        xp.argmax(x, axis=1),
        x[::2, [0, 3]],
        x @ x.T,
        xp.atan2(x, x),
        xp.concat([x, x]),
        xp.var(x),
        xp.max_pool2d(x, 2, stride=1),
    ]
    verify(UOp.sink(*(result.uop for result in results)), Stage.ARRAY)


def test_long_chains_build_without_recursion():
    x = xp.placeholder(0, (3,), "float32")
    for _ in range(20_000):
        x = x + 1.0
    assert x.shape == (3,)
    assert len(toposort([x.uop])) > 20_000


KNOWN = {
    "tril has to know k": lambda x, n: xp.tril(x, k=n),
    "eye has to know n_rows": lambda x, n: xp.eye(n),
    "arange has to know start": lambda x, n: xp.arange(n),
    "arange has to know stop": lambda x, n: xp.arange(0, n + 1),
    "linspace has to know num": lambda x, n: xp.linspace(0, 1, n),
    "sum has to know axis": lambda x, n: x.sum(axis=n),
    "max has to know axis": lambda x, n: xp.max(x, axis=(0, n)),
    "softmax has to know axis": lambda x, n: xp.softmax(x, axis=n),
    "reshape has to know shape": lambda x, n: xp.reshape(x, (n, -1)),
    "full has to know shape": lambda x, n: xp.full(n, x[0, 0]),
    "pad has to know pad_width": lambda x, n: xp.pad(x, ((n, 0), (0, 0)), constant_values=n),
    "repeat has to know repeats": lambda x, n: xp.repeat(x, n + xp.arange(3), axis=0),
    "roll has to know shift": lambda x, n: xp.roll(x, n, axis=0),
    "conv1d has to know stride": lambda x, n: xp.conv1d(x[None], x[None], stride=n),
    "random.normal has to know shape": lambda x, n: eq.random.normal(eq.random.key(0), (n,)),
    "the bounds of slices have to be known": lambda x, n: x[:n],
    "bounds of slices have to be known": lambda x, n: x[0, n : n + 1],
}


@pytest.mark.parametrize("message", KNOWN)
def test_what_has_to_be_known_is_named(message):
    with pytest.raises(BuildError, match=f"{message}.* while a function is traced"):
        eq.jit(KNOWN[message])(np.ones((3, 3)), np.int64(1))


def test_values_that_need_not_be_known_are_arrays():
    full = eq.jit(lambda x, n: (xp.full(2, n), x[n], xp.take(x, n + xp.arange(2), axis=0), x + n))
    x = np.arange(9.0).reshape(3, 3)
    for found, expected in zip(full(x, np.int64(1)), ([1, 1], x[1], x[1:3], x + 1), strict=True):
        np.testing.assert_array_equal(found, expected)
