"""Whatever stands in a field of an operation, eqsat takes it or says in an error of its own which operation it does not suit."""

import random
from collections.abc import Callable
from typing import Any

import pytest

import eqsat as eq
from eqsat import codegen
from eqsat.dtype import float32, index
from eqsat.errors import EqsatError
from eqsat.graph_files.serialize import from_json, to_json
from eqsat.ops import Op, Stage
from eqsat.reference import evaluate, run_linear
from eqsat.spec import verify
from eqsat.uop import UOp
from tests.forms.form import Runs
from tests.forms.nonsense import ARGUMENTS, SOURCES, X, findings, one_of_each
from tests.forms.test_forms import FORMS

SHARE = 0.025  # `python -m tests.forms.nonsense` tries all


@pytest.mark.parametrize("stage", Stage, ids=lambda stage: stage.value)
def test_nonsense_is_refused_by_name(stage: Stage, request: pytest.FixtureRequest) -> None:
    drawn = random.Random(request.config.getoption("--seed"))
    chosen: list[tuple[Runs, UOp]] = [each for each in one_of_each(FORMS) if each[0].stage is stage]
    found = [each for form, node in chosen for each in findings(form, node, SHARE, drawn)]
    assert not found


WAYS: dict[str, Callable[[Any], object]] = {
    "verify": lambda junk: verify(junk, Stage.ARRAY),
    "verify at": lambda junk: verify(X, junk),
    "compile": eq.compile,
    "compile under": lambda junk: eq.compile(X + 1.0, junk),
    "evaluate": evaluate,
    "evaluate on": lambda junk: evaluate(X, junk),
    "render": codegen.render,
    "expand": codegen.expand,
    "linearize": codegen.linearize,
    "run_linear": lambda junk: run_linear(junk, [], (1,)),
    "optimize": eq.optimize,
    "simplify": eq.simplify,
    "facts": eq.facts,
    "to_json": to_json,
    "from_json": from_json,
    "UOp.const of": lambda junk: UOp.const(junk, 1),
    "UOp.const": lambda junk: UOp.const(index, junk),
    "UOp.full": lambda junk: UOp.full(junk, float32, 1.0),
    "UOp.variable": lambda junk: UOp.variable("n", junk, 1),
    "UOp.range": lambda junk: UOp.range(junk, 0),
    "UOp.param": lambda junk: UOp.param(0, junk, float32),
    "alu": X.alu,
    "where": lambda junk: (X < 1.0).where(junk, X),
    "add": lambda junk: X + junk,
    "reshape": X.reshape,
    "permute": X.permute,
    "pad": X.pad,
    "shrink": X.shrink,
    "reduce_axis": lambda junk: X.reduce_axis(Op.ADD, junk),
    "substitute": X.substitute,
    "vec": float32.vec,
}


@pytest.mark.parametrize("way", WAYS)
def test_nonsense_in_place_of_a_graph_or_a_number_is_a_typed_error(way: str) -> None:
    refused = 0
    for junk in [*ARGUMENTS, *SOURCES]:
        try:
            WAYS[way](junk)
        except EqsatError:
            refused += 1
    assert refused > 10, "most of it is nonsense"


def test_name_of_a_dtype_is_no_dtype() -> None:
    """Nor of X, which is interned under that name."""
    name: Any = "float32"
    with pytest.raises(eq.BuildError, match="'float32' is no dtype"):
        UOp(Op.PARAM, name, (), (0, 6))
