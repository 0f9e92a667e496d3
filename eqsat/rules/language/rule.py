"""Declaring rewrite rules.

A rule is a value: a name, a claim in words, an equation between two patterns, a guard, the dtypes it holds for, and how
exact it is. One declaration is read by the e-graph, by the sampler, by the prover and by people.

    division = Topic("division")

    @division.rule(INDEX)
    def divide_undoes_multiply(x: Value, c: Const) -> Rewrite:
        '''A product divided by its own nonzero factor is the other factor.'''
        return rewrite((x * c) // c, x, where=c != 0)

The parameters are the pattern variables; their annotations say what they match:

- `Value`: any value; used twice, it matches the same value twice. `lo(x)`, `hi(x)`, `shape_of(x)`, `dtype_of(x)` are facts for guards.
- `Const`: a constant (of any shape). In guards and in computed constants it stands for its value: `x * (c * d)` holds one constant.
- `Arg`: the argument of a movement or reduction: `reshape(x, s)`, `permute(x, p)`, `reduce_axis(Op.ADD, x, axes)`.
- `Type`: a dtype: `cast(x, t)`.

Dtypes and shapes are inferred: operands of arithmetic agree, comparisons and conditions are bools, numbers and constants
take the dtype and shape that their place requires. The *domain* says which dtypes the rule holds for: it limits the first value in the left
side whose dtype is not already fixed by its place. Functions decorated with `@pure` compute arguments, constants and guards
from scalars; when one returns `None`, the rule does not apply. A right side whose shapes do not fit is not built.

Sums, products, MAX/MIN and AND/OR/XOR of integers, indices and bools are canonical: order and grouping do not matter, and
constants and like terms are collected before rules see them. So state each equation once, with two operands:
`x // c * c + x % c == x` also applies inside a longer sum. A bare `Value` that is an operand of a sum *inside* a pattern
matches all the remaining operands together: `(x * c + y) // c` splits any sum into its multiples of `c` and the rest.
A difference of integers is a sum: write `x + y * -1`. For floats, ADD, MUL, MAX and MIN commute but do not associate.
A `Value` that is the last operand in several sums inside a pattern stands for the same remaining operands in each.

Loads, vectors and marks on values are patterns too (`load(index(p, i, g), y)`, `vectorize`, `cat`, `gep`): `rules.language.structure` lists them.
In such patterns the dtype of the first variable may be a vector dtype: `VECTORS` and `FLOAT_VECTORS` are domains of these.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple, cast

from eqsat import dtype as dtypes
from eqsat.dtype import DType
from eqsat.errors import RuleError, brief
from eqsat.ops import Op
from eqsat.rules.language.checking import require_well_formed
from eqsat.rules.language.facts import Fact
from eqsat.rules.language.pattern import Constant, Node, Pattern, Value, as_pattern
from eqsat.rules.language.scalar import Arg, Call, Const, Number, Operation, Scalar, Type
from eqsat.rules.language.structure import vectors_of

Domain = frozenset[DType]

INDEX: Domain = frozenset({dtypes.index})
BOOL: Domain = frozenset({dtypes.bool_})
SIGNED: Domain = frozenset(dtypes.SIGNED)
UNSIGNED: Domain = frozenset(dtypes.UNSIGNED)
INTS: Domain = SIGNED | UNSIGNED  # fixed width: they wrap
INTEGERS: Domain = INTS | INDEX
FLOATS: Domain = frozenset(dtypes.FLOATS)
NUMBERS: Domain = INTEGERS | FLOATS
ANY: Domain = NUMBERS | BOOL
FLOAT_VECTORS: Domain = vectors_of(FLOATS)
VECTORS: Domain = vectors_of(ANY)

# The level of optimization at which Python drops docstrings: rules then have no claim in words
WITHOUT_DOCSTRINGS = 2


class Soundness(Enum):
    """In which sense the two sides are equal."""

    EXACT = "exact"  # bitwise, NaN payloads aside
    FINITE = "finite"  # unless a NaN, an infinity or the sign of a zero is involved
    REAL = "real"  # over the real numbers: reassociation, contraction


class Phase(Enum):
    """When a rule is applied."""

    SIMPLIFY = "simplify"  # terms never grow; run until nothing changes
    EXPLORE = "explore"  # adds alternatives; run a bounded number of times


@dataclass(frozen=True, slots=True)
class Rewrite:
    """The result of a rule's function; see `rewrite`."""

    left: Pattern
    right: Pattern
    where: Scalar | None
    both_ways: bool


