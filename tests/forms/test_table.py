"""`docs/uops.md` is current and true: each operation is run at each stage that has it, and refused at the others."""

from functools import cache
from pathlib import Path

import pytest

from eqsat.errors import SpecError
from eqsat.ops import TABLE, Op, Stage
from eqsat.spec import verify
from eqsat.spec.stages import cell, document, legal_form
from eqsat.uop import UOp, toposort
from tests import seeds
from tests.forms.form import Refused, Runs
from tests.forms.test_forms import FORMS

PAGE = Path(__file__).parents[2] / "docs" / "uops.md"
CELLS = [(op, stage) for op in Op for stage in Stage]


@cache
def nodes() -> dict[tuple[Op, Stage], UOp]:
    """A node of each operation that a form runs at each stage."""
    return {
        (node.op, form.stage): node
        for form in FORMS
        if isinstance(form, Runs)
        for node in toposort([form.graph])
    }


def test_page_is_current() -> None:
    assert PAGE.read_text() == document(), "run: eqsat ops --markdown > docs/uops.md"


@pytest.mark.parametrize("name", sorted({name for names in seeds.recorded().values() for name in names}))
def test_operation_of_a_seed_is_shown(name: str) -> None:
    shown = {node.op for node in nodes().values()} | {form.op for form in FORMS if isinstance(form, Refused)}
    assert Op[name] in shown


@pytest.mark.parametrize(
    ("op", "stage"), [each for each in CELLS if each[1] in TABLE[each[0]].stages], ids=str
)
def test_operation_runs_where_the_table_says_so(op: Op, stage: Stage) -> None:
    assert (op, stage) in nodes() or cell(op, stage).startswith("held")


@pytest.mark.parametrize(
    ("op", "stage"), [each for each in CELLS if each[1] not in TABLE[each[0]].stages], ids=str
)
def test_operation_is_refused_where_the_table_says_so(op: Op, stage: Stage) -> None:
    node = next((node for (each, _), node in nodes().items() if each is op), None)
    assert cell(op, stage) == f"({legal_form(op, stage)})"
    is_part_of_program = stage is Stage.PROGRAM and Stage.ARRAY in TABLE[op].stages
    if is_part_of_program:  # as an array graph
        if (op, Stage.ARRAY) in nodes():
            verify(nodes()[op, Stage.ARRAY], stage)
        return
    if node is None:
        return
    with pytest.raises(SpecError, match="is not legal at the"):
        verify(node, stage)


@pytest.mark.parametrize("op", Op, ids=lambda op: op.name)
def test_stages_at_which_forms_run_are_in_the_table(op: Op) -> None:
    """A program contains nodes of other stages."""
    shown = {stage for each, stage in nodes() if each is op and stage is not Stage.PROGRAM}
    assert shown <= TABLE[op].stages
