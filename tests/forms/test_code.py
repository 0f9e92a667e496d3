"""The code of every form of a kernel, as files to read; `pytest tests/forms --regenerate-golden` writes them anew."""

from __future__ import annotations

from inspect import unwrap
from pathlib import Path

import pytest

from eqsat.codegen import OPENCL_CPU, C, Dialect, linearize, render
from eqsat.errors import CodegenError
from eqsat.ops import Stage
from tests.forms.form import Runs
from tests.forms.test_forms import FORMS, named

GOLDEN = Path(__file__).parents[1] / "golden" / "forms"
FILES: dict[str, tuple[Dialect, tuple[Stage, ...]]] = {
    "forms.cl": (OPENCL_CPU, (Stage.KERNEL, Stage.EXPANDED, Stage.LINEAR)),
    "forms.c": (C, (Stage.KERNEL,)),
}

TEXT_OF = unwrap(render)  # without the referee, who sees the forms when they are run


def code(form: Runs, dialect: Dialect) -> str:
    """The kernel of a form without the helpers before it, or why a dialect has none."""
    try:
        expanded = form.stage is Stage.EXPANDED
        rendered = TEXT_OF(linearize(form.graph) if expanded else form.graph, dialect)
    except CodegenError as error:
        return f"// {error}\n"
    text = rendered.source[rendered.source.rindex(f"// {rendered.name}:") :]
    return text.replace(rendered.name, "form")


@pytest.mark.parametrize("name", FILES)
def test_code_of_all_forms(name: str, request: pytest.FixtureRequest) -> None:
    dialect, stages = FILES[name]
    titles: dict[str, list[str]] = {}
    for form in FORMS:
        if isinstance(form, Runs) and form.stage in stages:
            titles.setdefault(code(form, dialect), []).append(named(form))
    found = [f"// {'; '.join(names)}\n{text}" for text, names in titles.items()]
    file = GOLDEN / name
    if request.config.getoption("--regenerate-golden", default=False):
        file.write_text("\n".join(found))
    before = file.read_text()
    differing = [each for each in found if each not in before]
    assert before == "\n".join(found), "\n".join(
        ["if these are meant, run with --regenerate-golden:", *differing[:4]]
    )
