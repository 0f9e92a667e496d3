"""The tables of the e-graph: how each UOp is stored as a term.

Every term begins with its dtype (of its operands, for a comparison) and its shape, so rules can read them directly:

- `ADD dtype shape left right` and so on, for arithmetic;
- `ADD_N dtype shape {terms}` for sums, products, MAX/MIN and AND/OR/XOR of integers, indices and bools: a multiset, so order and
  grouping do not matter; `OPERAND {terms} term` indexes the multisets by their elements;
- `SCALE dtype shape coefficient value` for a multiple of an integer;
- `CONST dtype shape bits`, already expanded to its shape: integers by value, bools as 0 and 1, floats by the bits of a double;
- `CAST to from shape value`, `RESHAPE dtype shape shape_before value`, `PERMUTE dtype shape shape_before axes value`, …;
- `INDEX_2 dtype shape buffer position`, `LOAD_2 dtype dtype_of_address shape address alternative`, `VECTORIZE_4 dtype dtype_of_lane shape …`
  and so on, for the operations in `rules.language.structure`;
- `LEAF dtype shape number` and `OPAQUE dtype shape number [operands]` for everything that no rule looks into.

Facts have tables of their own: `lo` and `hi`, the bounds of integers (BigInts, since i64 arithmetic panics on overflow); `axis`, the axis along which
the elements of an index array are their own positions; `SPLIT x c q r`, which says that x = c*q + r; `ATOM x`, which marks a value that also
equals a sum of the parts of a split loop.
"""

from __future__ import annotations

from functools import cache

from eqsat import dtype as dtypes
from eqsat.dtype import DType, PtrDType
from eqsat.egraph.bindings import egglog
from eqsat.egraph.tables.syntax import (
    SPAN,
    Command,
    Expression,
    call,
    integer,
    put,
    text,
    variable,
)
from eqsat.ops import ALONG_AXES, ALU, GIVES_SHAPE, NARY_OPS, TABLE, Category, Op
from eqsat.rules.language.structure import LANED, STRUCTURE

MOVED = (Op.RESHAPE, Op.EXPAND, Op.PERMUTE, Op.PAD, Op.SHRINK, Op.FLIP)
ENDLESS = 1 << 400  # larger than any computed index; `index` has the bounds -ENDLESS and ENDLESS
SCALARS = "fixb"  # the kinds of single values
BOOL_NARY = {Op.ADD: Op.OR, Op.MUL: Op.AND, Op.MAX: Op.OR, Op.MIN: Op.AND}


def kind_of(dtype: DType | PtrDType) -> str:
    """'f' float, 'i' fixed-width integer, 'x' index, 'b' bool, 'v' a vector of these; '-' for dtypes without a value (pointers, void)."""
    if isinstance(dtype, PtrDType) or dtype.kind == "v":
        return "-"
    if dtype.lanes > 1:
        return "v"
    return "i" if dtype.is_int else dtype.kind


def nary_op(op: Op, kind: str) -> Op | None:
    """The n-ary operator that stores `op` on operands of this kind; None if `op` is stored as itself."""
    if kind == "b":
        op = BOOL_NARY.get(op, op)
    return op if op in NARY_OPS and kind in "ixb" else None


def _columns(op: Op) -> str:
    """The columns of an operation's table, one letter each: d dtype, s shape, t text, n BigInt, k i64, U term, M multiset, V vector of terms."""
    match TABLE[op].category:
        case Category.UNARY if op in (Op.CAST, Op.BITCAST):
            return "ddsU"
        case Category.UNARY:
            return "dsU"
        case Category.BINARY:
            return "dsUU"
        case Category.TERNARY:
            return "dsUUU"
        case Category.MOVEMENT:
            return "dssU" if op in GIVES_SHAPE else "dsstU"
        case _:
            return "dsstt" + "U" * TABLE[op].arity[0]


def table_of(op: Op, sources: int) -> str:
    """The table of a structural operation (`rules.language.structure`) with this number of sources."""
    return f"{op.name}_{sources}"


def _structural_columns(op: Op, sources: int) -> str:
    """Like `_columns`, for a structural operation. If its dtype may differ from its source's in lanes, the dtype of the first source is a column."""
    return ("dds" if op in LANED else "ds") + ("t" if op is Op.GEP else "") + "U" * sources


