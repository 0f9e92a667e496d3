"""What calls, functions and compiled artifacts ask of their sources and argument."""

from __future__ import annotations

from collections.abc import Mapping

from eqsat.ops import Op, Stage
from eqsat.spec.rule import Rule
from eqsat.uop import UOp

_PIPELINE = (
    Op.SINK,
    Op.DEVICE,
    Op.LINEAR,
    Op.SOURCE,
    Op.PROGRAM_BINARY,
)  # the sources of a PROGRAM, as far as it has come


def _program(node: UOp, stage: Stage) -> str | None:
    wrong = [(source, op) for source, op in zip(node.src, _PIPELINE, strict=False) if source.op is not op]
    if wrong:
        source, wanted = wrong[0]
        names = ", ".join(op.name for op in _PIPELINE)
        return f"its sources are {names} in this order; {source.op.name} stands for {wanted.name}"
    return None


def _call(node: UOp, stage: Stage) -> str | None:
    body = node.src[0]
    if body.op is not Op.FUNCTION or len(body.src) == 1 or len(body.src) == len(node.src):
        return None
    return f"it passes {len(node.src) - 1} arguments for {len(body.src) - 1} parameters; pass one for each"


def _function(node: UOp, stage: Stage) -> str | None:
    wrong = next((source for source in node.src[1:] if source.op not in (Op.PARAM, Op.DEFINE_VAR)), None)
    return None if wrong is None else f"its parameters are PARAMs and DEFINE_VARs, not {wrong.op.name}"


def _text(node: UOp, stage: Stage) -> str | None:
    return None if isinstance(node.arg, str) else f"its argument is a string, not {node.arg!r}"


def _bytes(node: UOp, stage: Stage) -> str | None:
    return None if isinstance(node.arg, bytes) else f"its argument is bytes, not {type(node.arg).__name__}"


def _kernel(node: UOp, stage: Stage) -> str | None:
    return None if node.arg is not None else "its argument is the kernel"


STRUCTURE: Mapping[Op, Rule] = {
    Op.PROGRAM: _program,
    Op.CALL: _call,
    Op.FUNCTION: _function,
    Op.SOURCE: _text,
    Op.NAME: _text,
    Op.PROGRAM_BINARY: _bytes,
    Op.KERNEL: _kernel,
    Op.CUSTOM_FUNCTION: _text,
}
