"""Runs a form: on a device, by the interpreter, and by the reference."""

from __future__ import annotations

import numpy as np

import eqsat as eq
from eqsat import codegen
from eqsat.array.data import HostData
from eqsat.codegen import linearize
from eqsat.dtype import PtrDType, to_numpy
from eqsat.ops import Op, Stage
from eqsat.reference import evaluate, run_linear
from eqsat.reference.evaluate import evaluate_kernel
from eqsat.spec import verify
from eqsat.uop import UOp, toposort
from tests.codegen.device import on_device
from tests.forms.form import Runs

VARIABLES = {"size": 4}


def check(form: Runs) -> None:
    """Asserts that the device leaves what the reference says."""
    if form.stage in (Stage.ARRAY, Stage.PROGRAM):
        _check_values(form)
    else:
        _check_memory(form)


def _check_values(form: Runs) -> None:
    program = eq.compile(form.graph)
    arrays = [form.inputs[slot] for slot in range(program.inputs)]
    buffers = [each for each in toposort([form.graph]) if each.op is Op.BUFFER]
    expected = evaluate(form.graph, {**form.inputs, **{each: _content(each) for each in buffers}})
    given = [each.copy() for each in arrays]
    found = program.run(given)
    assert all(map(np.array_equal, given, arrays)), "the caller's arrays changed"
    assert len(found) == len(expected)
    for each, wanted in zip(found, expected, strict=True):
        assert each.shape == np.shape(wanted)
        np.testing.assert_allclose(each, wanted, rtol=1e-5, atol=1e-6)


def _content(buffer: UOp) -> np.ndarray:
    """The data of a BUFFER; of one without, what nobody may read."""
    handle = buffer.src[1].arg
    return handle.values if isinstance(handle, HostData) else np.full(buffer.arg, np.nan, np.float32)


def _check_memory(form: Runs) -> None:
    linear = None
    if form.stage is not Stage.KERNEL:
        linear = form.graph if form.stage is Stage.LINEAR else linearize(form.graph)
    rendered = codegen.render(form.graph if linear is None else linear)
    before = buffers_of(form)
    verify(rendered.linear, Stage.LINEAR)
    found = on_device(rendered, dict(enumerate(before)), VARIABLES)
    assert any(argument.written for argument in rendered.arguments)
    for slot, expected in form.expected.items():
        np.testing.assert_allclose(found[slot], expected, err_msg=rendered.source)
    if form.expected:
        return
    interpreted, drawn = [each.copy() for each in before], [each.copy() for each in before]
    run_linear(rendered.linear, interpreted, rendered.global_size, rendered.local_size, VARIABLES)
    if form.stage is Stage.LINEAR:
        run_linear(form.graph, drawn, rendered.global_size, rendered.local_size, VARIABLES)
    else:
        evaluate_kernel(form.graph, drawn, VARIABLES)
    for argument in rendered.arguments:
        slot = argument.slot
        np.testing.assert_allclose(
            interpreted[slot], drawn[slot], rtol=1e-5, atol=1e-6, err_msg="interpreter"
        )
        np.testing.assert_allclose(found[slot], drawn[slot], rtol=1e-5, atol=1e-6, err_msg=rendered.source)


def buffers_of(form: Runs) -> list[np.ndarray]:
    """The content of each buffer before a form of a kernel or linear program is run."""
    made: dict[int, np.ndarray] = {}
    for each in toposort([form.graph]):
        if each.op not in (Op.PARAM, Op.DEFINE_GLOBAL):
            continue
        slot, size = each.arg if each.op is Op.PARAM else (each.arg, each.dtype.size)
        dtype = to_numpy(each.dtype.base if isinstance(each.dtype, PtrDType) else each.dtype)
        made[slot] = np.resize(form.inputs.get(slot, np.zeros(1)), size).astype(dtype)
    return [made.get(slot, np.zeros(1, np.float32)) for slot in range(max(made) + 1)]
