"""Short names for the syntax trees of egglog commands.

Programs are built as trees, never as text: parsing text takes quadratic time in egglog 13, and a tree without source positions
(`PanicSpan`) registers a rule in about 0.1 ms. Two versions of the bindings are supported; this module hides their differences.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from eqsat.egraph.bindings import egglog

SPAN = egglog.PanicSpan()
Expression = egglog.Call | egglog.Var | egglog.Lit
Fact = egglog.Eq | egglog.Fact
Action = egglog.Let | egglog.Set | egglog.Union | egglog.Expr_ | egglog.Change
Command = Any  # a union of thirty classes that the bindings do not export
RunReport = egglog.RunReport
CLOCK = 1 if hasattr(egglog, "UnsafeSeminaive") else 1000  # egglog 13 reports milliseconds as microseconds


@cache
def variable(name: str) -> egglog.Var:
    """A variable."""
    return egglog.Var(SPAN, name)


@cache
def text(value: str) -> egglog.Lit:
    """A String."""
    return egglog.Lit(SPAN, egglog.String(value))


@cache
def small(value: int) -> egglog.Lit:
    """An i64."""
    return egglog.Lit(SPAN, egglog.Int(value))


@cache
def integer(value: int) -> egglog.Call:
    """A BigInt of any size."""
    if -(1 << 62) < value < 1 << 62:
        return call("bigint", egglog.Lit(SPAN, egglog.Int(value)))
    return call("from-string", text(str(value)))


def call(function: str, *arguments: Expression) -> egglog.Call:
    """The application of a constructor, function or primitive to arguments."""
    return egglog.Call(SPAN, function, list(arguments))


def equal(left: Expression, right: Expression) -> egglog.Eq:
    """A fact: both sides have the same value; a variable on the left is bound."""
    return egglog.Eq(SPAN, left, right)


def holds(expression: Expression) -> egglog.Fact:
    """A fact: a primitive comparison that succeeds, or a relation."""
    return egglog.Fact(expression)  # pyright: ignore  (the stub asks for a span, which the class does not take)


TRUE = egglog.Lit(SPAN, egglog.Bool(True))


def let(name: str, value: Expression) -> egglog.Let:
    """An action that names a value for later actions."""
    return egglog.Let(SPAN, name, value)


def put(function: str, arguments: Sequence[Expression], value: Expression) -> egglog.Set:
    """An action that sets the function's value at the arguments, merged with its present value."""
    return egglog.Set(SPAN, function, list(arguments), value)


def union(left: Expression, right: Expression) -> egglog.Union:
    """An action that merges two classes."""
    return egglog.Union(SPAN, left, right)


def subsume(function: str, arguments: Sequence[Expression]) -> egglog.Change:
    """An action after which no rule matches the row any more; the row stays."""
    return egglog.Change(SPAN, egglog.Subsume(), function, list(arguments))


def assert_(expression: Expression) -> egglog.Expr_:
    """An action that evaluates an expression, which inserts a term or a row of a relation."""
    return egglog.Expr_(SPAN, expression)


def rule(
    name: str, ruleset: str, body: Sequence[Fact], head: Sequence[Action], *, unstable: bool = False
) -> Command:
    """A rule; `unstable` marks one that reads or writes a table through an unstable function."""
    if unstable and hasattr(egglog, "UnsafeSeminaive"):
        mode = egglog.UnsafeSeminaive()  # pyright: ignore  (egglog 14 asks for it; 13 has no such thing)
        return egglog.RuleCommand(egglog.Rule(SPAN, list(head), list(body), name, ruleset, eval_mode=mode))  # pyright: ignore
    return egglog.RuleCommand(egglog.Rule(SPAN, list(head), list(body), name, ruleset))


def run(ruleset: str) -> Command:
    """One iteration of a ruleset."""
    return egglog.RunSchedule(egglog.Run(SPAN, egglog.RunConfig(ruleset, None)))


def run_repeatedly(ruleset: str, times: int) -> Command:
    """At most `times` iterations of a ruleset; it ends when nothing changes any more."""
    return egglog.RunSchedule(egglog.Repeat(SPAN, times, egglog.Run(SPAN, egglog.RunConfig(ruleset, None))))
