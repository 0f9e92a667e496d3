"""Checks that a declared rule can be matched, applied and verified."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from eqsat.errors import RuleError, brief
from eqsat.ops import ALONG_AXES, ALU, MOVEMENT, REDUCE_OPS, TABLE, Op
from eqsat.rules.language.pattern import Constant, Node, Pattern, Value
from eqsat.rules.language.scalar import Arg, Const, Number, Scalar, Type
from eqsat.rules.language.structure import roles_of
from eqsat.rules.language.walking import variables_of_scalar

if TYPE_CHECKING:
    from eqsat.rules.language.rule import Rule


# The number of scalars in the argument
_FIELDS = {**dict.fromkeys(MOVEMENT, 1), **dict.fromkeys(ALONG_AXES, 2), Op.GEP: 1}
_STATED = ALU | MOVEMENT | ALONG_AXES  # operations that rules may use, besides those in `language.structure`
_RETYPING = (Op.CAST, Op.BITCAST)  # operations whose dtype a rule has to name


def require_well_formed(rule: Rule) -> None:
    """Refuses rules that cannot be matched, built or decided.

    Raises:
        RuleError: a variable is unbound, an operation has the wrong operands or argument, or the guard is no scalar.
    """
    left, right = _Side.of(rule.left), _Side.of(rule.right)
    if not isinstance(rule.left, Node):
        raise RuleError(f"rule {rule.name!r}: the left side must be an operation, or everything would match")
    if not isinstance(rule.where, Scalar | None):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise RuleError(
            f"rule {rule.name!r}: the guard is {brief(rule.where)}, which is not known when the rule is applied; make it of constants, lo(x), "
            "hi(x), shape_of(x) and what functions that are `pure` compute of these"
        )
    computing = [*left.scalars, *right.scalars, *([] if rule.where is None else [rule.where])]
    used = left.bound | right.bound
    used.update(variable.name for scalar in computing for variable in variables_of_scalar(scalar))
    for name in rule.variables:
        if name not in left.bound:
            raise RuleError(
                f"rule {rule.name!r}: {name!r} does not occur in the left side, so nothing binds it"
            )
    if used - set(rule.variables):
        raise RuleError(
            f"rule {rule.name!r}: {min(used - set(rule.variables))!r} is no parameter of the rule's function"
        )
    if rule.both_ways and right.bound != left.bound:
        raise RuleError(
            f"rule {rule.name!r}: a side of a rule for both ways does not bind all variables; drop both_ways"
        )
    for node in (*left.nodes, *right.nodes):
        first = node.fields[0] if node.fields and node.op in ALONG_AXES else None
        reduced = first.value if isinstance(first, Number) else None
        if (
            fault := _fault(node.op, len(node.src), len(node.fields), node.dtype is not None, reduced)
        ) is not None:
            raise RuleError(f"rule {rule.name!r}: {fault}")


class _Side(NamedTuple):
    """One side of a rule.

    Attributes:
        nodes: its operations.
        bound: the names of the variables that matching it binds: variables that stand in it directly, not inside computations.
        scalars: its computed constants and arguments.
    """

    nodes: list[Node]
    bound: set[str]
    scalars: list[Scalar]

    @staticmethod
    def of(root: Pattern) -> _Side:
        side = _Side([], set(), [])
        seen: set[int] = set()
        stack = [root]
        while stack:
            part = stack.pop()
            if isinstance(part, Value):
                side.bound.add(part.name)
            elif isinstance(part, Constant):
                side.add(part.value, Const)
            elif isinstance(part, Node) and id(part) not in seen:
                seen.add(id(part))
                side.nodes.append(part)
                stack += part.src
                for scalar in part.fields:
                    side.add(scalar, Arg)
                if part.dtype is not None:
                    side.add(part.dtype, Type)
        return side

    def add(self, scalar: Scalar, kind: type[Const | Arg | Type]) -> None:
        """Adds a scalar that stands in a place where a variable of this kind may be bound."""
        if isinstance(scalar, kind):
            self.bound.add(scalar.name)
        elif not isinstance(scalar, Number):
            self.scalars.append(scalar)


@cache
def _fault(op: Op, sources: int, fields: int, is_typed: bool, reduced: Any) -> str | None:
    """The fault of an operation with these numbers of sources and of scalars in its argument, in words; None if it has none."""
    least, most = TABLE[op].arity
    if sources < least or (most is not None and sources > most):
        return f"{op.name} takes {least} operands, not {sources}"
    if fields != _FIELDS.get(op, 0) or (op in _RETYPING and not is_typed):
        return f"{op.name} has an argument; write {op.name.lower()}(...) of `eqsat.rules` instead of apply"
    if reduced is not None and reduced not in REDUCE_OPS:
        return f"cannot reduce by {reduced.name}; use ADD, MUL, MAX or MIN"
    if op not in _STATED and roles_of(op, sources) is None:
        return (
            f"rules cannot be stated over {op.name} of {sources} sources; use arithmetic, movement, "
            "reduction, or what eqsat.rules.language.structure lists"
        )
    return None
