"""Functions that pick polynomials from a table: the same elements in every way that a processor picks them, and graphics cards do without."""

import numpy as np
import pyopencl as cl
import pytest

from eqsat.codegen.dialects import OPENCL_CPU, OPENCL_GPU, C, Dialect
from eqsat.codegen.functions import FUNCTIONS
from eqsat.codegen.functions.by_table import BY_TABLE, END
from eqsat.codegen.rendering.helpers import Helpers
from eqsat.dtype import float32
from eqsat.runtime.opencl.program import OPTIONS, compile_source
from tests.codegen import error_function
from tests.codegen.device import queue
from tests.codegen.functions import LANES, apply, apply_in_all_lanes, near, singles, source, worst

STEPS = np.arange(0.5, 16) * 11 / 32  # between one polynomial and the next
WITHOUT = {"AVX-512": "#undef __AVX512F__\n", "AVX2": "#undef __AVX512F__\n#undef __AVX2__\n"}


def hard() -> np.ndarray:
    both = np.concatenate([STEPS, [END, 14.5, 0.74, 1e-30, 1e-38]])
    return np.concatenate(
        [near(np.concatenate([both, -both]).astype(np.float32), float32, 8), singles(1 << 12, 5)]
    )


@pytest.mark.parametrize("lanes", [8, 16])
@pytest.mark.parametrize("instructions", WITHOUT)
def test_processors_without_an_instruction_pick_the_same(instructions: str, lanes: int):
    draw = np.random.default_rng(7)
    x = np.concatenate([hard(), draw.standard_normal(4096).astype(np.float32) * 3])
    x = x[: x.size // 16 * 16]
    text = WITHOUT[instructions] + source("gelu", float32.vec(lanes))
    program = compile_source(queue().context, text, OPTIONS)
    out, given = np.empty_like(x), cl.Buffer(queue().context, cl.mem_flags.COPY_HOST_PTR, hostbuf=x)
    result = cl.Buffer(queue().context, cl.mem_flags.WRITE_ONLY, x.nbytes)
    cl.Kernel(program, "apply")(queue(), (x.size // lanes,), None, result, given)
    cl.enqueue_copy(queue(), out, result)
    np.testing.assert_array_equal(out, apply("gelu", float32, x, lanes=lanes))


def test_no_seam_between_two_polynomials_is_seen():
    units, where = worst("gelu", float32, error_function.gelu, hard())
    assert 0 < units <= 2.0, where


def test_one_far_lane_changes_no_other():
    x = np.random.default_rng(6).standard_normal(4096).astype(np.float32)
    x[::37], x[::41], x[::43], x[::47], x[::53] = -7.0, -0.0, -np.inf, np.nan, 1e30
    results = apply_in_all_lanes("gelu", float32, x)
    for lanes in LANES[1:]:
        np.testing.assert_array_equal(results[lanes].view(np.uint32), results[1].view(np.uint32))


@pytest.mark.parametrize("dialect", [OPENCL_CPU, C, OPENCL_GPU], ids=lambda each: each.name)
def test_graphics_cards_have_no_table(dialect: Dialect):
    helpers = Helpers(dialect)
    helpers.call("gelu", float32, "x")
    assert ("gelu_table" in helpers.source) == (dialect is not OPENCL_GPU)


def test_graphics_cards_are_as_accurate():
    units, where = worst("gelu", float32, error_function.gelu, hard(), dialect=OPENCL_GPU)
    assert 0 < units <= 2.0, where


def test_each_stands_for_a_function_or_is_needed_by_one():
    needed = {name for function in BY_TABLE.values() for name in function.needs}
    assert {name for name in BY_TABLE if (name, float32) not in FUNCTIONS} <= needed
