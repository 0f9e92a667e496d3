"""The data of a page as plain lists, strings and numbers, which JSON can hold. Costs that are infinite are None."""

from __future__ import annotations

import math
from typing import Any

from eqsat.dtype import DType, PtrDType
from eqsat.egraph.snapshot.snapshot import UNKNOWN_HI, UNKNOWN_LO, Snapshot
from eqsat.extract.problem.problem import Problem
from eqsat.extract.problem.result import NOT_CHOSEN, Extraction
from eqsat.ops import Op
from eqsat.proof import equation
from eqsat.show.prices import find_prices, runner_up
from eqsat.show.rule_sites import RuleSites, find_sites
from eqsat.show.subject import Subject


def document(subject: Subject) -> dict[str, Any]:
    """Everything that the page shows. Times are left out, so that the same subject always gives the same document."""
    extraction = subject.extraction
    return {
        "title": subject.title,
        "summary": summary(subject),
        "classes": _classes(extraction.problem, subject.snapshot),
        "nodes": _nodes(extraction.problem, subject.snapshot),
        "choice": extraction.choice.tolist(),
        "prices": _prices(extraction),
        "rules": _rules(subject),
        "kernels": list(subject.kernels()),
    }


def summary(subject: Subject) -> dict[str, Any]:
    """The figures of the whole e-graph: costs, bound, sizes, and how saturation ended."""
    extraction, report = subject.extraction, subject.report
    problem = extraction.problem
    saturation = report and {
        "stop": report.stop.value,
        "iterations": report.iterations,
        "rows": report.rows,
        "banned": list(report.banned),
    }
    return {
        "seconds": subject.seconds,
        "unit": subject.unit,
        "cost": extraction.dag_cost,
        "tree_cost": extraction.tree_cost,
        "lower_bound": _finite(extraction.lower_bound),
        "gap": _finite(extraction.gap),
        "optimal": extraction.optimal,
        "nodes": problem.node_count,
        "classes": problem.class_count,
        "roots": len(set(problem.roots.tolist())),
        "extracted": int((extraction.choice != NOT_CHOSEN).sum()),
        "saturation": saturation,
    }


def _classes(problem: Problem, snapshot: Snapshot | None) -> dict[str, Any]:
    values = [""] * problem.class_count
    if snapshot is not None:
        values = [_value_text(snapshot, owner) for owner in range(problem.class_count)]
    return {
        "names": list(problem.class_names),
        "values": values,
        "roots": list(dict.fromkeys(problem.roots.tolist())),
    }


def _value_text(snapshot: Snapshot, owner: int) -> str:
    """The dtype, the shape and the bounds of a class."""
    text, shape = str(snapshot.class_dtype[owner]), snapshot.class_shape[owner]
    if shape:
        text += f" {list(shape)}"
    lo, hi = int(snapshot.lo[owner]), int(snapshot.hi[owner])
    if lo == UNKNOWN_LO and hi == UNKNOWN_HI:
        return text
    return f"{text} in {'…' if lo == UNKNOWN_LO else lo}..{'…' if hi == UNKNOWN_HI else hi}"


def _nodes(problem: Problem, snapshot: Snapshot | None) -> dict[str, Any]:
    labels = [label or name for label, name in zip(problem.labels, problem.node_names, strict=True)]
    ops = sorted(set(labels))
    number = {op: position for position, op in enumerate(ops)}
    terms = snapshot.terms if snapshot is not None else ()
    return {
        "ops": ops,
        "op": [number[label] for label in labels],
        "detail": [argument_text(term.arg) for term in terms] or [""] * problem.node_count,
        "name": [] if snapshot is not None else list(problem.node_names),
        "class": problem.node_class.tolist(),
        "cost": [_finite(cost) for cost in problem.node_cost.tolist()],
        "usable": [int(usable) for usable in problem.usage.usable],
        "start": problem.child_start.tolist(),
        "children": problem.children.tolist(),
    }


def argument_text(arg: Any) -> str:
    """The argument of a node as a short text.

    >>> argument_text((Op.ADD, (1, 2)))
    'ADD (1, 2)'
    """
    match arg:
        case None:
            return ""
        case Op() | DType() | PtrDType():
            return arg.name
        case (Op() as op, *rest):
            return " ".join([op.name, *map(argument_text, rest)])
        case _:
            return repr(arg)


def _prices(extraction: Extraction) -> dict[str, Any]:
    """For each priced node, its cost and whether that is exact; for each class that has one, the runner-up."""
    prices = find_prices(extraction)
    problem = extraction.problem
    best: dict[int, int] = {}
    for owner in sorted({int(problem.node_class[node]) for node in prices}):
        second = runner_up(problem.nodes_by_class[owner], prices)
        if second is not None:
            best[owner] = second
    rows = [[node, _finite(price.cost), int(price.exact)] for node, price in sorted(prices.items())]
    return {"nodes": rows, "runners_up": list(best.items())}


def _rules(subject: Subject) -> list[dict[str, Any]]:
    """The rules that matched during saturation, those with most sites first; then other steps that matched, which have no equation."""
    if subject.snapshot is None or subject.report is None:
        return []
    matches = {count.name: count.matches for count in subject.report.rules if count.matches}
    found = find_sites(subject.snapshot, [rule for rule in subject.rules if rule.name in matches])
    rules = [_rule(each, matches[each.rule.name]) for each in found]
    named = {each.rule.name for each in found}
    steps: list[dict[str, Any]] = [
        {"name": name, "claim": "", "equation": "", "matches": count, "sites": [], "complete": True}
        for name, count in matches.items()
        if name not in named
    ]
    return sorted(rules, key=lambda rule: (-len(rule["sites"]), rule["name"])) + steps


def _rule(found: RuleSites, matches: int) -> dict[str, Any]:
    return {
        "name": found.rule.name,
        "claim": found.rule.claim,
        "equation": f"{equation(found.rule)} ({found.rule.soundness.value})",
        "matches": matches,
        "sites": [[site.left, site.right] for site in found.sites],
        "complete": found.is_complete,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
