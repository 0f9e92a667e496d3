"""Plain C gives bit for bit what OpenCL C gives: kernels, functions, and whole programs in one file."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import eqsat as eq
from eqsat.codegen import C, RenderedKernel, render
from eqsat.codegen.functions import FUNCTIONS
from eqsat.codegen.rendering.helpers import Helpers
from eqsat.dtype import (
    DType,
    bfloat16,
    bool_,
    float16,
    float32,
    float64,
    int8,
    int64,
    to_numpy,
    uint8,
    uint16,
    uint64,
)
from eqsat.errors import CodegenError
from eqsat.ops import ELEMENTARY, ELEMENTARY_BINARY, Op
from eqsat.pipeline import emit_c
from eqsat.reference.linear.interpreter import run_linear
from eqsat.runtime.storage import from_stored, to_stored
from eqsat.uop import toposort
from tests.codegen import functions
from tests.codegen.c_compiler import called, compile_c, needs_compiler, run_c
from tests.codegen.corners import GROUPS, MATRICES, PRODUCTS
from tests.codegen.kernels import LOCAL, Ranges, kernel, load, store
from tests.codegen.test_golden import FEATURES

pytestmark = needs_compiler
RANDOM = np.random.default_rng(0)


def inputs_of(rendered: RenderedKernel) -> dict[int, np.ndarray]:
    """Values of every kind for each buffer."""
    return {
        argument.slot: values(argument.dtype, argument.size)
        for argument in rendered.arguments
        if not argument.written
    }


def values(dtype: DType, size: int) -> np.ndarray:
    if dtype.is_float:
        drawn = np.concatenate([functions.SPECIAL, RANDOM.standard_normal(size)])[:size]
        with np.errstate(over="ignore"):
            return from_stored(to_stored(drawn.astype(to_numpy(dtype)), dtype), dtype)
    if dtype.is_bool:
        return RANDOM.random(size) < 0.5
    limits = np.iinfo(to_numpy(dtype))
    return RANDOM.integers(limits.min, limits.max, size, to_numpy(dtype), endpoint=True)


def computed_alone() -> list[str]:
    """The features that one thread computes without values of variables."""
    variables = {
        name for name, sink in FEATURES.items() if any(node.op is Op.DEFINE_VAR for node in toposort([sink]))
    }
    return [name for name in FEATURES if name not in {*variables, *MATRICES, *PRODUCTS}]


@pytest.mark.parametrize("feature", computed_alone())
def test_kernel_computes_what_its_instructions_do(feature: str) -> None:
    graph = FEATURES[feature]
    plain, vectors = render(graph, C), render(graph)
    given = inputs_of(vectors)
    if feature == "gather":
        given = {slot: array if array.dtype.kind == "f" else array % 10 for slot, array in given.items()}
    expected = {
        each.slot: given.get(each.slot, np.zeros(each.size, to_numpy(each.dtype))).copy()
        for each in vectors.arguments
    }
    run_linear(
        vectors.linear, [expected[slot] for slot in sorted(expected)], vectors.global_size, vectors.local_size
    )
    stored = {
        each.slot: to_stored(
            given.get(each.slot, np.zeros(each.size, to_numpy(each.dtype))), each.dtype
        ).copy()
        for each in plain.arguments
    }
    function = exported(plain)
    function(*(ctypes.c_void_p(stored[each.slot].ctypes.data) for each in plain.arguments))
    for each in plain.arguments:
        result = from_stored(stored[each.slot], each.dtype)
        # The reference has exact functions, and one thread adds in another order than groups.
        if feature in ("exponential", "softmax") or feature in GROUPS:
            np.testing.assert_allclose(result, expected[each.slot], rtol=1e-6, atol=1e-6)
        else:
            np.testing.assert_array_equal(result, expected[each.slot])


def exported(rendered: RenderedKernel):
    """A kernel as a function that other files can call."""
    return compile_c(rendered.source.replace(f"static void {rendered.name}", f"void {rendered.name}"))[
        rendered.name
    ]


@pytest.mark.parametrize("scalar", [float32, float64], ids=str)
def test_functions_are_those_of_opencl(scalar: DType) -> None:
    """Every elementary function, where neither compiler contracts."""
    helpers = Helpers(C)
    names = sorted(op.name.lower() for op in ELEMENTARY if (op.name.lower(), scalar) in FUNCTIONS)
    binary = {op.name.lower() for op in ELEMENTARY_BINARY}
    texts: list[str] = []
    for name in names:
        call = helpers.call(name, scalar, "x[i]", *(["y[i]"] if name in binary else []))
        kind = C.value_type(scalar)
        texts.append(
            f"void all_{name}(const {kind} *x, const {kind} *y, {kind} *out, const long n) {{\n"
            f"    for (long i = 0; i < n; i++) out[i] = {call};\n}}"
        )
    library = compile_c(C.whole(helpers.source + "\n".join(texts)))
    random = functions.singles(4000) if scalar == float32 else functions.doubles(4000)
    with np.errstate(over="ignore"):
        special = np.array(functions.SPECIAL).astype(functions.NUMPY[scalar])
    x = np.concatenate([random, np.repeat(special, special.size), random])
    y = np.concatenate(
        [random[::-1], np.tile(special, special.size), np.full(random.size, 0.7, random.dtype)]
    )
    for name in names:
        out = np.empty_like(x)
        library[f"all_{name}"](
            *(ctypes.c_void_p(array.ctypes.data) for array in (x, y, out)), ctypes.c_long(x.size)
        )
        expected = functions.apply(name, scalar, *((x, y) if name in binary else (x,)), contract=False)
        np.testing.assert_array_equal(out, expected, err_msg=name)
        zero = out == 0
        np.testing.assert_array_equal(np.signbit(out[zero]), np.signbit(expected[zero]), err_msg=name)


def traced(function, *arrays: np.ndarray) -> eq.UOp:
    return eq.trace(function, *(eq.spec(array.shape, array.dtype) for array in arrays))


def test_several_kernels_share_a_file_and_memory() -> None:
    x, w = RANDOM.random((64, 32), np.float32), RANDOM.random((32, 64), np.float32)

    def network(x, w):
        hidden = eq.softmax(eq.matmul(x, w), axis=1)
        return eq.matmul(hidden, hidden), eq.sum(x, axis=0)

    graph = traced(network, x, w)
    assert any(parameter.dtype is None for parameter in emit_c(graph).parameters), "a temporary"
    for mine, other in zip(run_c(graph, [x, w]), eq.compile(graph)(x, w), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-5)


def test_arguments_that_are_results_are_copied() -> None:
    x = RANDOM.random(7, np.float32)
    graph = eq.UOp.sink(*traced(lambda x: (x, x + 1, x), x).src)
    results = run_c(graph, [x])
    for result, expected in zip(results, (x, x + 1, x), strict=True):
        np.testing.assert_array_equal(result, expected)


def test_arguments_that_nothing_reads_are_no_parameters() -> None:
    x = np.ones(3, np.float32)
    program = emit_c(traced(lambda x, y: y + 1, x, x))
    assert [parameter.name for parameter in program.parameters] == ["in1", "out0"]
    assert (called(program, [x, x])[0] == 2).all()


def test_data_of_the_graph_are_further_arguments() -> None:
    x, weights = np.ones(3, np.float32), np.arange(3, dtype=np.float32)
    graph = traced(lambda x: x + eq.asarray(weights), x)
    assert "in1" in emit_c(graph).source
    np.testing.assert_array_equal(run_c(graph, [x])[0], x + weights)


def test_arrays_without_elements() -> None:
    x = np.zeros((0, 3), np.float32)
    empty, total = run_c(traced(lambda x: (x * 2, eq.sum(x, axis=0)), x), [x])
    assert empty.shape == (0, 3)
    assert (total == 0).all()


@pytest.mark.parametrize("dtype", [bool_, int8, uint8, int64, float16, bfloat16, float64], ids=str)
def test_dtypes_are_stored_as_they_are_elsewhere(dtype: DType) -> None:
    x = values(dtype, 32)
    graph = eq.trace(lambda x: (x, eq.astype(x, eq.float32), eq.where(x > x[0], x, x[1])), eq.spec(32, dtype))
    for mine, other in zip(run_c(graph, [x]), eq.compile(graph)(x), strict=True):
        np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("dtype", [bool_, int8, uint8, uint16, uint64, float16, bfloat16], ids=str)
def test_dtypes_of_programs_without_kernels_are_declared(dtype: DType) -> None:
    x = values(dtype, 4)
    graph = eq.trace(lambda x: (x, eq.reshape(x, (2, 2)), eq.tile(x, 0)), eq.spec(4, dtype))
    for mine, other in zip(run_c(graph, [x]), eq.compile(graph)(x), strict=True):
        np.testing.assert_array_equal(mine, other)


def test_source_is_the_same_on_every_machine_and_twice() -> None:
    x = np.ones((8, 8), np.float32)
    assert emit_c(traced(eq.softmax, x)).source == emit_c(traced(eq.softmax, x)).source


def test_work_items_that_wait_are_refused() -> None:
    ranges = Ranges()
    item = ranges(4, LOCAL)
    shared = eq.UOp(Op.DEFINE_LOCAL, eq.dtype.PtrDType(float32, eq.dtype.AddrSpace.LOCAL, 4), (), 0)
    place = eq.UOp(Op.INDEX, float32, (shared, item))
    waited = eq.UOp(Op.LOAD, float32, (place,))
    sink = kernel(
        "shares",
        store(eq.UOp.param(0, 4, float32), item, waited + load(eq.UOp.param(1, 4, float32), item), item),
    )
    with pytest.raises(CodegenError, match="memory that work-items share, which one thread has not"):
        render(sink, C)
