"""What a declared rule must be, so that it can be matched, applied and checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eqsat.errors import RuleError, brief
from eqsat.ops import ALONG_AXES, ALU, MOVEMENT, REDUCE_OPS, TABLE, Op
from eqsat.rules.language.pattern import Node
from eqsat.rules.language.scalar import Number, Scalar
from eqsat.rules.language.structure import roles_of
from eqsat.rules.language.walking import nodes_of, variables_matched_by, variables_of, variables_of_scalar

if TYPE_CHECKING:
    from eqsat.rules.language.rule import Rule


_FIELDS = {**dict.fromkeys(MOVEMENT, 1), **dict.fromkeys(ALONG_AXES, 2), Op.GEP: 1}  # scalars in the argument
_STATED = ALU | MOVEMENT | ALONG_AXES  # that rules may be about, besides what `language.structure` lists
_RETYPING = (Op.CAST, Op.BITCAST)  # whose dtype is written


def require_well_formed(rule: Rule) -> None:
    """Refuses what cannot be matched, built or decided.

    Raises:
        RuleError: a variable is unbound, an operation has no such operands, or the guard is no scalar.
    """
    bound = variables_matched_by(rule.left)
    if not isinstance(rule.left, Node):
        raise RuleError(f"rule {rule.name!r}: the left side must be an operation, or everything would match")
    if not isinstance(rule.where, Scalar | None):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise RuleError(
            f"rule {rule.name!r}: the guard is {brief(rule.where)}, which is not known when the rule is applied; make it of constants, lo(x), "
            "hi(x), shape_of(x) and what functions that are `pure` compute of these"
        )
    used = {variable.name for side in (rule.left, rule.right) for variable in variables_of(side)}
    if rule.where is not None:
        used |= {variable.name for variable in variables_of_scalar(rule.where)}
    for name in rule.variables:
        if name not in bound:
            raise RuleError(
                f"rule {rule.name!r}: {name!r} does not occur in the left side, so nothing binds it"
            )
    if used - set(rule.variables):
        raise RuleError(
            f"rule {rule.name!r}: {min(used - set(rule.variables))!r} is no parameter of the rule's function"
        )
    if rule.both_ways and variables_matched_by(rule.right) != bound:
        raise RuleError(
            f"rule {rule.name!r}: a side of a rule for both ways does not bind all variables; drop both_ways"
        )
    for node in nodes_of(rule.left, rule.right):
        _check_node(rule, node)


def _check_node(rule: Rule, node: Node) -> None:
    least, most = TABLE[node.op].arity
    if len(node.src) < least or (most is not None and len(node.src) > most):
        raise RuleError(f"rule {rule.name!r}: {node.op.name} takes {least} operands, not {len(node.src)}")
    if len(node.fields) != _FIELDS.get(node.op, 0) or (node.op in _RETYPING and node.dtype is None):
        raise RuleError(
            f"rule {rule.name!r}: {node.op.name} has an argument; write {node.op.name.lower()}(...) of `eqsat.rules` instead of apply"
        )
    if (
        node.op in ALONG_AXES
        and isinstance(node.fields[0], Number)
        and node.fields[0].value not in REDUCE_OPS
    ):
        raise RuleError(
            f"rule {rule.name!r}: cannot reduce by {node.fields[0].value.name}; use ADD, MUL, MAX or MIN"
        )
    if node.op not in _STATED and roles_of(node.op, len(node.src)) is None:
        raise RuleError(
            f"rule {rule.name!r}: rules cannot be stated over {node.op.name} of {len(node.src)} sources; use arithmetic, movement, "
            "reduction, or what eqsat.rules.language.structure lists"
        )
