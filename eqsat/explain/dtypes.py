"""Whether a rule is about values of some dtypes: those that its domain admits, and those that its operations ask for.

A term can have the form of a rule's left side without being one of its cases: `where(c, 1, x)` over integers looks like
`where(c, True, x)`, which is `c | x` for bools only.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from eqsat.dtype import DType
from eqsat.ops import COMPARISON, MOVEMENT, Op
from eqsat.rules.language.inference import Typing, infer, limited_value
from eqsat.rules.language.instantiate import build
from eqsat.rules.language.pattern import Node, Pattern
from eqsat.rules.language.rule import Rule
from eqsat.uop import UOp


def limited_dtype(rule: Rule, bindings: Mapping[str, Any], left: UOp) -> DType | None:
    """The dtype that the rule's domain is about: that of a value, of the left side, or of what this compares; None where none of them tells it."""
    name = _limited(rule)
    if name is not None:
        return bindings[name].dtype
    typing, root = _typing(rule), rule.left
    if typing.principal == typing.left_types[id(root)]:
        return _dtype(left)
    if isinstance(root, Node) and root.op in COMPARISON and root.op is left.op:
        return _dtype(left.src[0]) if typing.principal == typing.left_types[id(root.src[0])] else None
    return None


def fits(rule: Rule, bindings: Mapping[str, Any], left: UOp) -> bool:
    """Whether the rule holds for these values, `left` being its left side."""
    typing = _typing(rule)
    if limited_dtype(rule, bindings, left) not in rule.domain:
        return False
    found = [(key, bindings[name].dtype) for name, key in typing.value_types.items()]
    found.append((typing.left_types[id(rule.left)], _dtype(left)))
    known: dict[str, DType] = {}
    return all(
        known.setdefault(key, dtype) == dtype and (not key.isidentifier() or dtype.scalar.name == key)
        for key, dtype in found
    )


def build_like(pattern: Pattern, bindings: Mapping[str, Any], term: UOp) -> UOp:
    """A side of a rule in the place of a term of its form: constants that are compared, or moved, have the dtype and the shape that they have there.

    Raises:
        RuleError: a computed constant or argument has no value for these bindings.
        BuildError: the values do not fit the pattern.
    """
    op = pattern.op if isinstance(pattern, Node) and pattern.op is term.op else None
    typed = term.src[0] if op in COMPARISON else term
    shaped = term.src[0] if op in MOVEMENT or op is Op.REDUCE_AXIS else term
    return build(pattern, bindings, _dtype(typed), shaped.shape or ())


def _dtype(term: UOp) -> DType:
    assert isinstance(term.dtype, DType)
    return term.dtype


@lru_cache(4096)
def _typing(rule: Rule) -> Typing:
    return infer(rule)


@lru_cache(4096)
def _limited(rule: Rule) -> str | None:
    return limited_value(rule)
