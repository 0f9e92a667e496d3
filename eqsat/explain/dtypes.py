"""Whether a rule is about values of some dtypes: those that its domain admits, and those that its operations ask for.

A term can have the form of a rule's left side without being one of its cases: `where(c, 1, x)` over integers looks like
`where(c, True, x)`, which is `c | x` for bools only.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from eqsat.dtype import DType
from eqsat.rules.inference import Typing, infer, limited_value
from eqsat.rules.rule import Rule


def limited_dtype(rule: Rule, bindings: Mapping[str, Any], left: DType) -> DType:
    """The dtype that the rule's domain is about: that of a value, or that of the left side."""
    name = _limited(rule)
    return left if name is None else bindings[name].dtype


def fits(rule: Rule, bindings: Mapping[str, Any], left: DType) -> bool:
    """Whether the rule holds for these values, `left` being the dtype of its left side."""
    typing = _typing(rule)
    if limited_dtype(rule, bindings, left) not in rule.domain:
        return False
    found = [(key, bindings[name].dtype) for name, key in typing.value_types.items()]
    found.append((typing.left_types[id(rule.left)], left))
    known: dict[str, DType] = {}
    return all(
        known.setdefault(key, dtype) == dtype and (not key.isidentifier() or dtype.scalar.name == key)
        for key, dtype in found
    )


@lru_cache(4096)
def _typing(rule: Rule) -> Typing:
    return infer(rule)


@lru_cache(4096)
def _limited(rule: Rule) -> str | None:
    return limited_value(rule)
