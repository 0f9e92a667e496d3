"""Proof obligations: a rule with one dtype chosen for each of its free types.

Most rules have one free type, which their domain limits. A rule over `cast(cast(x, t), u)` has three: it has an obligation for each triple of
dtypes with which its left side can be built and which its guard does not exclude.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from types import SimpleNamespace
from typing import Any

from eqsat.dtype import ALL, DType
from eqsat.ops import ALONG_AXES, ALU, MOVEMENT, Op
from eqsat.rules.language.inference import Typing, infer
from eqsat.rules.language.instantiate import evaluate
from eqsat.rules.language.pattern import Constant, Node
from eqsat.rules.language.rule import Rule, counted_values
from eqsat.rules.language.scalar import Const, Type
from eqsat.rules.language.structure import RETYPED
from eqsat.rules.language.walking import nodes_of

_LITERALS = {dtype.name: dtype for dtype in ALL}
_SAMPLED_LANES = (2, 4)  # lanes of the vectors in obligations; rules do not distinguish numbers of lanes


@dataclass(frozen=True, eq=False)
class Obligation:
    """One rule on one choice of dtypes.

    Attributes:
        rule: the rule.
        typing: which parts of it share a dtype.
        types: the dtype of each free type key. The rule's domain limits the first one.
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
        """The dtype of a type key: the dtype that it names, or the one that is chosen for a free type."""
        return _LITERALS[key] if _is_literal(key) else self.types[key]

    @property
    def dtype_of_left(self) -> DType:
        """The dtype of both sides."""
        return self.dtype_of(self.typing.left_types[id(self.rule.left)])

    @property
    def is_integral(self) -> bool:
        """Whether both sides are free of floats."""
        keys = {*self.typing.left_types.values(), *self.typing.right_types.values()}
        return not any(self.dtype_of(key).is_float for key in keys)

    @cached_property
    def is_pointwise(self) -> bool:
        """Whether both sides only do elementwise arithmetic, so that the rule is a claim about single values."""
        return is_pointwise(self.rule)

    @cached_property
    def is_elementwise(self) -> bool:
        """Whether nothing is moved or reduced, so that each element of the result has a value or not on its own."""
        return self.is_pointwise or not any(node.op in MOVEMENT | ALONG_AXES for node in _nodes(self.rule))

    @cached_property
    def counted_values(self) -> Collection[str]:
        """The names of the values whose axis of positions the rule reads."""
        return counted_values(self.rule)

    @cached_property
    def has_vectors(self) -> bool:
        """Whether the rule builds or reads vectors; then its values are scalars."""
        return any(node.op in RETYPED for node in _nodes(self.rule))


def is_pointwise(rule: Rule) -> bool:
    """Whether a rule only has elementwise arithmetic: no movement, reduction, load or vector, and no element depends on its position."""
    return not counted_values(rule) and all(node.op in ALU for node in _nodes(rule))


def _nodes(rule: Rule) -> list[Node]:
    return nodes_of(rule.left, rule.right)


def obligations(rules: Iterable[Rule], dtypes: Collection[DType] | None = None) -> list[Obligation]:
    """The obligations of some rules, in a fixed order. If `dtypes` are given, only obligations on these dtypes."""
    return [obligation for rule in rules for obligation in _of_rule(rule, dtypes)]


def _of_rule(rule: Rule, dtypes: Collection[DType] | None) -> list[Obligation]:
    typing = infer(rule)
    principal, *others = _free_keys(rule, typing)
    admitted = [dtype for dtype in ALL if dtypes is None or dtype in dtypes]
    fixed = {_LITERALS[principal]} if _is_literal(principal) else rule.domain
    vectors = [dtype.vec(lanes) for dtype in admitted for lanes in _SAMPLED_LANES]
    first = [dtype for dtype in (*admitted, *vectors) if dtype in rule.domain & fixed]
    loaded = {
        f"${node.dtype.name}"
        for node in nodes_of(rule.left)
        if node.op is Op.LOAD and isinstance(node.dtype, Type)
    }
    choices = product(first, *(vectors if key in loaded else admitted for key in others))
    found = [
        Obligation(rule, typing, dict(zip((principal, *others), chosen, strict=True))) for chosen in choices
    ]
    return [obligation for obligation in found if _is_legal(obligation) and _may_hold(obligation)]


def _free_keys(rule: Rule, typing: Typing) -> list[str]:
    variables = [f"${variable.name}" for variable in rule.variables.values() if isinstance(variable, Type)]
    keys = [typing.principal, *typing.value_types.values(), *variables, *typing.left_types.values()]
    free = [key for key in keys if not _is_literal(key) and key not in typing.derived]
    return list(dict.fromkeys([typing.principal, *free]))


def _is_literal(key: str) -> bool:
    return key in _LITERALS


def _is_legal(obligation: Obligation) -> bool:
    """Whether the left side can be built with these dtypes. Some dtypes cannot be cast to some others, or be loaded as them."""
    return all(_may_convert(obligation, node) for node in nodes_of(obligation.rule.left))


def _may_convert(obligation: Obligation, node: Node) -> bool:
    if node.op not in (Op.CAST, Op.BITCAST, Op.LOAD) or node.dtype is None:
        return True
    keys = obligation.typing.left_types
    source, target = obligation.dtype_of(keys[id(node.src[0])]), obligation.dtype_of(keys[id(node)])
    if node.op is Op.LOAD:
        return target.scalar == source
    if node.op is Op.CAST:
        return not (target.is_index and source.is_float)  # an index is cast from integers only
    return source.itemsize == target.itemsize and not source.is_index and not target.is_index


def _may_hold(obligation: Obligation) -> bool:
    """Returns False if the dtypes alone make the guard fail."""
    rule = obligation.rule
    return rule.where is None or evaluate(rule.where, known_types(obligation)) is not False


def known_types(obligation: Obligation) -> dict[str, Any]:
    """The dtypes of the rule's variables; None for a variable whose value only a match decides."""
    bindings: dict[str, Any] = dict.fromkeys(obligation.rule.variables)
    for name, dtype in obligation.values.items():
        is_type = isinstance(obligation.rule.variables[name], Type)
        bindings[name] = dtype if is_type else SimpleNamespace(dtype=dtype, shape=None)
    return bindings
