"""Checks whether a rule holds for values of some dtypes: its domain must admit them, and its operations must accept them.

A term can look like the left side of a rule that does not hold for its dtypes: `where(c, 1, x)` over integers looks like
`where(c, True, x)`, which equals `c | x` for bools only.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from eqsat.dtype import DType
from eqsat.ops import ALONG_AXES, COMPARISON, MOVEMENT
from eqsat.rules.language.inference import infer, limited_value
from eqsat.rules.language.instantiate import build
from eqsat.rules.language.pattern import Node, Pattern
from eqsat.rules.language.rule import Rule
from eqsat.uop import UOp


def limited_dtype(rule: Rule, bindings: Mapping[str, Any], left: UOp) -> DType | None:
    """The dtype that the rule's domain limits: the dtype of a value, of the left side, or of the operands that the left side compares.

    Returns None if none of them determines it.
    """
    name = _limited(rule)
    if name is not None:
        return bindings[name].dtype
    typing, root = _typing(rule), rule.left
    if typing.principal == typing.left_types[id(root)]:
        return dtype_of(left)
    if isinstance(root, Node) and root.op in COMPARISON and root.op is left.op:
        return dtype_of(left.src[0]) if typing.principal == typing.left_types[id(root.src[0])] else None
    return None


def fits(rule: Rule, bindings: Mapping[str, Any], left: UOp) -> bool:
    """Whether the rule holds for the dtypes of these values. `left` is its left side, built from the bindings."""
    typing = _typing(rule)
    if limited_dtype(rule, bindings, left) not in rule.domain:
        return False
    found = [(key, bindings[name].dtype) for name, key in typing.value_types.items()]
    found.append((typing.left_types[id(rule.left)], dtype_of(left)))
    known: dict[str, DType] = {}
    return all(
        known.setdefault(key, dtype) == dtype and (not key.isidentifier() or dtype.scalar.name == key)
        for key, dtype in found
    )


def build_like(pattern: Pattern, bindings: Mapping[str, Any], term: UOp) -> UOp:
    """Builds a side of a rule in the place of `term`. Constants that are compared or moved get the dtype and shape of the sources of `term`.

    Raises:
        RuleError: a computed constant or argument has no value for these bindings.
        BuildError: the values do not fit the pattern.
    """
    op = pattern.op if isinstance(pattern, Node) and pattern.op is term.op else None
    typed = term.src[0] if op in COMPARISON else term
    shaped = term.src[0] if op in MOVEMENT | ALONG_AXES else term
    return build(pattern, bindings, dtype_of(typed), shaped.shape or ())


def dtype_of(term: UOp) -> DType:
    """The dtype of a term that is a value, not a pointer."""
    assert isinstance(term.dtype, DType)
    return term.dtype


_typing = lru_cache(4096)(infer)
_limited = lru_cache(4096)(limited_value)