COLUMNS: dict[str, str] = {
    "CONST": "dsn",
    "LEAF": "dsk",
    "OPAQUE": "dskV",
    "SCALE": "dsnU",
    **{f"{op.name}_N": "dsM" for op in NARY_OPS},
    **{
        op.name: _columns(op)
        for op in (*(op for op in Op if op in ALU), *MOVED, *(op for op in Op if op in ALONG_AXES))
    },
    **{table_of(op, sources): _structural_columns(op, sources) for op, sources in STRUCTURE},
}
SHAPE_COLUMN = {table: columns.index("s") for table, columns in COLUMNS.items()}
STRUCTURAL_TABLES: dict[str, Op] = {table_of(op, sources): op for op, sources in STRUCTURE}
_SORTS = {
    "d": "String",
    "s": "String",
    "t": "String",
    "n": "BigInt",
    "k": "i64",
    "U": "U",
    "M": "Terms",
    "V": "Operands",
}
FACTS = {
    "NAMED": ["i64"],
    "OPERAND": ["Terms", "U"],
    "lo": ["U"],
    "hi": ["U"],
    "axis": ["U"],
}  # tables of a graph that hold no terms
RELATIONS = {"SPLIT": ["U", "BigInt", "U", "U"], "ATOM": ["U"]}
TABLES = frozenset({*COLUMNS, *FACTS, *RELATIONS})  # the tables that hold rows of a graph


@cache
def declarations() -> tuple[Command, ...]:
    """The commands that declare all sorts and tables."""
    containers = [
        ("Terms", "MultiSet", ["U"]),
        ("Numbers", "MultiSet", ["BigInt"]),
        ("Operands", "Vec", ["U"]),
        ("Fill", "UnstableFn", ["Terms", "U", "i64"]),
        ("Bound", "UnstableFn", ["U", "BigInt"]),
        ("Combine", "UnstableFn", ["BigInt", "BigInt", "BigInt"]),
        ("Build", "UnstableFn", ["U", "U"]),
    ]
    commands: list[Command] = [egglog.Sort(SPAN, "U", None)]
    for name, kind, parts in containers:
        commands.append(egglog.Sort(SPAN, name, (kind, _sort_arguments(kind, parts))))
    for name, columns in COLUMNS.items():
        commands.append(_constructor(name, [_SORTS[column] for column in columns]))
    commands.append(_constructor("NAMED", FACTS["NAMED"]))
    keep_greater, keep_lesser = (call(merge, variable("old"), variable("new")) for merge in ("max", "min"))
    commands += [
        _function("OPERAND", FACTS["OPERAND"], "i64", keep_greater),
        _function("lo", FACTS["lo"], "BigInt", keep_greater),
        _function("hi", FACTS["hi"], "BigInt", keep_lesser),
        _function("axis", FACTS["axis"], "String", variable("old")),
        _function("least", ["String"], "BigInt", keep_greater),
        _function("greatest", ["String"], "BigInt", keep_lesser),
        _function("modulus", ["String"], "BigInt", keep_greater),
        egglog.Relation(SPAN, "DOMAIN", ["String", "String"]),
        egglog.Relation(SPAN, "SPLIT", RELATIONS["SPLIT"]),
        egglog.Relation(SPAN, "ATOM", RELATIONS["ATOM"]),
    ]
    return tuple(commands)


def dtype_facts() -> list[egglog.Set]:
    """Actions that fill the tables about dtypes: range and modulus of each integer dtype."""
    actions = [
        put("least", [text("index")], integer(-ENDLESS)),
        put("greatest", [text("index")], integer(ENDLESS)),
    ]
    for dtype in (*dtypes.INTS, dtypes.bool_):
        actions.append(put("least", [text(dtype.name)], integer(dtype.min)))
        actions.append(put("greatest", [text(dtype.name)], integer(dtype.max)))
        actions.append(put("modulus", [text(dtype.name)], integer(1 << dtype.bits)))
    return actions


def _sort_arguments(kind: str, parts: list[str]) -> list[egglog.Call | egglog.Var | egglog.Lit]:
    if kind == "UnstableFn":
        head, *rest = parts[:-1]
        return [call(head, *(variable(part) for part in rest)), variable(parts[-1])]
    return [variable(part) for part in parts]


def _constructor(name: str, inputs: list[str]) -> Command:
    return egglog.Constructor(SPAN, name, egglog.Schema(inputs, "U"), None, False)


def _function(name: str, inputs: list[str], output: str, merge: Expression) -> Command:
    return egglog.FunctionCommand(SPAN, name, egglog.Schema(inputs, output), merge)
