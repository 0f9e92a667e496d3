"""What a rule says of the sources of a node it says of each of them."""

import pytest

from eqsat.dtype import float32
from eqsat.errors import SpecError
from eqsat.ops import Op
from eqsat.spec import verify
from tests.forms import programs
from tests.forms.form import Refused, argument, at, f, i, load, node, program, store
from tests.spec.nodes import BARRIER, HANDLE, A, L


def test_a_buffer_is_on_a_device():
    with pytest.raises(SpecError, match="a DEVICE and a UNIQUE, not UNIQUE and UNIQUE"):
        verify(node(Op.BUFFER, float32, HANDLE, HANDLE, arg=8), A)


def test_a_load_waits_for_one_barrier():
    gate = f(1.0) < 2.0
    place, target = at(argument(1, 4), i(0)), at(argument(0, 4), i(0))
    verify(program(BARRIER, store(target, load(place, f(0.0), gate, BARRIER))), L)
    with pytest.raises(SpecError, match="LOAD"):
        verify(program(BARRIER, store(target, load(place, f(0.0), BARRIER, BARRIER))), L)
    gated = at(argument(1, 4), i(0), gate)
    verify(program(BARRIER, store(target, load(gated, f(0.0), BARRIER))), L)
    with pytest.raises(SpecError, match="LOAD"):
        verify(program(BARRIER, store(target, load(gated, f(0.0), BARRIER, BARRIER))), L)


def test_what_launches_inside_of_a_function_is_named():
    (form,) = (
        each
        for each in programs.forms()
        if isinstance(each, Refused) and each.title == "FUNCTION that launches"
    )
    with pytest.raises(SpecError, match="its body launches CUSTOM_FUNCTION"):
        verify(form.build(), form.stage)
