"""Reads files of cases as UOps: scalar expressions, each with the peer's result. Results are written back in the variables of the file.

A case is written in the peer's operations: `weakint` is an index, `CDIV` and `CMOD` truncate, and a `STACK` is several results. `Invalid`, a
value that does not matter, becomes an EMPTY of no axes. A `RANGE` with a computed end becomes a variable. Its end becomes one more result, so
that it is simplified together with the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from eqsat.dtype import DType, PtrDType, float64, index, parse_dtype, wrap
from eqsat.errors import EqsatError
from eqsat.integers.bounds import bounds
from eqsat.ops import ALU, COMPARISON, Op
from eqsat.uop import UOp, toposort

DTYPES = {
    "weakint": "index",
    "weakfloat": "float64",
    "bool": "bool",
    "char": "int8",
    "short": "int16",
    "int": "int32",
    "long": "int64",
    "uchar": "uint8",
    "uchar8": "uint8",
    "ushort": "uint16",
    "uint": "uint32",
    "ulong": "uint64",
    "half": "float16",
    "__bf16": "bfloat16",
    "bfloat16": "bfloat16",
    "float": "float32",
    "double": "float64",
}
NAMES = {
    **{theirs: theirs for theirs in ("ADD", "SUB", "MUL", "NEG", "MAX", "MIN", "CMPLT", "CMPNE", "AND", "OR", "XOR", "SHL", "SHR")},
    **{theirs: theirs for theirs in ("WHERE", "MULACC", "CAST", "BITCAST", "POW", "SIN", "SQRT", "EXP2", "LOG2", "FDIV")},
    "FLOORDIV": "FLOORDIV",
    "FLOORMOD": "FLOORMOD",
    "IDIV": "IDIV",
    "MOD": "MOD",
    "CDIV": "IDIV",
    "CMOD": "MOD",
    "RECIPROCAL": "RECIP",
    "RECIP": "RECIP",
}  # fmt: skip
"""The names of operations in a file, and their names in eqsat."""

WEIGHTS = {
    **dict.fromkeys(("FLOORDIV", "FLOORMOD", "IDIV", "MOD", "FDIV", "POW", "SIN"), 8),
    **dict.fromkeys(("RECIP", "SQRT", "EXP2", "LOG2"), 4),
    "MUL": 2,
}
"""The weights of operations; an operation that is not listed weighs 1."""

INVALID = {"$": "Invalid"}
_NUMBERS = {"inf": float("inf"), "-inf": float("-inf"), "nan": float("nan")}
_MOST = 1 << 31  # the greatest end of a RANGE, unless the operations in its end have a lesser bound


class UnsupportedError(EqsatError):
    """A case contains something that no UOp stands for."""


class Leaf(NamedTuple):
    """The meaning of a variable.

    Attributes:
        least, greatest: the bounds of the value in the file, before it is divided by `step`.
        step: a number of which the value is a multiple; the variable is the value divided by it.
        end: for a RANGE, the number of the result that is its end.
    """

    least: int | float
    greatest: int | float
    step: int = 1
    end: int | None = None


@dataclass(slots=True)
class Graph:
    """The results of a case as UOps.

    Attributes:
        roots: the results, with the ends of ranges after them.
        results: how many of the roots are results.
        leaves: the meaning of each variable.
    """

    roots: list[UOp] = field(default_factory=list[UOp])
    results: int = 0
    leaves: dict[UOp, Leaf] = field(default_factory=dict[UOp, Leaf])


def read_graph(document: Mapping[str, Any]) -> Graph:
    """The graph of a case.

    Raises:
        UnsupportedError: it has an operation, dtype or constant that no UOp stands for.
    """
    return _Reader(document).read()


class _Reader:
    def __init__(self, document: Mapping[str, Any]) -> None:
        self.nodes: Sequence[Sequence[Any]] = document["nodes"]
        self.root_numbers: Sequence[int] = document["roots"]
        self.graph = Graph()
        self.built: list[UOp | tuple[UOp, ...]] = []
        self.variables: dict[str, str] = {}
        self.ends: list[tuple[UOp, UOp]] = []

    def read(self) -> Graph:
        for op, dtype, arg, sources in self.nodes:
            self.built.append(self.node(op, dtype, arg, sources))
        for number in self.root_numbers:
            self.graph.roots += _members(self.built[number])
        self.graph.results = len(self.graph.roots)
        reached = set(toposort(self.graph.roots))
        for position, (variable, end) in reversed(list(enumerate(self.ends))):
            if variable in reached:
                reached |= set(toposort([end]))
                self.graph.leaves[variable] = self.graph.leaves[variable]._replace(end=len(self.graph.roots))
                self.graph.roots.append(end)
            del self.ends[position]
        self.graph.leaves = {leaf: meaning for leaf, meaning in self.graph.leaves.items() if leaf in reached}
        return self.graph

    def node(self, op: str, dtype: str, arg: Any, sources: Sequence[int]) -> UOp | tuple[UOp, ...]:
        match op:
            case "STACK":
                return tuple(member for source in sources for member in _members(self.built[source]))
            case "CONST":
                return _constant(_dtype(dtype), arg)
            case "VAR":
                return self.variable(_dtype(dtype), arg)
            case "RANGE":
                return self.range(arg, self.operand(sources[0]))
            case _:
                return self.operation(op, _dtype(dtype), [self.operand(source) for source in sources])

    def operand(self, number: int) -> UOp:
        found = self.built[number]
        if isinstance(found, tuple):
            raise UnsupportedError("an operation on a STACK; take its elements apart")
        return found

    def variable(self, dtype: DType, arg: Mapping[str, Any]) -> UOp:
        least, greatest = (
            _NUMBERS[end["$"]] if isinstance(end, dict) else end for end in (arg["min"], arg["max"])
        )
        step = int(arg.get("multiple_of") or 1)
        name = self.unique(f"{arg['kind']} {arg['name']} {dtype} {least} {greatest} {step}", arg["name"])
        if dtype.is_float:
            return self.element(name, dtype, least, greatest)
        first = -(-int(least) // step)
        variable = UOp.variable(name, first, max(first, int(greatest) // step), dtype)
        self.graph.leaves[variable] = Leaf(least, greatest, step)
        return variable * step if step > 1 else variable

    def element(self, name: str, dtype: DType, least: float, greatest: float) -> UOp:
        """A float variable. Variables are integers, so it is the only element of an input, whose slot is the number of its name."""
        slot = list(self.variables.values()).index(name)
        param = UOp.param(slot, 1, dtype)
        self.graph.leaves[param] = Leaf(least, greatest)
        return param.reshape(())

    def range(self, arg: Mapping[str, Any], end: UOp) -> UOp:
        greatest = max(1, min(_MOST, bounds(end)[1])) - 1
        name = self.unique(f"range {arg['name']} {arg.get('axis')} {id(end)}", arg["name"])
        variable = UOp.variable(name, 0, greatest)
        self.graph.leaves[variable] = Leaf(0, greatest)
        self.ends.append((variable, end))
        return variable

    def unique(self, key: str, name: str) -> str:
        """A name that stands for one variable; variables that share a name but differ in anything else get different names."""
        if key not in self.variables:
            self.variables[key] = (
                name if name not in self.variables.values() else f"{name}.{len(self.variables)}"
            )
        return self.variables[key]

    def operation(self, theirs: str, dtype: DType, operands: list[UOp]) -> UOp:
        if theirs not in NAMES:
            raise UnsupportedError(f"no operation stands for {theirs}")
        op = Op[NAMES[theirs]]
        if op in (Op.CAST, Op.BITCAST):
            return operands[0].cast(dtype) if op is Op.CAST else operands[0].bitcast(dtype)
        values = operands[1:] if op is Op.WHERE else operands
        common = _common([value.dtype for value in values]) if op in COMPARISON else dtype
        values = [_as_dtype(value, common) for value in values]
        return UOp(op, dtype, (*operands[: len(operands) - len(values)], *values))


def _members(built: UOp | tuple[UOp, ...]) -> tuple[UOp, ...]:
    return built if isinstance(built, tuple) else (built,)


def _dtype(name: str) -> DType:
    found = parse_dtype(DTYPES[name]) if name in DTYPES else None
    if not isinstance(found, DType):
        raise UnsupportedError(f"no dtype stands for {name}")
    return found


def _constant(dtype: DType, arg: Any) -> UOp:
    if arg == INVALID:
        return UOp(Op.EMPTY, dtype, (), ())
    if isinstance(arg, dict):
        if arg.get("$") not in _NUMBERS:  # pyright: ignore[reportUnknownMemberType]
            raise UnsupportedError(f"no constant stands for {arg}")
        arg = _NUMBERS[arg["$"]]
    return UOp.const(dtype, arg)


def _common(dtypes: Sequence[DType | PtrDType]) -> DType:
    """The dtype in which operands are compared: the one that is not weak; of two weak ones, the float."""
    weak: dict[DType | PtrDType, int] = {index: 1, float64: 2}
    found = max(dtypes, key=lambda dtype: weak.get(dtype, 3))
    assert isinstance(found, DType)
    return found


def _as_dtype(value: UOp, dtype: DType) -> UOp:
    """An operand in the dtype of its place; constants, and values that do not matter, simply get that dtype."""
    if value.dtype == dtype:
        return value
    if value.op is Op.CONST:
        return UOp.const(dtype, wrap(dtype, value.arg) if dtype.is_int else value.arg)
    if value.op is Op.EMPTY:
        return UOp(Op.EMPTY, dtype, (), ())
    return value.cast(dtype)


def written(graph: Graph, roots: Sequence[UOp]) -> list[UOp]:
    """The results in the variables of the file: a variable that stands for a value divided by its step is replaced by that value.

    The results are followed by the ends of those ranges that they still use.
    """
    mapping: dict[UOp, UOp] = {}
    for leaf, meaning in graph.leaves.items():
        if meaning.step > 1:
            value = UOp.variable(f"{leaf.arg[0]}'", int(meaning.least), int(meaning.greatest), leaf.dtype)  # pyright: ignore[reportArgumentType]
            for node in toposort(roots):
                factor = _factor_of(node, leaf)
                if factor is not None and factor % meaning.step == 0:
                    mapping[node] = value * (factor // meaning.step) if factor != meaning.step else value
            mapping[leaf] = value // meaning.step
    renamed = list(UOp.sink(*roots).substitute(mapping).src) if mapping else list(roots)
    kept = renamed[: graph.results]
    ends = {leaf: meaning.end for leaf, meaning in graph.leaves.items() if meaning.end is not None}
    found = set[UOp]()
    while new := [leaf for leaf in ends if leaf not in found and leaf in set(toposort(kept))]:
        found |= set(new)
        kept += [renamed[ends[leaf]] for leaf in new]
    return kept


def _factor_of(node: UOp, leaf: UOp) -> int | None:
    """c if a node is leaf * c; None for any other node."""
    if node.op is Op.MUL and leaf in node.src:
        other = node.src[1] if node.src[0] is leaf else node.src[0]
        return int(other.arg) if other.op is Op.CONST else None
    return None


def count(roots: Sequence[UOp]) -> tuple[int, int]:
    """The number of distinct operations in all results, and the sum of their weights."""
    operations = [node for node in toposort(roots) if node.op in ALU]
    return len(operations), sum(WEIGHTS.get(node.op.name, 1) for node in operations)


def text(roots: Sequence[UOp]) -> str:
    """The results as formulas; a shared operation is written once, on a line before them, and gets a name."""
    uses: dict[UOp, int] = {}
    for node in toposort(roots):
        for source in node.src:
            uses[source] = uses.get(source, 0) + 1
    written_as: dict[UOp, str] = {}
    named: list[str] = []
    for node in toposort(roots):
        formula = _formula(node, [written_as[source] for source in node.src])
        if node.src and uses.get(node, 0) > 1:
            named.append(f"t{len(named)} = {formula}")
            formula = f"t{len(named) - 1}"
        written_as[node] = formula
    return "\n    ".join([*named, *(written_as[root] for root in roots)])


_SIGNS = {
    Op.ADD: "+", Op.SUB: "-", Op.MUL: "*", Op.FLOORDIV: "//", Op.FLOORMOD: "%", Op.CMPLT: "<", Op.CMPNE: "!=", Op.AND: "&", Op.OR: "|",
    Op.XOR: "^", Op.SHL: "<<", Op.SHR: ">>",
}  # fmt: skip


def _formula(node: UOp, sources: list[str]) -> str:
    match node.op:
        case Op.CONST:
            return str(node.arg)
        case Op.RESHAPE:
            return sources[0]
        case Op.DEFINE_VAR:
            return f"{node.arg[0]}[{node.arg[1]}..{node.arg[2]}]"
        case op if op in _SIGNS:
            return f"({sources[0]} {_SIGNS[op]} {sources[1]})"
        case Op.CAST:
            return f"{node.dtype}({sources[0]})"
        case op:
            return f"{op.name}({', '.join(sources)})" if sources else op.name
