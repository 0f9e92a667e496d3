"""Every form of both seeds runs as the reference says, or is refused with the form that is legal."""

import pytest

from eqsat.errors import ShapeError, SpecError
from eqsat.spec import verify
from tests.forms import (
    arrays,
    instructions,
    kernel_contents,
    kernel_ends,
    kernel_memory,
    kernel_values,
    kernels,
    launched,
    programs,
    values,
)
from tests.forms.form import Form, Refused, Runs
from tests.forms.running import check

FORMS: list[Form] = [
    each
    for room in (
        arrays,
        kernels,
        kernel_contents,
        kernel_ends,
        kernel_memory,
        kernel_values,
        launched,
        instructions,
        values,
        programs,
    )
    for each in room.forms()
]


def named(form: Form) -> str:
    return f"{form.stage.value}: {form.title}"


@pytest.mark.parametrize("form", [each for each in FORMS if isinstance(each, Runs)], ids=named)
def test_form_runs_as_the_reference_says(form: Runs) -> None:
    verify(form.graph, form.stage)
    check(form)


@pytest.mark.parametrize("form", [each for each in FORMS if isinstance(each, Refused)], ids=named)
def test_form_is_refused_with_the_legal_one(form: Refused) -> None:
    with pytest.raises((SpecError, ShapeError), match=form.words) as raised:
        verify(form.build(), form.stage)
    assert form.op.name in str(raised.value)
