"""Rules and terms as people read them: `(x * c) // c = x where c != 0`."""

from __future__ import annotations

from typing import Any

from eqsat.dtype import DType
from eqsat.ops import ALONG_AXES, Op
from eqsat.rules.language.facts import Fact
from eqsat.rules.language.pattern import Constant, Node, Pattern, Value
from eqsat.rules.language.rule import Rule
from eqsat.rules.language.scalar import Arg, Call, Const, Number, Operation, Scalar, Type
from eqsat.uop import UOp

_INFIX = {
    Op.ADD: "+", Op.SUB: "-", Op.MUL: "*", Op.FDIV: "/", Op.FLOORDIV: "//", Op.FLOORMOD: "%", Op.CMPLT: "<", Op.CMPNE: "!=",
    Op.AND: "&", Op.OR: "|", Op.XOR: "^", Op.SHL: "<<", Op.SHR: ">>",
}  # fmt: skip


def equation(rule: Rule) -> str:
    """The equation of a rule, with its guard.

    >>> from eqsat.rules.integers.division import division
    >>> equation(next(rule for rule in division.ruleset if rule.name == "divide_multiple"))
    '(x * c) // c = x where c != 0'
    """
    sign = "⇔" if rule.both_ways else "="
    guard = "" if rule.where is None else f" where {scalar_text(rule.where)}"
    return f"{pattern_text(rule.left)} {sign} {pattern_text(rule.right)}{guard}"


def pattern_text(pattern: Pattern, *, inside: bool = False) -> str:
    """The text of a side of a rule; `inside` another operation, infix operations stand in parentheses."""
    match pattern:
        case Value(name):
            return name
        case Constant(value):
            return scalar_text(value, inside=inside)
        case Node(Op.NEG, (source,)):
            return f"-{pattern_text(source, inside=True)}"
        case Node(op, (left, right)) if op in _INFIX:
            text = f"{pattern_text(left, inside=True)} {_INFIX[op]} {pattern_text(right, inside=True)}"
            return f"({text})" if inside else text
        case Node(op, src, fields, dtype):
            arguments = [*map(pattern_text, src), *map(scalar_text, fields)]
            arguments += [] if dtype is None else [scalar_text(dtype)]
            return f"{op.name.lower()}({', '.join(arguments)})"
        case _:
            raise AssertionError(f"{pattern!r} is no pattern")


def scalar_text(scalar: Scalar, *, inside: bool = False) -> str:
    """The text of a guard, or of a computed constant or argument."""
    match scalar:
        case Number(value):
            return _literal(value)
        case Const(name) | Arg(name) | Type(name):
            return name
        case Fact(kind, Value(name)):
            return f"{kind}({name})"
        case Call(function, operands):
            return f"{function.name.rpartition('.')[2]}({', '.join(map(scalar_text, operands))})"
        case Operation("not", (operand,)):
            return f"not {scalar_text(operand, inside=True)}"
        case Operation(symbol, operands):
            text = f" {symbol} ".join(scalar_text(operand, inside=True) for operand in operands)
            return (
                f"({text})" if inside and symbol not in ("and", "or") else _alternatives(symbol, text, inside)
            )
        case _:
            raise AssertionError(f"{scalar!r} is no scalar")


def _alternatives(symbol: str, text: str, inside: bool) -> str:
    return f"({text})" if inside and symbol == "or" else text


def _literal(value: Any) -> str:
    return value.name if isinstance(value, Op | DType) else repr(value)


def term_text(term: UOp, limit: int = 160) -> str:
    """A graph in the same notation, at most about `limit` characters long; parts that lie too deep are written as `…`.

    >>> i = UOp.variable("i", 0, 15)
    >>> term_text((i * 64 + 3) // 64)
    '((i * 64) + 3) // 64'
    >>> term_text((i * 64 + 3) // 64, limit=12)
    '… // 64'
    """
    text = _term_text(term, 1, inside=False)
    for depth in range(2, limit):
        longer = _term_text(term, depth, inside=False)
        if longer == text or len(longer) > limit:
            return longer if longer == text else text
        text = longer
    return text


def _term_text(term: UOp, depth: int, *, inside: bool) -> str:
    match term.op:
        case Op.CONST:
            return repr(term.arg)
        case Op.DEFINE_VAR:
            return term.arg[0]
        case Op.PARAM:
            return f"input{term.arg[0]}"
        case _ if depth == 0:
            return "…"
        case Op.EXPAND | Op.RESHAPE if _constant(term) is not None:
            return repr(_constant(term))
        case Op.NEG:
            return f"-{_term_text(term.src[0], depth - 1, inside=True)}"
        case op if op in _INFIX and len(term.src) == 2:
            left, right = (_term_text(source, depth - 1, inside=True) for source in term.src)
            text = f"{left} {_INFIX[op]} {right}"
            return f"({text})" if inside else text
        case op:
            arguments = [_term_text(source, depth - 1, inside=False) for source in term.src]
            if op in (Op.CAST, Op.BITCAST):
                arguments.append(term.dtype.name)
            elif term.arg is not None:
                arguments += map(_literal, term.arg if op in ALONG_AXES else [term.arg])
            return f"{op.name.lower()}({', '.join(arguments)})"


def _constant(term: UOp) -> Any:
    """The value of a constant that is repeated to a shape; None for any other term."""
    while term.op in (Op.EXPAND, Op.RESHAPE):
        term = term.src[0]
    return term.arg if term.op is Op.CONST else None
