"""What is to be shown of a rule: that it holds for one dtype for each of its free types.

A rule over `cast(cast(x, t), u)` has three free types, so it has an obligation for each triple of dtypes that its left side can be built with
and that its guard does not exclude; most rules have one free type, which their domain limits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from types import SimpleNamespace
from typing import Any

from eqsat.dtype import ALL, DType
from eqsat.ops import MOVEMENT, Op
from eqsat.rules.inference import Typing, infer
from eqsat.rules.instantiate import evaluate
from eqsat.rules.pattern import Const, Constant, Node, Type
from eqsat.rules.rule import Rule, nodes_of

_LITERALS = {dtype.name: dtype for dtype in ALL}


@dataclass(frozen=True, slots=True, eq=False)
class Obligation:
    """One rule on one choice of dtypes.

    Attributes:
        rule: the rule.
        typing: which parts of it share a dtype.
        types: the dtype of each free type key; the first one is that which the rule's domain limits.
        values: the dtype of each value and dtype variable, by name.
        constants: the dtype of each constant, by name.
    """

    rule: Rule
    typing: Typing = field(repr=False)
    types: Mapping[str, DType]
    values: Mapping[str, DType] = field(init=False, repr=False)
    constants: Mapping[str, DType] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        variables = {name: self.dtype_of(key) for name, key in self.typing.value_types.items()}
        chosen = {key[1:]: dtype for key, dtype in self.types.items() if key.startswith("$")}
        object.__setattr__(self, "values", variables | chosen)
        object.__setattr__(self, "constants", self._constants())

    def _constants(self) -> dict[str, DType]:
        left = self.typing.left_types
        sources = [source for node in nodes_of(self.rule.left) for source in node.src]
        return {
            source.value.name: self.dtype_of(left[id(source)])
            for source in sources
            if isinstance(source, Constant) and isinstance(source.value, Const)
        }

    @property
    def dtype(self) -> DType:
        """The dtype that the rule's domain limits."""
        return next(iter(self.types.values()))

    @property
    def dtypes(self) -> str:
        """The choice of dtypes in words: `int8`, or `x: int8, t: int16` where there are several."""
        if len(self.types) == 1:
            return self.dtype.name
        return ", ".join(f"{name}: {dtype}" for name, dtype in self.values.items())

    def dtype_of(self, key: str) -> DType:
        """The dtype that a type key of the rule stands for."""
        return _LITERALS[key] if _is_literal(key) else self.types[key]

    @property
    def dtype_of_left(self) -> DType:
        """The dtype of both sides."""
        return self.dtype_of(self.typing.left_types[id(self.rule.left)])

    @property
    def is_integral(self) -> bool:
        """Whether no part of either side is a float."""
        keys = {*self.typing.left_types.values(), *self.typing.right_types.values()}
        return not any(self.dtype_of(key).is_float for key in keys)

    @property
    def is_pointwise(self) -> bool:
        """Whether nothing moves or is reduced, so that every element is a claim of its own."""
        return is_pointwise(self.rule)


def is_pointwise(rule: Rule) -> bool:
    """Whether nothing in a rule moves or is reduced."""
    nodes = nodes_of(rule.left, rule.right)
    return not any(node.op in MOVEMENT or node.op is Op.REDUCE_AXIS for node in nodes)


def obligations(rules: Iterable[Rule], dtypes: Collection[DType] | None = None) -> list[Obligation]:
    """Everything that is to be shown of `rules`, in a fixed order; where `dtypes` are given, on these alone."""
    return [obligation for rule in rules for obligation in _of_rule(rule, dtypes)]


def _of_rule(rule: Rule, dtypes: Collection[DType] | None) -> list[Obligation]:
    typing = infer(rule)
    principal, *others = _free_keys(rule, typing)
    admitted = [dtype for dtype in ALL if dtypes is None or dtype in dtypes]
    fixed = {_LITERALS[principal]} if _is_literal(principal) else rule.domain
    first = [dtype for dtype in admitted if dtype in rule.domain & fixed]
    choices = product(first, *([admitted] * len(others)))
    found = [
        Obligation(rule, typing, dict(zip((principal, *others), chosen, strict=True))) for chosen in choices
    ]
    return [obligation for obligation in found if _is_legal(obligation) and _may_hold(obligation)]


def _free_keys(rule: Rule, typing: Typing) -> list[str]:
    variables = [f"${variable.name}" for variable in rule.variables.values() if isinstance(variable, Type)]
    keys = [typing.principal, *typing.value_types.values(), *variables, *typing.left_types.values()]
    return list(dict.fromkeys(key for key in keys if key == typing.principal or not _is_literal(key)))


def _is_literal(key: str) -> bool:
    return key in _LITERALS


def _is_legal(obligation: Obligation) -> bool:
    """Whether the left side can be built: not every dtype can be cast to every other."""
    return all(_may_convert(obligation, node) for node in nodes_of(obligation.rule.left))


def _may_convert(obligation: Obligation, node: Node) -> bool:
    if node.op not in (Op.CAST, Op.BITCAST):
        return True
    keys = obligation.typing.left_types
    source, target = obligation.dtype_of(keys[id(node.src[0])]), obligation.dtype_of(keys[id(node)])
    if node.op is Op.CAST:
        return not (target.is_index and source.is_float)  # an index is cast from integers only
    return source.itemsize == target.itemsize and not source.is_index and not target.is_index


def _may_hold(obligation: Obligation) -> bool:
    """False where dtypes alone decide that the guard fails."""
    rule = obligation.rule
    return rule.where is None or evaluate(rule.where, known_types(obligation)) is not False


def known_types(obligation: Obligation) -> dict[str, Any]:
    """What is known of the rule's variables before a match: dtypes. None stands for what is not."""
    bindings: dict[str, Any] = dict.fromkeys(obligation.rule.variables)
    for name, dtype in obligation.values.items():
        is_type = isinstance(obligation.rule.variables[name], Type)
        bindings[name] = dtype if is_type else SimpleNamespace(dtype=dtype, shape=None)
    return bindings
