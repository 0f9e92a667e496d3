"""Names for the variables of a kernel, by what they hold."""

from __future__ import annotations

from eqsat.ops import AxisType, Op
from eqsat.uop import UOp

_BY_OP = {
    Op.EXP2: "power", Op.LOG2: "logarithm", Op.SIN: "sine", Op.SQRT: "root", Op.RECIP: "inverse", Op.NEG: "negative",
    Op.ADD: "sum", Op.SUB: "difference", Op.MUL: "product", Op.FDIV: "ratio", Op.POW: "power", Op.IDIV: "quotient",
    Op.MOD: "remainder", Op.FLOORDIV: "quotient", Op.FLOORMOD: "remainder", Op.MAX: "greater", Op.MIN: "lesser",
    Op.WHERE: "choice", Op.MULACC: "sum", Op.CAST: "converted", Op.BITCAST: "bits", Op.SHL: "shifted", Op.SHR: "shifted",
    Op.VECTORIZE: "vector", Op.CAT: "vector", Op.GEP: "part", Op.LOAD: "value",
}  # fmt: skip


class Names:
    """Hands out names, numbering those that come up again."""

    def __init__(self, instructions: tuple[UOp, ...]) -> None:
        self._taken: dict[str, int] = {}
        self._written = {_buffer(node.src[0]) for node in instructions if node.op in (Op.STORE, Op.ASSIGN)}

    def of(self, node: UOp) -> str:
        """A fresh name for the variable that holds `node`."""
        match node.op:
            case Op.DEFINE_GLOBAL:
                return self._numbered("out" if node in self._written else "in")
            case Op.DEFINE_REG | Op.DEFINE_ACC:
                return self._numbered("acc")
            case Op.DEFINE_LOCAL:
                return self._numbered("shared")
            case Op.DEFINE_VAR:
                return node.arg[0]
            case Op.SPECIAL:
                return node.arg
            case Op.RANGE:
                return self._numbered("k" if _is_reduction(node) else "i")
            case _:
                return self._numbered(_meaning(node))

    def _numbered(self, base: str) -> str:
        number = self._taken.get(base, 0)
        self._taken[base] = number + 1
        return f"{base}{number}"


def _meaning(node: UOp) -> str:
    if node.dtype.scalar.is_index:
        return "offset"
    if node.dtype.scalar.is_bool:
        return "condition"
    return _BY_OP.get(node.op, "value")


def _buffer(address: UOp) -> UOp:
    """The definition that an address points into."""
    while address.op not in (Op.DEFINE_GLOBAL, Op.DEFINE_LOCAL, Op.DEFINE_REG, Op.DEFINE_ACC) and address.src:
        address = address.src[0]
    return address


def _is_reduction(bound: UOp) -> bool:
    """Whether a RANGE is a loop that accumulates; the older form of a RANGE does not say."""
    return not isinstance(bound.arg, int) and bound.arg[1] is AxisType.REDUCE
