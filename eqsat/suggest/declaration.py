"""A rule as the Python code that declares it, to be pasted into a file of rules and given a better name."""

from __future__ import annotations

from eqsat.ops import Op
from eqsat.rules.language.facts import Fact
from eqsat.rules.language.pattern import Constant, Node, Pattern, Value
from eqsat.rules.language.rule import (
    ANY,
    BOOL,
    FLOATS,
    INDEX,
    INTEGERS,
    INTS,
    NUMBERS,
    SIGNED,
    UNSIGNED,
    Domain,
    Rule,
)
from eqsat.rules.language.scalar import Const, Number, Operation, Scalar

_DOMAINS = {
    "INDEX": INDEX, "BOOL": BOOL, "SIGNED": SIGNED, "UNSIGNED": UNSIGNED, "INTS": INTS, "INTEGERS": INTEGERS,
    "FLOATS": FLOATS, "NUMBERS": NUMBERS, "ANY": ANY,
}  # fmt: skip
_REFLECTED = {
    Op.ADD: "+", Op.SUB: "-", Op.MUL: "*", Op.FDIV: "/", Op.FLOORDIV: "//", Op.FLOORMOD: "%", Op.CMPLT: "<",
}  # fmt: skip
_INFIX = {**_REFLECTED, Op.AND: "&", Op.OR: "|", Op.XOR: "^", Op.SHL: "<<", Op.SHR: ">>"}
_FUNCTIONS = {Op.MAX: "maximum", Op.MIN: "minimum", Op.WHERE: "where"}


def declaration(rule: Rule) -> str:
    """The code that declares a rule over arithmetic.

    >>> from eqsat.rules.integers.division import division
    >>> print(declaration(next(rule for rule in division.ruleset if rule.name == "divide_multiple")))
    @division.rule(INDEX)
    def divide_multiple(x: Value, c: Const) -> Rewrite:
        \"\"\"A product divided by its own factor is the other factor.\"\"\"
        return rewrite((x * c) // c, x, where=c != 0)
    """
    parameters = ", ".join(
        f"{name}: {variable.__class__.__name__}" for name, variable in rule.variables.items()
    )
    guard = "" if rule.where is None else f", where={_scalar(rule.where)}"
    return "\n".join(
        (
            f"@{rule.topic}.rule({domain_name(rule.domain)})",
            f"def {rule.name}({parameters}) -> Rewrite:",
            f'    """{rule.claim}"""',
            f"    return rewrite({_pattern(rule.left)}, {_pattern(rule.right)}{guard})",
        )
    )


def domain_name(domain: Domain) -> str:
    """A domain, written with the names that modules of rules use for sets of dtypes: `INTEGERS | BOOL`."""
    names: list[str] = []
    for name, known in sorted(_DOMAINS.items(), key=lambda item: -len(item[1])):
        if known <= domain:
            names.append(name)
            domain -= known
    return " | ".join(names)


def _pattern(pattern: Pattern, *, inside: bool = False) -> str:
    match pattern:
        case Value(name):
            return name
        case Constant(value):
            return _scalar(value, inside=inside)
        case Node(Op.CMPNE, (Value() | Node() as source, Constant(Number(True)))):
            return f"~{_pattern(source, inside=True)}"
        case Node(Op.CMPNE, (Value() | Node() as left, right)):
            return f"{_pattern(left, inside=True)}.ne({_pattern(right)})"
        case Node(Op.NEG, (Value() | Node() as source,)):
            return f"-{_pattern(source, inside=True)}"
        case Node(op, (left, right)) if op in (_REFLECTED if isinstance(left, Constant) else _INFIX):
            text = f"{_pattern(left, inside=True)} {_INFIX[op]} {_pattern(right, inside=True)}"
            return f"({text})" if inside else text
        case Node(op, sources):
            operands = [_pattern(source) for source in sources]
            name = _FUNCTIONS.get(op)
            return (
                f"{name}({', '.join(operands)})"
                if name
                else f"apply({', '.join((f'Op.{op.name}', *operands))})"
            )
        case _:
            raise AssertionError(f"{pattern!r} is no pattern")


def _scalar(scalar: Scalar, *, inside: bool = False) -> str:
    match scalar:
        case Number(value):
            return repr(value)
        case Const(name):
            return name
        case Fact(kind, Value(name)):
            return f"{kind}({name})"
        case Operation("and", operands):
            return " & ".join(_scalar(operand, inside=True) for operand in operands)
        case Operation(symbol, (left, right)):
            text = f"{_scalar(left, inside=True)} {symbol} {_scalar(right, inside=True)}"
            return f"({text})" if inside else text
        case _:
            raise AssertionError(f"{scalar!r} is not computed from constants and bounds alone")
