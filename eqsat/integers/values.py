"""Computes index expressions from the values of their variables or ranges."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqsat.errors import BuildError
from eqsat.ops import Op
from eqsat.uop import UOp, toposort

COMPUTED: Mapping[Op, Callable[[int, int], int]] = {
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
        BuildError: the expression has an operation that is not supported here.

    >>> value_of((UOp.variable("n", 1, 100) + 7) // 8, {"n": 20})
    3
    """
    found: dict[UOp, int] = {}
    for node in toposort([expression]):
        if node.op is Op.CONST:
            found[node] = node.arg
        elif node.op is Op.DEFINE_VAR:
            found[node] = values[node.arg[0]]
        elif node.op in COMPUTED:
            left, right = (found[source] for source in node.src)
            found[node] = COMPUTED[node.op](left, right)
        else:
            raise BuildError(f"{node!r} has no value at a launch; write sizes with +, *, //, %, min and max")
    return found[expression]


_OF_ARRAYS: Mapping[Op, Callable[..., NDArray[Any]]] = {
    Op.ADD: np.add, Op.SUB: np.subtract, Op.NEG: np.negative, Op.MUL: np.multiply, Op.FLOORDIV: np.floor_divide, Op.FLOORMOD: np.remainder,
    Op.MIN: np.minimum, Op.MAX: np.maximum, Op.CMPLT: np.less, Op.CMPNE: np.not_equal, Op.AND: np.bitwise_and,
    Op.OR: np.bitwise_or, Op.XOR: np.bitwise_xor, Op.WHERE: np.where,
}  # fmt: skip


def values_along(roots: Sequence[UOp], known: Mapping[UOp, NDArray[np.int64]]) -> list[NDArray[Any]] | None:
    """The values of index expressions, and of conditions on them, for given values of ranges; None if they have any other operation.

    >>> i = UOp.range(4, 0)
    >>> values_along([i * 2 % 3], {i: np.arange(4)})
    [array([0, 2, 1, 0])]
    """
    found: dict[UOp, NDArray[Any]] = {}
    for node in toposort(roots, known):
        if node in known:
            found[node] = known[node]
        elif node.op is Op.CONST and isinstance(node.arg, int) and abs(node.arg) < 1 << 62:
            found[node] = np.asarray(node.arg)
        elif node.op in _OF_ARRAYS:
            with np.errstate(divide="ignore"):  # a divisor may be 0 where a gate is false
                found[node] = _OF_ARRAYS[node.op](*(found[source] for source in node.src))
        else:
            return None
    return [found[root] for root in roots]
