"""One file of C for all extents of a program with dims."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat as eq
from eqsat.pipeline import emit_c
from tests.codegen.c_compiler import CFunction, needs_compiler
from tests.dynamic import at, evaluated
from tests.pipeline.test_dynamic import PROGRAMS, M, N, values_of

MORE: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]]]] = {
    "an argument as it is": (lambda x, y: (x, y + 1.0, x), [(N, 3), (M,)]),
    "half of the rows": (lambda x: x[::2] * 2.0, [(N, 5)]),
}


@needs_compiler
@pytest.mark.parametrize("name", [*PROGRAMS, *MORE])
def test_file_is_right_for_all_extents(name: str) -> None:
    function, shapes = (PROGRAMS | MORE)[name]
    program = emit_c(eq.trace(function, *(eq.spec(shape, eq.float32) for shape in shapes)))
    run, draw = CFunction(program), np.random.default_rng(7)
    variables = [each.variable for each in program.parameters if each.bounds]
    for each in values_of(shapes):
        arrays = [draw.normal(size=at(shape, each)).astype(np.float32) for shape in shapes]
        expected = evaluated(function, arrays)
        for one, other in zip(run(arrays, [each[name] for name in variables]), expected, strict=True):
            np.testing.assert_allclose(one, other.reshape(-1), rtol=2e-4, atol=2e-5, err_msg=str(each))


def test_parameters_say_what_depends_on_dims() -> None:
    program = emit_c(eq.trace(lambda x: (eq.sum(x, axis=1), x), eq.spec((N, 4), eq.float32)))
    assert [str(each) for each in program.parameters] == [
        "in0: float32[4·n]", "out0: float32[n]", "out1: float32[4·n]", "variable0: n, index in 1..40",
    ]  # fmt: skip
    assert "    memcpy(out1, in0, 16 * variable0);" in program.source
