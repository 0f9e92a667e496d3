"""A variant of a rule, for one kind of dtype (integer, index, bool, float). The compilers of both sides share it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product
from typing import NamedTuple

from eqsat import dtype as dtypes
from eqsat.dtype import wrap
from eqsat.egraph.tables.callbacks import float_bits
from eqsat.egraph.tables.schema import SCALARS, kind_of, nary_op, table_of
from eqsat.egraph.tables.syntax import Expression, Fact, call, holds, text, variable
from eqsat.errors import RuleError
from eqsat.ops import COMPARISON, Op
from eqsat.rules.language import facts
from eqsat.rules.language.inference import BOOL, Typing, infer
from eqsat.rules.language.pattern import Constant, Node, Pattern, Value
from eqsat.rules.language.rule import VECTORS, Domain, Rule
from eqsat.rules.language.scalar import Call, Const, Number, Operation, Scalar
from eqsat.rules.language.structure import LANED, roles_of
from eqsat.rules.language.walking import variables_of_scalar

KINDS = SCALARS
OF_KIND = {kind: frozenset(dtype for dtype in dtypes.ALL if kind_of(dtype) == kind) for kind in KINDS}
OF_KIND["v"] = VECTORS
_KIND_OF_NAME = {dtype.name: kind_of(dtype) for dtype in dtypes.ALL}
_STORED_BY_KIND = frozenset(
    {Op.ADD, Op.MUL, Op.MAX, Op.MIN, Op.AND, Op.OR, Op.XOR, Op.SUB, Op.NEG, Op.MULACC}
)
_SUMS_OF_INTEGERS = frozenset({Op.SUB, Op.NEG, Op.MULACC})  # operations that `as_sums` replaces


@dataclass(frozen=True, slots=True)
class Variant:
    """A rule with the kind of every type key chosen.

    Attributes:
        domain: the dtypes of the principal type key: all of one kind, or the rule's whole domain if kinds do not matter.
        kinds: the kind of each type key whose kind matters.
    """

    rule: Rule
    typing: Typing
    domain: Domain
    kinds: dict[str, str]

    def kind(self, key: str) -> str:
        """The kind of a type key; 'f' if the kind does not matter for how terms are stored."""
        return self.kinds.get(key, "f")

    def dtype(self, key: str) -> Expression:
        """The dtype with this key, as an egglog String."""
        if self._is_one(key):
            return text(next(iter(self.domain)).name)
        return variable(_dtype_variable(key)) if key[0] in "?$" else text(key)

    def type_facts(self) -> list[Fact]:
        """Facts that limit dtypes to the domain and to the kinds chosen."""
        return [
            holds(call("DOMAIN", text(domain_name(self._limits(key))), self.dtype(key)))
            for key in self._limited
        ]

    @property
    def domains(self) -> dict[str, frozenset[str]]:
        """The names of the dtypes that each egglog variable for a dtype may stand for, if `type_facts` limit it."""
        return {
            _dtype_variable(key): frozenset(dtype.name for dtype in self._limits(key))
            for key in self._limited
        }

    @property
    def _limited(self) -> list[str]:
        """The type keys that stand for several dtypes of one domain or kind."""
        return [key for key in self.kinds if key[0] in "?$" and not self._is_one(key)]

    def fits(self, number: int, key: str) -> bool:
        """Whether every fixed-width dtype that the type key may stand for can hold this number."""
        if self.kind(key) != "i":
            return True
        return all(dtype.min <= number <= dtype.max for dtype in self._limits(key))

    def _is_one(self, key: str) -> bool:
        """Whether a type key can only be one dtype."""
        return key == self.typing.principal and len(self.domain) == 1

    def _limits(self, key: str) -> Domain:
        """The dtypes that a type key may stand for."""
        return self.domain if key == self.typing.principal else OF_KIND[self.kind(key)]

    def may_match(self, kinds: frozenset[str]) -> bool:
        """Whether the left side can occur in a graph that has dtypes of these kinds only."""
        return not any(
            kinds.isdisjoint(self._possible_kinds(key)) for key in set(self.typing.left_types.values())
        )

    @property
    def may_apply(self) -> bool:
        """Whether the guard may hold for some dtypes of these kinds, judged by the dtypes alone."""
        return self.rule.where is None or self._may_hold(self.rule.where)

    def _may_hold(self, condition: Scalar) -> bool:
        """Whether a condition may hold for some dtypes of these kinds. True if it depends on anything but a single dtype."""
        match condition:
            case Operation("and", conditions):
                return all(map(self._may_hold, conditions))
            case Call(function, (facts.Fact("dtype", Value(name)),)):
                wanted = True
            case Operation("not", (Call(function, (facts.Fact("dtype", Value(name)),)),)):
                wanted = False
            case _:
                return True
        key = self.typing.value_types.get(name)
        if key not in self.kinds:
            return True
        return any(bool(function.function(dtype)) is wanted for dtype in self._limits(key))

    def _possible_kinds(self, key: str) -> frozenset[str]:
        if key == self.typing.principal:
            return frozenset(map(kind_of, self.domain))
        if key[0] in "?$":
            return frozenset(self.kinds.get(key, [*OF_KIND]))
        return frozenset(self.kinds[key])

    def literal(self, number: bool | int | float, key: str) -> int:
        """A number written in the rule, as the bits of a constant with this type key."""
        kind = self.kind(key)
        if kind == "f":
            return float_bits(float(number))
        if int(number) != number:
            raise RuleError(
                f"rule {self.rule.name!r}: {number} is no integer, but its place may be one; narrow the domain"
            )
        if number < 0 and self._is_one(key):
            return int(wrap(next(iter(self.domain)), int(number)))
        return int(number)


def _dtype_variable(key: str) -> str:
    return f"d_{key[1:]}"


def domain_name(domain: Domain) -> str:
    """The name of a set of dtypes in the DOMAIN table."""
    return " ".join(sorted(dtype.name for dtype in domain))


class _Sides(NamedTuple):
    """All patterns inside each side of a rule; the first one is the whole side."""

    left: list[Pattern]
    right: list[Pattern]

    @staticmethod
    def of(declared: Rule) -> _Sides:
        return _Sides(patterns_of(declared.left), patterns_of(declared.right))

    @property
    def parts(self) -> list[Pattern]:
        return self.left + self.right


def variants_of(declared: Rule) -> list[Variant]:
    """One variant for every combination of a kind in the rule's domain with kinds that the other dtypes in the rule may have.

    If the storage of its terms does not depend on the kind, one variant covers the whole domain.
    """
    found: list[Variant] = []
    # By whether `_lowered` rewrites the rule: the rule, its typing, and its keys stored by kind
    forms: dict[bool, tuple[Rule, Typing, list[str]]] = {}
    written = _Sides.of(declared)
    has_others = any(isinstance(part, Node) and part.op in _SUMS_OF_INTEGERS for part in written.parts)
    for domain in _split_domain(declared.domain, written):
        kind = kind_of(next(iter(domain)))
        is_lowered = has_others and kind in "ix"
        if is_lowered not in forms:
            lowered = _lowered(declared) if is_lowered else declared
            sides = _Sides.of(lowered) if is_lowered else written
            typing = infer(lowered)
            forms[is_lowered] = lowered, typing, _keys_stored_by_kind(lowered.where, sides, typing)
        lowered, typing, stored = forms[is_lowered]
        if is_lowered and repr(lowered.left) == repr(lowered.right):
            continue  # `x - y` and `x + y * -1` are one term; patterns are equal only to themselves
        if typing.principal == BOOL and kind != "b":
            continue
        others = [key for key in stored if key != typing.principal]
        for kinds in product(KINDS, repeat=len(others)):
            chosen = {**_KIND_OF_NAME, **dict(zip(others, kinds, strict=True))}
            chosen[typing.principal] = kind
            if typing.principal in stored or typing.principal == BOOL:
                found.append(Variant(lowered, typing, domain, chosen))
            else:
                found.append(Variant(lowered, typing, declared.domain, chosen))
        if typing.principal not in stored and typing.principal != BOOL:
            break
    return found


def _split_domain(domain: Domain, sides: _Sides) -> list[Domain]:
    """Splits the domain by kind. If the rule has a negative number, each unsigned dtype is separate, since the constant differs."""
    groups: list[Domain] = []
    for members in OF_KIND.values():
        members &= domain
        unsigned = [dtype for dtype in dtypes.UNSIGNED if dtype in members]
        if unsigned and _has_negative_numbers(sides):
            groups += [frozenset({dtype}) for dtype in unsigned]
            members -= frozenset(unsigned)
        if members:
            groups.append(members)
    return groups


def _has_negative_numbers(sides: _Sides) -> bool:
    for pattern in sides.parts:
        if isinstance(pattern, Node) and pattern.op in (Op.SUB, Op.NEG):
            return True
        if isinstance(pattern, Constant) and isinstance(pattern.value, Number) and pattern.value.value < 0:
            return True
    return False


def _keys_stored_by_kind(where: Scalar | None, sides: _Sides, typing: Typing) -> list[str]:
    """The variable type keys whose kind decides how a pattern is stored, or how the bits of a constant are read."""
    computed = _variables_computed_with(where, sides)
    keys: dict[str, None] = {}
    for parts, types in ((sides.left, typing.left_types), (sides.right, typing.right_types)):
        for pattern in parts:
            match pattern:
                case Constant(Const(name)):
                    stored_by_kind = name in computed
                case Constant():
                    stored_by_kind = True
                case Node():
                    stored_by_kind = pattern.op in _STORED_BY_KIND
                case _:
                    stored_by_kind = False
            if stored_by_kind and types[id(pattern)][0] in "?$":
                keys[types[id(pattern)]] = None
    return list(keys)


def _variables_computed_with(where: Scalar | None, sides: _Sides) -> set[str]:
    """The names of variables whose values the guard, an argument or a computed constant reads."""
    scalars = [where] if where is not None else []
    for pattern in sides.parts:
        if isinstance(pattern, Constant) and not isinstance(pattern.value, Const):
            scalars.append(pattern.value)
        elif isinstance(pattern, Node):
            scalars += pattern.fields
    return {variable.name for scalar in scalars for variable in variables_of_scalar(scalar)}


def patterns_of(root: Pattern) -> list[Pattern]:
    """Every pattern in `root`, itself first."""
    found: list[Pattern] = []
    stack = [root]
    while stack:
        pattern = stack.pop()
        found.append(pattern)
        if isinstance(pattern, Node):
            stack.extend(reversed(pattern.src))
    return found


def scaled(node: Node, kind: str) -> tuple[Pattern, Constant] | None:
    """The value and the coefficient of an integer product with one constant."""
    if node.op is not Op.MUL or kind not in "ix":
        return None
    left, right = node.src
    if isinstance(left, Constant) == isinstance(right, Constant):
        return None
    return (right, left) if isinstance(left, Constant) else (left, right)  # pyright: ignore[reportReturnType]


def nary_op_of(node: Node, kind: str) -> Op | None:
    """The n-ary operator that stores a node on operands of this kind; None if the node is stored otherwise."""
    return None if node.op in COMPARISON or scaled(node, kind) is not None else nary_op(node.op, kind)


def split_parts(operands: Sequence[Pattern], kind: str) -> tuple[Value, Constant, Value] | None:
    """The parts x, c and y of the operands of a sum `x * c + y`, which the SPLIT table matches as a whole; None for other operands."""
    for multiple, rest in permutations(operands) if len(operands) == 2 else ():
        if isinstance(multiple, Node) and isinstance(rest, Value) and (pair := scaled(multiple, kind)):
            value, coefficient = pair
            if isinstance(value, Value) and isinstance(coefficient.value, Const):
                return value, coefficient, rest
    return None


Place = Sequence[Expression]  # the dtype and the shape of a pattern


def operation(
    node: Node, own: Place, first: Place, last: Place, fields: Sequence[Expression], sources: Place
) -> tuple[str, *tuple[Expression, ...]]:
    """The table of a node's operation, and the columns of its term.

    `own`, `first` and `last` are the places of the node, its first source and its last source; `fields` are the columns of its argument.
    """
    dtype, shape = own
    if roles_of(node.op, len(sources)) is not None:
        lane = first[:1] if node.op in LANED else ()
        return (table_of(node.op, len(sources)), dtype, *lane, shape, *fields, *sources)
    if node.op in COMPARISON:
        columns = [last[0], shape]
    elif node.dtype is not None:
        columns = [dtype, last[0], shape]
    else:
        columns = [dtype, shape, *(last[1:] if node.fields else ())]
    return (node.op.name, *columns, *fields, *sources)


def _lowered(declared: Rule) -> Rule:
    """The rule for integers, with differences and negations written as sums with a coefficient of -1."""
    return replace(declared, left=as_sums(declared.left), right=as_sums(declared.right))


def as_sums(pattern: Pattern) -> Pattern:
    """A pattern over integers without differences, negations and MULACC."""
    if not isinstance(pattern, Node):
        return pattern
    src = tuple(as_sums(source) for source in pattern.src)
    minus_one = Constant(Number(-1))
    match pattern.op:
        case Op.NEG:
            return Node(Op.MUL, (src[0], minus_one))
        case Op.SUB:
            return Node(Op.ADD, (src[0], Node(Op.MUL, (src[1], minus_one))))
        case Op.MULACC:
            return Node(Op.ADD, (Node(Op.MUL, src[:2]), src[2]))
        case _:
            return replace(pattern, src=src)
