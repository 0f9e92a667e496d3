"""A program that builds both sides of a match, node by node, and evaluates them with the reference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from eqsat.dtype import DType
from eqsat.ops import Op
from eqsat.proof.matches.match import Data, Match
from eqsat.reference.number import Array
from eqsat.uop import UOp, toposort

_IMPORTS = """\
import numpy as np

from eqsat import dtype
from eqsat.ops import Op
from eqsat.proof import has_value
from eqsat.reference import evaluate
from eqsat.uop import UOp
"""

_EVALUATION = """\
np.set_printoptions(floatmode="unique")
for side, root in (("left", left), ("right", right)):
    note = "" if has_value(root, data) else " (without a value)"
    print(f"{side}: {root.dtype}{root.shape} {evaluate(root, data)!r}{note}")
"""


def script(match: Match, data: Data, difference: str) -> str:
    """The program's text; it needs eqsat and NumPy alone."""
    header = f"{match.obligation.rule.name} on {match.obligation.dtypes}: {difference}"
    return comparison_script(header, match.left, match.right, match.slots, data)


def comparison_script(header: str, left: UOp, right: UOp, slots: Mapping[str, UOp], data: Data) -> str:
    """A program that evaluates two graphs on `data`, in which the inputs have the names in `slots`."""
    order = toposort([left, right])
    names = {node: f"node{number}" for number, node in enumerate(order)}
    names |= {slot: name for name, slot in slots.items()}
    lines = [f"# {header}", _IMPORTS]
    for node in order:
        assert isinstance(node.dtype, DType)
        sources = ", ".join(names[source] for source in node.src) + ("," if len(node.src) == 1 else "")
        lines.append(
            f"{names[node]} = UOp(Op.{node.op.name}, {_dtype(node.dtype)}, ({sources}), {_literal(node.arg)})"
        )
    lines.append(f"left, right = {names[left]}, {names[right]}")
    rows = ", ".join(f"{name}: {_array(data[slot])}" for name, slot in slots.items() if slot in names)
    return "\n".join([*lines, f"data = {{{rows}}}", _EVALUATION])


def _dtype(dtype: DType) -> str:
    scalar = dtype.scalar
    text = f"dtype.{scalar.name}_" if scalar.is_bool else f"dtype.{scalar.name}"
    return text if dtype.lanes == 1 else f"{text}.vec({dtype.lanes})"


def _literal(value: Any) -> str:
    """A node's argument as Python source."""
    if isinstance(value, tuple):
        return "(" + "".join(f"{_literal(item)}, " for item in cast("tuple[Any, ...]", value)) + ")"
    if isinstance(value, Op):
        return f"Op.{value.name}"
    if isinstance(value, float):
        return f'float("{value!r}")'
    return repr(value)


def _array(array: Array) -> str:
    rows = "[" + ", ".join(_literal(value) for value in array.reshape(-1).tolist()) + "]"
    return f'np.array({rows}, "{array.dtype}")'