def rewrite(left: Any, right: Any, where: Any = None, *, both_ways: bool = False) -> Rewrite:
    """The claim that `left` equals `right` wherever the guard `where` holds.

    `left` is matched and `right` is added to its class; with `both_ways`, also the other way round. The guard is a scalar
    expression over constants, arguments and facts of variables; join parts with `&`.
    """
    guard = Number(where) if isinstance(where, bool) else where
    return Rewrite(as_pattern(left), as_pattern(right), guard, both_ways)


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """One rewrite rule, with everything its readers need.

    Attributes:
        name: unique in its rule set; reports and explanations call the rule by it.
        claim: its docstring.
        variables: its pattern variables by name, in the order of declaration.
        domain: the dtypes it holds for.
        citation: the source of the rule, if it has one.
    """

    name: str
    topic: str
    claim: str
    variables: dict[str, Value | Const | Arg | Type]
    left: Pattern
    right: Pattern
    where: Scalar | None
    both_ways: bool
    domain: Domain
    soundness: Soundness
    phase: Phase
    citation: str = ""

    def __repr__(self) -> str:
        return f"Rule({self.topic}.{self.name})"


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Rules in a fixed order, with distinct names. `a + b` joins two; `ruleset.admitting(...)` selects the rules that are exact enough.

    Raises:
        RuleError: two rules have the same name.
    """

    rules: tuple[Rule, ...] = ()

    def __post_init__(self) -> None:
        seen: dict[str, Rule] = {}
        for rule in self.rules:
            if rule.name in seen:
                topics = f"{seen[rule.name].topic!r} and {rule.topic!r}"
                raise RuleError(f"two rules are named {rule.name!r}, in topics {topics}; rename one")
            seen[rule.name] = rule

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __len__(self) -> int:
        return len(self.rules)

    def __add__(self, other: Any) -> RuleSet:
        return RuleSet(self.rules + other.rules) if isinstance(other, RuleSet) else NotImplemented

    def admitting(self, soundness: Iterable[Soundness]) -> RuleSet:
        """The rules whose soundness is one of these."""
        admitted = frozenset(soundness)
        return RuleSet(tuple(rule for rule in self.rules if rule.soundness in admitted))

    def without(self, *names: str) -> RuleSet:
        """All rules except the rules with these names.

        Raises:
            RuleError: there is no rule with one of these names.
        """
        unknown = set(names) - {rule.name for rule in self.rules}
        if unknown:
            raise RuleError(f"there is no rule named {min(unknown)!r}; `eqsat rules` lists them")
        return RuleSet(tuple(rule for rule in self.rules if rule.name not in names))


RuleFunction = Callable[..., Rewrite]


@dataclass(slots=True)
class Topic:
    """A named group of rules, filled by its decorators at import and read through `ruleset`."""

    name: str
    _rules: dict[str, Rule] = field(default_factory=dict[str, Rule])

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and self.name):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise RuleError(f"{brief(self.name)} is no name of a topic; give some text")

    @property
    def ruleset(self) -> RuleSet:
        """The rules declared so far."""
        return RuleSet(tuple(self._rules.values()))

    def rule(self, domain: Iterable[DType], *, soundness: Soundness = Soundness.EXACT, phase: Phase = Phase.SIMPLIFY,
             over: Sequence[Op | int | DType] | None = None, citation: str = "") -> Callable[[RuleFunction], RuleFunction]:  # fmt: skip
        """Declares the decorated function's equation as a rule.

        Args:
            domain: the dtypes that the rule holds for.
            soundness: in which sense the sides are equal.
            phase: when the rule is applied.
            over: the members of a family of rules; the function's first parameter is one of them. A member is an operation (use `apply(op, …)`),
                the number of variables that a parameter `*xs` stands for (`xs0`, `xs1`, …), or a dtype, which then is the domain. Each member
                is a rule of its own, named `name_op`, `name_number` or `name_dtype`; `{op}` in the docstring is replaced by the member.
            citation: the source of the rule.

        Raises:
            RuleError: the function has no docstring, a variable is unbound or unannotated, or the name is taken.
        """
        members = (None,) if over is None else tuple(over)
        _require_options(domain, soundness, phase, members)

        def declare(function: RuleFunction) -> RuleFunction:
            written = _Written.of(function)
            for op in members:
                own = {op} if isinstance(op, DType) else domain
                rule = _read(written, op, self.name, frozenset(own), soundness, phase, citation)
                if rule.name in self._rules:
                    raise RuleError(f"topic {self.name!r} has two rules named {rule.name!r}; rename one")
                self._rules[rule.name] = rule
            return function

        return declare


def _require_options(domain: Any, soundness: Any, phase: Any, members: tuple[Any, ...]) -> None:
    if not isinstance(domain, Iterable) or not all(
        isinstance(dtype, DType) for dtype in cast("Iterable[Any]", domain)
    ):
        raise RuleError(f"{brief(domain)} is no domain; give dtypes, such as INDEX or FLOATS")
    if not (isinstance(soundness, Soundness) and isinstance(phase, Phase)):
        raise RuleError(
            f"soundness={brief(soundness)}, phase={brief(phase)}: take members of Soundness and of Phase"
        )
    if not members or not all(isinstance(each, Op | int | DType | None) for each in members):
        raise RuleError(
            f"a family over {brief(members)} has no members; give operations, numbers of variables or dtypes"
        )


class _Parameter(NamedTuple):
    """A parameter of the function of a declaration: its name, its annotation, and whether it stands for several variables."""

    name: str
    kind: Any
    is_variadic: bool


class _Written(NamedTuple):
    """The function of a declaration, with the claim and the parameters that all members of a family share."""

    function: RuleFunction
    claim: str
    parameters: list[_Parameter]

    @staticmethod
    def of(function: RuleFunction) -> _Written:
        """Reads the claim and the parameters of a function. An annotation that is a plain name is looked up, which is faster than evaluating it."""
        names = getattr(function, "__globals__", {})
        found = list(inspect.signature(function).parameters.values())
        if any(isinstance(each.annotation, str) and each.annotation not in names for each in found):
            found = list(inspect.signature(function, eval_str=True).parameters.values())
        parameters = [
            _Parameter(
                each.name,
                names[each.annotation] if isinstance(each.annotation, str) else each.annotation,
                each.kind is inspect.Parameter.VAR_POSITIONAL,
            )
            for each in found
        ]
        return _Written(function, inspect.getdoc(function) or "", parameters)


def _read(written: _Written, op: Op | int | DType | None, topic: str, domain: Domain, soundness: Soundness, phase: Phase,
          citation: str) -> Rule:  # fmt: skip
    function, claim, parameters = written
    member = op.name if isinstance(op, Op | DType) else "" if op is None else str(op)
    name = function.__name__ + (f"_{member.lower()}" if member else "")
    if not claim and sys.flags.optimize < WITHOUT_DOCSTRINGS:
        raise RuleError(f"rule {name!r} has no docstring; say in a sentence what it claims")
    if not domain:
        raise RuleError(f"rule {name!r} holds for no dtype; give it a domain such as INDEX or FLOATS")
    own = parameters if op is None else parameters[1:]
    variables = {
        each: _variable(name, each, parameter)
        for parameter in own
        for each in _variable_names(parameter, op if isinstance(op, int) else 0)
    }
    equation: Any = function(*([] if op is None else [op]), *variables.values())
    if not isinstance(equation, Rewrite):
        raise RuleError(f"rule {name!r} returns {brief(equation)}; return rewrite(left, right)")
    rule = Rule(name, topic, claim.replace("{op}", member), variables, equation.left, equation.right,
                equation.where, equation.both_ways, domain, soundness, phase, citation)  # fmt: skip
    require_well_formed(rule)
    return rule


def _variable_names(parameter: _Parameter, count: int) -> list[str]:
    """The variables that a parameter stands for."""
    return (
        [f"{parameter.name}{number}" for number in range(count)]
        if parameter.is_variadic
        else [parameter.name]
    )


def _variable(rule: str, name: str, parameter: _Parameter) -> Value | Const | Arg | Type:
    if parameter.kind not in (Value, Const, Arg, Type):
        raise RuleError(f"rule {rule!r}: annotate {parameter.name!r} as Value, Const, Arg or Type")
    return parameter.kind(name)


def bounded_values(rule: Rule) -> list[str]:
    """The names of the values whose bounds the guard, or a computed constant, reads."""
    return _values_with(rule, {"lo", "hi"})


def counted_values(rule: Rule) -> list[str]:
    """The names of the values whose axis of positions the guard, or a computed argument, reads."""
    return _values_with(rule, {"axis"})


def _values_with(rule: Rule, kinds: set[str]) -> list[str]:
    """The names of the values about which a rule reads facts of these kinds."""
    found: dict[str, None] = {}
    pending: list[Pattern | Scalar] = [
        rule.left,
        rule.right,
        *([rule.where] if rule.where is not None else []),
    ]
    while pending:
        match pending.pop():
            case Fact(kind, Value(name)) if kind in kinds:
                found[name] = None
            case Constant(value):
                pending.append(value)
            case Node(_, src, fields):
                pending += [*src, *fields]
            case Operation(_, operands) | Call(_, operands):
                pending += operands
            case _:
                continue
    return sorted(found)
