"""Runs a drawn program by the interpreter, in both forms, and on the device."""

from __future__ import annotations

import numpy as np

from eqsat import codegen
from eqsat.codegen import RenderedKernel
from eqsat.ops import Op, Stage
from eqsat.reference import run_linear
from eqsat.spec import verify
from tests.codegen.device import on_device
from tests.drawn_instructions.drawing import Drawn

COUNTED = (
    Op.IF,
    Op.BARRIER,
    Op.RANGE,
    Op.DEFINE_LOCAL,
    Op.DEFINE_REG,
    Op.DEFINE_ACC,
    Op.ASSIGN,
    Op.ENDRANGE,
    Op.PTRCAT,
    Op.POINTER_INDEX,
)


def check(program: Drawn) -> RenderedKernel:
    """Asserts that the interpreter and the device agree about a program; gives its kernel."""
    verify(program.linear, Stage.LINEAR)
    rendered = codegen.render(program.linear)
    verify(rendered.linear, Stage.LINEAR)
    sizes = rendered.global_size, rendered.local_size
    as_drawn, as_rendered = ([each.copy() for each in program.buffers] for _ in range(2))
    run_linear(program.linear, as_drawn, *sizes)
    run_linear(rendered.linear, as_rendered, *sizes)
    found = on_device(rendered, dict(enumerate(program.buffers)))
    np.testing.assert_array_equal(as_rendered[0], as_drawn[0], err_msg="in the newer forms")
    np.testing.assert_array_equal(found[0], as_drawn[0], err_msg=f"on the device\n{rendered.source}")
    return rendered


def gates(program: Drawn) -> int:
    """LOADs and STOREs that happen only where a bool holds."""
    return sum(
        node.op in (Op.LOAD, Op.STORE)
        and any(each.dtype.scalar.is_bool for source in node.src for each in (source, *source.src))
        for node in program.linear.src
    )


def nested(program: Drawn) -> int:
    """RANGEs inside RANGEs."""
    depth = found = 0
    for node in program.linear.src:
        if node.op is Op.RANGE:
            depth += 1
            found += depth > 1
        elif node.op in (Op.END, Op.ENDRANGE):
            depth -= 1
    return found
