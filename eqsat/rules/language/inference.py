"""Infers the dtype and the shape of every part of a rule, as far as the rule itself fixes them.

Each pattern gets a *type key* and a *shape key*. Two patterns with the same key have the same dtype (or shape) in every match. A type key is
`BOOL`, a literal dtype, a `Type` variable of the rule, or an anonymous variable; a shape key is an anonymous variable. On the right side,
the shape of a movement and the dtype of an operation on vectors have keys of their own: they are computed when the rule is applied.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from eqsat.dtype import ALL, DType, bool_, index
from eqsat.errors import RuleError
from eqsat.ops import ALONG_AXES, COMPARISON, MOVEMENT, Op
from eqsat.rules.language.pattern import Constant, Node, Pattern, Value
from eqsat.rules.language.rule import Rule
from eqsat.rules.language.scalar import Number, Scalar, Type
from eqsat.rules.language.structure import RETYPED, Role, roles_of

BOOL = bool_.name
INDEX = index.name
_LITERALS = {dtype.name: dtype for dtype in ALL}
RESHAPED = MOVEMENT | ALONG_AXES  # operations whose result may have another shape


@dataclass(slots=True)
class Typing:
    """The keys of a rule's patterns, by the identity of the pattern object, and of its values, by name.

    The sides have separate maps, because the same `Node` object may stand on both. The dtypes of keys in `derived` follow from other dtypes.
    """

    left_types: dict[int, str] = field(default_factory=dict[int, str])
    left_shapes: dict[int, str] = field(default_factory=dict[int, str])
    right_types: dict[int, str] = field(default_factory=dict[int, str])
    right_shapes: dict[int, str] = field(default_factory=dict[int, str])
    value_types: dict[str, str] = field(default_factory=dict[str, str])
    value_shapes: dict[str, str] = field(default_factory=dict[str, str])
    principal: str = ""
    derived: frozenset[str] = frozenset()


def infer(rule: Rule) -> Typing:
    """The keys of all patterns of `rule`; `principal` is the type key that the rule's domain limits.

    Raises:
        RuleError: a place requires two different literal dtypes, the two sides differ in dtype, or no dtype of the domain fits.
    """
    walker = _Inference(rule)
    walker.walk_left()
    walker.walk_right()
    typing = walker.resolved()
    literal = _LITERALS.get(typing.principal)
    if literal is not None and literal not in rule.domain:
        raise RuleError(
            f"rule {rule.name!r}: its first value is {literal}, whatever it matches, and its domain excludes that; name it there, or correct a side"
        )
    return typing


def limited_value(rule: Rule) -> str | None:
    """The name of the value whose dtype the rule's domain limits; None if the domain limits the dtype of constants or of the left side as a whole."""
    typing = infer(rule)
    return next((name for name, key in typing.value_types.items() if key == typing.principal), None)


