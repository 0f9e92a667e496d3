"""Egglog rules that every rule set needs: they index multisets by operand, commute operands, propagate bounds of integers, and empty tables.

They are written in egglog's own syntax. `facts` propagates bounds to a fixpoint before rules are applied; each step only narrows an interval.
An integer operation has bounds only where they show that it does not wrap; `index` never wraps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import cast

from eqsat.egraph.bindings import egglog
from eqsat.egraph.compile.rules import tables_of
from eqsat.egraph.tables.callbacks import NOTHING, python_call
from eqsat.egraph.tables.schema import COLUMNS, ENDLESS, FACTS, RELATIONS
from eqsat.egraph.tables.syntax import (
    SPAN,
    Command,
    Fact,
    call,
    equal,
    holds,
    put,
    rule,
    text,
    union,
    variable,
)
from eqsat.ops import NARY_OPS, Op
from eqsat.positions import permuted_axis, reshaped_axis

_FLOORED = "(/ (- {0} (% (+ (% {0} c) c) c)) c)"
_IN_RANGE = "(= a (least d)) (= b (greatest d)) (<= a p) (<= p q) (<= q b)"  # bounds that contradict each other do not propagate

_BOUNDS = [
    # constants, and leaves of a known width
    "((= e (CONST d s v)) (= a (least d))) ((set (lo e) v) (set (hi e) v))",
    '((= e (LEAF d s n)) (!= d "index") (= a (least d)) (= b (greatest d))) ((set (lo e) a) (set (hi e) b))',
    '((= e (OPAQUE d s n v)) (!= d "index") (= a (least d)) (= b (greatest d))) ((set (lo e) a) (set (hi e) b))',
    # sums and products
    f"""((= e (ADD_N d s m)) (= k (OPERAND m t)) (= u (lo t)) (= v (hi t))
         (= ls (unstable-multiset-map (unstable-fn "lo") m)) (= (multiset-length ls) (multiset-length m))
         (= hs (unstable-multiset-map (unstable-fn "hi") m)) (= (multiset-length hs) (multiset-length m))
         (= p (unstable-multiset-reduce (unstable-fn "+") (bigint 0) ls))
         (= q (unstable-multiset-reduce (unstable-fn "+") (bigint 0) hs)) {_IN_RANGE}) ((set (lo e) p) (set (hi e) q))""",
    f"""((= e (SCALE d s c x)) (= l (lo x)) (= h (hi x)) (= p (min (* c l) (* c h))) (= q (max (* c l) (* c h))) {_IN_RANGE})
        ((set (lo e) p) (set (hi e) q))""",
    f"""((= e (MUL_N d s m)) (= k (OPERAND m t)) (= u (lo t)) (= v (hi t))
         (= ls (unstable-multiset-map (unstable-fn "lo") m)) (= (multiset-length ls) (multiset-length m))
         (= hs (unstable-multiset-map (unstable-fn "hi") m)) (= (multiset-length hs) (multiset-length m))
         (<= (bigint 0) (unstable-multiset-reduce (unstable-fn "min") (bigint 0) ls))
         (= p (unstable-multiset-reduce (unstable-fn "*") (bigint 1) ls))
         (= q (unstable-multiset-reduce (unstable-fn "*") (bigint 1) hs)) {_IN_RANGE}) ((set (lo e) p) (set (hi e) q))""",
    f"""((= e (MUL_N d s m)) (= 2 (multiset-length m)) (= k (OPERAND m x)) (= n (OPERAND m y))
         (= (multiset-of x y) m) (= l (lo x)) (= h (hi x)) (= u (lo y)) (= v (hi y))
         (= p (min (min (* l u) (* l v)) (min (* h u) (* h v)))) (= q (max (max (* l u) (* l v)) (max (* h u) (* h v))))
         {_IN_RANGE}) ((set (lo e) p) (set (hi e) q))""",
    f"""((= e (MUL_N d s m)) (= k (OPERAND m x)) (= m (multiset-of x x)) (= l (lo x)) (= h (hi x))
         (= p (bigint 0)) (= q (max (* l l) (* h h))) {_IN_RANGE}) ((set (lo e) p) (set (hi e) q))""",
    # quotients and remainders
    f"""((= e (FLOORDIV d s x k)) (= k (CONST d s c)) (< (bigint 0) c) (= l (lo x)) (= h (hi x)))
        ((set (lo e) {_FLOORED.format("l")}) (set (hi e) {_FLOORED.format("h")}))""",
    f"""((= e (FLOORDIV d s x k)) (= k (CONST d s c)) (< c (bigint 0)) (= l (lo x)) (= h (hi x))
         (= p {_FLOORED.format("h")}) (= q {_FLOORED.format("l")}) {_IN_RANGE})
        ((set (lo e) p) (set (hi e) q))""",
    """((= e (FLOORMOD d s x y)) (= h (hi y)) (< h (bigint 0)) (= l (lo y)))
       ((set (lo e) (+ l (bigint 1))) (set (hi e) (bigint 0)))""",
    """((= e (IDIV d s x k)) (= k (CONST d s c)) (< (bigint 0) c) (= l (lo x)) (= h (hi x)))
       ((set (lo e) (/ l c)) (set (hi e) (/ h c)))""",
    """((= e (FLOORMOD d s x y)) (= l (lo y)) (< (bigint 0) l) (= h (hi y)))
       ((set (lo e) (bigint 0)) (set (hi e) (- h (bigint 1))))""",
    """((= e (FLOORMOD d s x y)) (= l (lo y)) (< (bigint 0) l) (= u (lo x)) (<= (bigint 0) u) (= h (hi x))) ((set (hi e) h))""",
    """((= e (MOD d s x y)) (= l (lo y)) (< (bigint 0) l) (= u (lo x)) (<= (bigint 0) u) (= h (hi x)) (= m (hi y)))
       ((set (lo e) (bigint 0)) (set (hi e) (min h (- m (bigint 1)))))""",
    # choices
    "((= e (MAX_N d s m)) (= k (OPERAND m t)) (= l (lo t))) ((set (lo e) l))",
    "((= e (MIN_N d s m)) (= k (OPERAND m t)) (= h (hi t))) ((set (hi e) h))",
    f"""((= e (MAX_N d s m)) (= k (OPERAND m t)) (= h (hi t)) (= hs (unstable-multiset-map (unstable-fn "hi") m))
         (= (multiset-length hs) (multiset-length m)))
        ((set (hi e) (unstable-multiset-reduce (unstable-fn "max") (from-string "{-ENDLESS}") hs)))""",
    f"""((= e (MIN_N d s m)) (= k (OPERAND m t)) (= l (lo t)) (= ls (unstable-multiset-map (unstable-fn "lo") m))
         (= (multiset-length ls) (multiset-length m)))
        ((set (lo e) (unstable-multiset-reduce (unstable-fn "min") (from-string "{ENDLESS}") ls)))""",
    "((= e (WHERE d s c x y)) (= l (lo x)) (= h (hi x)) (= p (lo y)) (= q (hi y))) ((set (lo e) (min l p)) (set (hi e) (max h q)))",
    # bits: a mask bounds the result, whatever the other operand is
    "((= e (AND_N d s m)) (= k (OPERAND m t)) (= l (lo t)) (<= (bigint 0) l) (= h (hi t))) ((set (lo e) (bigint 0)) (set (hi e) h))",
    '((= e (OR_N "bool" s m)) (= k (OPERAND m t)) (= l (lo t))) ((set (lo e) l) (set (hi e) (bigint 1)))',
    # conversions
    f'((= e (CAST d f s x)) (!= d "bool") (= p (lo x)) (= q (hi x)) {_IN_RANGE}) ((set (lo e) p) (set (hi e) q))',
    f'((= e (CAST d f s x)) (!= d "bool") (= p (least f)) (= q (greatest f)) {_IN_RANGE}) ((set (lo e) p) (set (hi e) q))',
    # movements neither add nor change values, but padding adds zeros
    *(f"((= e ({op} d s b{arg} x)) (= l (lo x)) (= h (hi x))) ((set (lo e) l) (set (hi e) h))"
      for op, arg in (("RESHAPE", ""), ("EXPAND", ""), ("PERMUTE", " p"), ("SHRINK", " p"), ("FLIP", " p"))),
    # positions along an axis
    "((= e (EXPAND d s b x)) (= a (axis x))) ((set (axis e) a))",
    "((= e (CAST d f s x)) (= a (axis x)) (= h (hi x)) (= g (greatest d)) (< h g)) ((set (axis e) a))",
    """((= e (PAD d s b p x)) (= l (lo x)) (= h (hi x))) ((set (lo e) (min l (bigint 0))) (set (hi e) (max h (bigint 0))))""",
]  # fmt: skip

_NORMALIZE = [
    *(f"((= e ({op} d s x y))) ((union e ({op} d s y x)))" for op in ("ADD", "MUL", "MAX", "MIN", "CMPNE")),
    *(f"((= e ({op.name}_N d s m)) (= 1 (multiset-length m))) ((union e (multiset-pick m)))" for op in NARY_OPS),
    *(f"((= e ({op}_N d s m)) (= n (multiset-reset-counts m)) (!= m n)) ((union e ({op}_N d s n)))"
      for op in ("AND", "OR", "MAX", "MIN")),
    """((= e (AND_N "bool" s m)) (= k (OPERAND m t)) (= t (CONST "bool" s v)) (= v (bigint 0))) ((union e t))""",
    """((= e (OR_N "bool" s m)) (= k (OPERAND m t)) (= t (CONST "bool" s v)) (= v (bigint 1))) ((union e t))""",
    "((= e (SCALE d s c x)) (= c (bigint 1))) ((union e x))",
    # a multiple of a split loop is the sum of the multiples of its parts
    """((= e (SCALE d s c x)) (ATOM x) (= x (ADD_N d s m)))
       ((union e (ADD_N d s (unstable-multiset-map (unstable-fn "SCALE" d s c) m))))""",
    """((= e (SCALE "index" s c x)) (= x (SCALE "index" s k y)) (= l (lo y)) (= h (hi y)) (< l h) (!= e x) (!= x y)
         (= p (* c k)) (< (from-string "-9223372036854775808") p) (< p (from-string "9223372036854775808")))
        ((union e (SCALE "index" s p y)))""",
]  # fmt: skip

# A term that has its own class as an operand (0 = where(False, x, 0), x = x + 0) is of no use, and rules would unroll it for ever. It is
# subsumed: it stays in the e-graph, so that it is not made again, but rules do not match it any more.
_OWN_OPERAND = [
    *(f"((= e ({op} d s e y))) ((subsume ({op} d s e y)))"
      for op in ("ADD", "SUB", "MUL", "FDIV", "POW", "IDIV", "MOD", "FLOORDIV", "FLOORMOD", "MAX", "MIN", "SHL", "SHR")),
    *(f"((= e ({op} d s x e))) ((subsume ({op} d s x e)))" for op in ("ADD", "MUL", "MAX", "MIN")),
    '((= e (CMPNE "bool" s e y))) ((subsume (CMPNE "bool" s e y)))',
    '((= e (CMPNE "bool" s x e))) ((subsume (CMPNE "bool" s x e)))',
    "((= e (WHERE d s c e y))) ((subsume (WHERE d s c e y)))",
    "((= e (WHERE d s c x e))) ((subsume (WHERE d s c x e)))",
    "((= e (SCALE d s c e))) ((subsume (SCALE d s c e)))",
    *(f"((= e ({op.name}_N d s m)) (= k (OPERAND m e))) ((subsume ({op.name}_N d s m)))" for op in NARY_OPS),
    *(f"((= e ({op} d s b{arg} e))) ((subsume ({op} d s b{arg} e)))"
      for op, arg in (("RESHAPE", ""), ("EXPAND", ""), ("PERMUTE", " p"), ("SHRINK", " p"), ("FLIP", " p"), ("PAD", " p"))),
    "((= e (CAST d f s e))) ((subsume (CAST d f s e)))",
]  # fmt: skip


# If two movements that lose no element are equal, so are the values that they move. Without this, rules make a new term for each choice
# of equal copies, so n³ terms for three operands with n copies each.
_INJECTIVE = [
    "((= e (RESHAPE d s b x)) (= e (RESHAPE d s b y)) (!= x y)) ((union x y))",
    *(f"((= e ({op} d s b p x)) (= e ({op} d s b p y)) (!= x y)) ((union x y))" for op in ("PERMUTE", "FLIP", "PAD")),
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Axiom:
    """An egglog rule that belongs to every rule set, in a ruleset of its own.

    Attributes:
        name: the name of the egglog rule and of its ruleset.
        tables: the tables of the rows that a match takes.
    """

    name: str
    command: Command
    tables: frozenset[str]


@cache
def bounds() -> tuple[Axiom, ...]:
    """The axioms that fill the tables of facts: `OPERAND`, `lo`, `hi` and `axis`."""
    return (*map(_index_operands, NARY_OPS), *_parsed("facts", _BOUNDS), *_moved_positions())


@cache
def normal_forms() -> tuple[Axiom, ...]:
    """The axioms that bring terms into normal form, subsume terms that are their own operands, and merge the operands of equal movements."""
    return (*_parsed("normalize", [*_NORMALIZE, *_OWN_OPERAND, *_INJECTIVE]), _equal_copies())


@cache
def deletions() -> dict[str, Axiom]:
    """For each table of a graph, the rule that removes all of its rows. Tables about dtypes have no such rule."""
    found: dict[str, Axiom] = {}
    for table, columns in (COLUMNS | FACTS | RELATIONS).items():
        row = [variable(f"c{number}") for number in range(len(columns))]
        term = call(table, *row)
        body = [holds(term)] if table in RELATIONS else [equal(variable("e"), term)]
        name = f"@clear_{table}"
        command = rule(name, name, body, [egglog.Change(SPAN, egglog.Delete(), table, list(row))])
        found[table] = Axiom(name, command, frozenset({table}))
    return found


def _parsed(prefix: str, bodies: Sequence[str]) -> tuple[Axiom, ...]:
    parser = egglog.EGraph()
    found: list[Axiom] = []
    for number, body in enumerate(bodies):
        name = f"@{prefix}{number}"
        parsed = cast("Command", parser.parse_program(f"(rule {body})")[0]).rule
        command = rule(name, name, parsed.body, parsed.head, unstable="unstable-fn" in body)
        found.append(Axiom(name, command, tables_of(command.rule.body)))
    return tuple(found)


def _moved_positions() -> Iterator[Axiom]:
    """Axioms that compute `axis` after a RESHAPE or PERMUTE, whose arguments only Python can read."""
    e, x, a, moved, place = map(variable, "examp")
    d, s, b = map(variable, "dsb")
    for op, columns, function, operands in (
        ("RESHAPE", [d, s, b], reshaped_axis, [b, s, a]),
        ("PERMUTE", [d, s, b, place], permuted_axis, [place, a]),
    ):
        name = f"@axis_{op}"
        found = python_call(name, function, "t" * len(operands), [*operands])
        given: list[Fact] = [equal(e, call(op, *columns, x)), equal(a, call("axis", x))]
        body = [*given, equal(moved, found), holds(call("!=", moved, text(NOTHING)))]
        command = rule(name, name, body, [put("axis", [e], moved)])
        yield Axiom(name, command, tables_of(command.rule.body))


def _equal_copies() -> Axiom:
    """The axiom that two values are equal if equal EXPANDs with at least one element repeat them."""
    name = "@equal_copies"
    e, x, y, d, s, b = map(variable, "exydsb")
    body = [
        equal(e, call("EXPAND", d, s, b, x)),
        equal(e, call("EXPAND", d, s, b, y)),
        holds(call("!=", x, y)),
        equal(python_call(name, _has_elements, "t", [s]), text("1")),
    ]
    command = rule(name, name, body, [union(x, y)])
    return Axiom(name, command, tables_of(command.rule.body))


def _has_elements(shape: tuple[int, ...]) -> bool:
    return 0 not in shape


def _index_operands(op: Op) -> Axiom:
    name = f"@index_{op.name}"
    application = call(f"{op.name}_N", variable("d"), variable("s"), variable("m"))
    fill = call("unstable-multiset-fill-index", variable("m"), call("unstable-fn", text("OPERAND")))
    command = rule(name, name, [equal(variable("e"), application)], [egglog.Expr_(SPAN, fill)], unstable=True)
    return Axiom(name, command, tables_of(command.rule.body))
