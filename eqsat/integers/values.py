"""Values of index expressions, their variables being known."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from eqsat.errors import BuildError
from eqsat.ops import Op
from eqsat.uop import UOp, toposort

_COMPUTED: Mapping[Op, Callable[[int, int], int]] = {
    Op.ADD: lambda a, b: a + b,
    Op.MUL: lambda a, b: a * b,
    Op.FLOORDIV: lambda a, b: a // b,
    Op.FLOORMOD: lambda a, b: a % b,
    Op.MIN: min,
    Op.MAX: max,
}


def value_of(expression: UOp, values: Mapping[str, int]) -> int:
    """The value of an index expression of constants and variables.

    Raises:
        BuildError: it holds another operation.

    >>> value_of((UOp.variable("n", 1, 100) + 7) // 8, {"n": 20})
    3
    """
    found: dict[UOp, int] = {}
    for node in toposort([expression]):
        if node.op is Op.CONST:
            found[node] = node.arg
        elif node.op is Op.DEFINE_VAR:
            found[node] = values[node.arg[0]]
        elif node.op in _COMPUTED:
            left, right = (found[source] for source in node.src)
            found[node] = _COMPUTED[node.op](left, right)
        else:
            raise BuildError(f"{node!r} has no value at a launch; write sizes with +, *, //, %, min and max")
    return found[expression]
