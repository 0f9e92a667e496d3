"""Names for a kernel and its variables, chosen by the values that they hold.

Names in a graph may come from anybody (`KernelInfo`, DEFINE_VAR, SPECIAL). The source contains only identifiers that differ from all keywords,
types, macros and functions of OpenCL C, and from all names that codegen writes itself.
"""

from __future__ import annotations

import re
from hashlib import sha256

from eqsat.codegen.linearization.launch import coordinate
from eqsat.codegen.linearization.loops import memory_of
from eqsat.ops import AxisType, Op
from eqsat.spec.sources import shuffle_of
from eqsat.uop import UOp

LONGEST = 80  # most characters of a name; a longer one is cut and ends with a digest

# First words of functions and macros of OpenCL C whose names have several words.
_RESERVED = frozenset(
    {
        "async", "atom", "atomic", "bitfield", "capture", "cl", "clk", "commit", "convert", "create", "enqueue", "get", "half", "intel", "is",
        "mem", "native", "read", "release", "reserve", "retain", "sub", "to", "vload", "vloada", "vstore", "vstorea", "wait", "work", "write",
    }
)  # fmt: skip
# Whole names of other functions, and the ending of names of types.
_BUILT_IN = frozenset(
    {
        "abs_diff", "add_sat", "bit_reverse", "dot_acc_sat", "fast_distance", "fast_length", "fast_normalize", "lgamma_r", "mad_hi", "mad_sat",
        "mul_hi", "set_user_event_status", "vec_step",
    }
)  # fmt: skip
_OF_TYPES = "_t"
_WORDS = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
_OWN = re.compile(r"kernel_[A-Za-z0-9_]*")
# The names of codegen's own functions
_TYPED = re.compile(r".*_(?:bool|half|float|double|[us]?(?:char|short|int|long))\d*")

_BY_OP = {
    Op.EXP2: "power", Op.LOG2: "logarithm", Op.SIN: "sine", Op.SQRT: "root", Op.RECIP: "inverse", Op.NEG: "negative",
    Op.ADD: "sum", Op.SUB: "difference", Op.MUL: "product", Op.FDIV: "ratio", Op.POW: "power", Op.IDIV: "quotient",
    Op.MOD: "remainder", Op.FLOORDIV: "quotient", Op.FLOORMOD: "remainder", Op.MAX: "greater", Op.MIN: "lesser",
    Op.WHERE: "choice", Op.MULACC: "sum", Op.DOT: "product", Op.CAST: "converted", Op.BITCAST: "bits", Op.SHL: "shifted", Op.SHR: "shifted",
    Op.EXP: "power", Op.EXPM1: "power", Op.LOG: "logarithm", Op.LOG10: "logarithm", Op.LOG1P: "logarithm", Op.COS: "cosine",
    Op.TAN: "tangent", Op.ASIN: "angle", Op.ACOS: "angle", Op.ATAN: "angle", Op.ATAN2: "angle", Op.SINH: "sine", Op.COSH: "cosine",
    Op.TANH: "tangent", Op.ASINH: "area", Op.ACOSH: "area", Op.ATANH: "area", Op.ERF: "share", Op.ERFC: "share", Op.SIGMOID: "share",
    Op.SILU: "activation", Op.GELU: "activation", Op.HYPOT: "length", Op.LOGADDEXP: "logarithm", Op.FMOD: "remainder",
    Op.VECTORIZE: "vector", Op.CAT: "vector", Op.GEP: "part",
}  # fmt: skip


def kernel_name(name: str) -> str:
    """The identifier of a kernel: its name if this is a free identifier, else one that starts with `kernel_`. Unlike a variable, none ends with `_`.

    >>> kernel_name("max_exp2_4096x1024"), kernel_name("softmax"), kernel_name("get_global_id"), kernel_name("f(); }")
    ('max_exp2_4096x1024', 'kernel_softmax', 'kernel_get_global_id', 'kernel_f______x')
    """
    is_built_in = name in _BUILT_IN or name.endswith(_OF_TYPES) or name.partition("_")[0] in _RESERVED
    free = not name.endswith("_") and (_OWN.fullmatch(name) or (_WORDS.fullmatch(name) and not is_built_in))
    if free and len(name) <= LONGEST and not _TYPED.fullmatch(name) and name != "kernel_exec":
        return name
    chosen = f"kernel_{_cleaned(name)}"
    return (
        f"{chosen}_x"
        if chosen == "kernel_exec" or chosen.endswith("_") or _TYPED.fullmatch(chosen)
        else chosen
    )


def _cleaned(name: str) -> str:
    """The name in letters, digits and underscores, cut to half of `LONGEST`. A name that is cut gets a digest, so that it stays unique."""
    cleaned = re.sub(r"[^A-Za-z0-9_]", "_", name[: LONGEST // 2])
    return (
        cleaned
        if len(name) <= LONGEST // 2
        else f"{cleaned}_{sha256(name.encode(errors='replace')).hexdigest()[:8]}"
    )


class Names:
    """Hands out names, which are numbered by kind."""

    def __init__(self, instructions: tuple[UOp, ...]) -> None:
        self._taken: dict[str, int] = {}
        self._written = {memory_of(node.src[0]) for node in instructions if node.op is Op.STORE}

    def of(self, node: UOp) -> str:
        """A fresh name for the variable that holds `node`."""
        match node.op:
            case Op.DEFINE_GLOBAL:
                return self.numbered("out" if node in self._written else "in")
            case Op.DEFINE_REG:
                return self.numbered("acc")
            case Op.DEFINE_LOCAL:
                return self.numbered("shared")
            case Op.DEFINE_VAR:
                return self._variable(node.arg[0])
            case Op.SPECIAL:
                return coordinate(node)
            case Op.RANGE:
                return self.numbered("k" if _is_reduction(node) else "i")
            case _:
                return self.numbered(_meaning(node))

    def _variable(self, name: str) -> str:
        """The name of a variable in the graph, with an underscore at its end, which no other name has."""
        base = _cleaned(name).strip("_") or "variable"
        base = base if base[0].isalpha() else f"n{base}"
        while f"{base}_" in self._taken:
            base = self.numbered(f"{base}_")
        self._taken[f"{base}_"] = 1
        return f"{base}_"

    def numbered(self, base: str) -> str:
        """A fresh name that begins with `base`."""
        number = self._taken.get(base, 0)
        self._taken[base] = number + 1
        return f"{base}{number}"


def _meaning(node: UOp) -> str:
    if node.dtype.scalar.is_index:
        return "offset"
    if node.dtype.scalar.is_bool:
        return "condition"
    return "vector" if shuffle_of(node) is not None else _BY_OP.get(node.op, "value")


def _is_reduction(bound: UOp) -> bool:
    """Whether a RANGE is a loop that accumulates."""
    return bound.arg[1] is AxisType.REDUCE