class _Inference:
    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.typing = Typing()
        self.parent: dict[str, str] = {}
        self.derived: set[str] = set()
        self.count = 0

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def find(self, key: str) -> str:
        while key in self.parent:
            key = self.parent[key]
        return key

    def unify(self, left: str, right: str) -> None:
        left, right = self.find(left), self.find(right)
        if left == right:
            return
        if _is_anonymous(left):
            self.parent[left] = right
        elif _is_anonymous(right):
            self.parent[right] = left
        else:
            raise RuleError(
                f"rule {self.rule.name!r}: a place would have to be both {left} and {right}; add a cast"
            )

    def walk_left(self) -> None:
        typing = self.typing
        stack: list[tuple[Pattern, str, str]] = [(self.rule.left, self.fresh("?d"), self.fresh("?s"))]
        operand_keys: list[str] = []
        while stack:
            pattern, dtype, shape = stack.pop()
            typing.left_types[id(pattern)] = dtype
            typing.left_shapes[id(pattern)] = shape
            if isinstance(pattern, Value):
                self.unify(typing.value_types.setdefault(pattern.name, dtype), dtype)
                self.unify(typing.value_shapes.setdefault(pattern.name, shape), shape)
                operand_keys.append(dtype)
            elif isinstance(pattern, Node):
                children = self.operands(pattern, dtype, shape)
                operand_keys.extend(key for source, key, _ in children if isinstance(source, Constant))
                stack.extend(reversed(children))
        values = [key for key in typing.value_types.values() if self.find(key) != BOOL]
        constants = [key for key in operand_keys if self.find(key) != BOOL]
        typing.principal = (values or constants or [typing.left_types[id(self.rule.left)]])[0]

    def operands(self, node: Node, dtype: str, shape: str) -> list[tuple[Pattern, str, str]]:
        """The operands of a node on the left side, with their keys, which follow from the keys of the result."""
        if (roles := roles_of(node.op, len(node.src))) is not None:
            return self.sources(node, roles, dtype, shape)
        if node.op in COMPARISON:
            self.unify(dtype, BOOL)
            dtype = self.fresh("?d")
        elif node.dtype is not None:
            self.unify(dtype, _dtype_key(node.dtype))
            dtype = self.fresh("?d")
        if node.op in RESHAPED:
            shape = self.fresh("?s")
        types = [BOOL, dtype, dtype] if node.op is Op.WHERE else [dtype] * len(node.src)
        return [(source, key, shape) for source, key in zip(node.src, types, strict=True)]

    def sources(
        self, node: Node, roles: Sequence[Role], dtype: str, shape: str
    ) -> list[tuple[Pattern, str, str]]:
        """The sources of a structural operation on the left side, with their keys."""
        if node.dtype is not None:
            self.unify(dtype, _dtype_key(node.dtype))
            dtype = self.fresh("?d")
        if node.op in RETYPED:
            self.derived.add(dtype)
        lane = self.fresh("?d")
        places = {
            Role.SAME: (dtype, shape),
            Role.LANE: (lane, shape),
            Role.POSITION: (INDEX, shape),
            Role.GATE: (BOOL, shape),
        }
        return [
            (source, *places.get(role, (dtype, self.fresh("?s"))))
            for source, role in zip(node.src, roles, strict=True)
        ]

    def walk_right(self) -> None:
        root = self.rule.right
        dtype, shape = self.typing.left_types[id(self.rule.left)], self.typing.left_shapes[id(self.rule.left)]
        found = self.right_type(root)
        if found is not None and not is_computed(found):
            self.unify(found, dtype)
        self.settle(root, dtype, shape)

    def right_type(self, pattern: Pattern) -> str | None:
        """The type key of a pattern on the right side, found from its operands; None if it consists of constants only."""
        if isinstance(pattern, Value):
            return self.typing.value_types[pattern.name]
        if not isinstance(pattern, Node):
            return None
        if pattern.op in COMPARISON:
            return BOOL
        if pattern.op in RETYPED or (pattern.op is Op.LOAD and pattern.dtype is not None):
            return f"!{id(pattern)}"
        if pattern.dtype is not None:
            return _dtype_key(pattern.dtype)
        return self.operand_type(pattern)

    def operand_type(self, node: Node) -> str | None:
        """The type key of the data operands of a node on the right side; None if they do not fix it."""
        for position, source in enumerate(node.src):
            found = (
                None if is_label(node, position) or _has_own_type(node, position) else self.right_type(source)
            )
            if found is not None:
                return found
        return None

    def right_shape(self, pattern: Pattern) -> str | None:
        if isinstance(pattern, Value):
            return self.typing.value_shapes[pattern.name]
        if not isinstance(pattern, Node):
            return None
        if pattern.op in RESHAPED:
            return f"!{id(pattern)}"
        sources = pattern.src[1:] if pattern.op is Op.INDEX else pattern.src  # a buffer's shape is its own
        return next((found for source in sources if (found := self.right_shape(source)) is not None), None)

    def shape_below(self, node: Node) -> str | None:
        """The shape key of the sources of a node; None if they do not fix it."""
        return next((found for source in node.src if (found := self.right_shape(source)) is not None), None)

    def settle(self, root: Pattern, dtype: str, shape: str) -> None:
        """Fixes the keys on the right side from the root down. A constant takes the keys of its neighbours, or else those of its place."""
        stack = [(root, dtype, shape)]
        while stack:
            pattern, dtype, shape = stack.pop()
            self.typing.right_types[id(pattern)] = self.right_type(pattern) or dtype
            self.typing.right_shapes[id(pattern)] = own = self.right_shape(pattern) or shape
            if not isinstance(pattern, Node):
                continue
            operand = self.operand_type(pattern) or dtype
            if pattern.op in RESHAPED:
                own = self.shape_below(pattern) or shape
            stack.extend(
                (source, _has_own_type(pattern, position) or operand, own)
                for position, source in enumerate(pattern.src)
            )

    def resolved(self) -> Typing:
        typing = self.typing
        for keys in (typing.left_types, typing.left_shapes, typing.right_types, typing.right_shapes):
            keys.update({pattern: self.find(key) for pattern, key in keys.items()})
        for keys in (typing.value_types, typing.value_shapes):
            keys.update({name: self.find(key) for name, key in keys.items()})
        typing.principal = self.find(typing.principal)
        typing.derived = frozenset(map(self.find, self.derived))
        return typing


def is_computed(key: str) -> bool:
    """Whether a key stands for a dtype or shape on the right side that is computed when the rule is applied."""
    return key.startswith("!")


def is_label(node: Node, position: int) -> bool:
    """Whether a source holds labels, whose dtype does not depend on the other sources."""
    return node.op is Op.SCATTER_AXIS and position == 1


def _has_own_type(node: Node, position: int) -> str | None:
    """The type key of a source whose dtype does not depend on the node's: a condition, gate or position. None for other sources."""
    if node.op is Op.WHERE:
        return BOOL if position == 0 else None
    roles = roles_of(node.op, len(node.src))
    return None if roles is None else {Role.GATE: BOOL, Role.POSITION: INDEX}.get(roles[position])


def _is_anonymous(key: str) -> bool:
    return key.startswith("?")


def _dtype_key(dtype: Scalar) -> str:
    if isinstance(dtype, Type):
        return f"${dtype.name}"
    if isinstance(dtype, Number) and isinstance(dtype.value, DType):
        return dtype.value.name
    raise RuleError("the target of a cast must be a DType or a Type variable of the rule")
