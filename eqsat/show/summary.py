"""The summary of a result that a notebook shows: a few figures and one small table, not the whole page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

import numpy as np

from eqsat.extract.problem.result import NOT_CHOSEN
from eqsat.show.subject import Subject

DEAREST = 8  # nodes in the table, those that cost most


def summary_html(subject: Subject) -> str:
    """The cost, its bound, how saturation ended, and the most expensive nodes of the extracted program."""
    extraction, report = subject.extraction, subject.report
    problem = extraction.problem
    bound = "proved optimal" if extraction.optimal else f"at most {extraction.gap:.2%} of it can be saved"
    figures = (
        []
        if subject.seconds is None
        else ["kernels predicted {:.3g} s, at least {:.3g}".format(*subject.seconds)]
    )
    figures += [
        f"cost {extraction.dag_cost:,.7g} {subject.unit} ({bound})",
        f"{problem.node_count:,} nodes in {problem.class_count:,} classes",
    ]
    if report is not None:
        figures.append(f"{report.iterations} iterations, until {report.stop.value}")
    return f"<p>{escape('; '.join(figures))}</p>" + table_html(
        ("class", "operation", "cost", "share"), _dearest(subject)
    )


def table_html(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of texts.

    >>> table_html(["name"], [["<b>"]])
    '<table><thead><tr><th>name</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(title)}</th>" for title in titles)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _dearest(subject: Subject) -> list[tuple[str, str, str, str]]:
    extraction = subject.extraction
    problem = extraction.problem
    nodes = extraction.choice[extraction.choice != NOT_CHOSEN]
    costs = problem.node_cost[nodes]
    total = extraction.dag_cost or 1.0
    return [
        (
            f"#{problem.class_names[problem.node_class[node]]}",
            problem.labels[node] or problem.node_names[node],
            f"{problem.node_cost[node]:,.7g}",
            f"{problem.node_cost[node] / total:.1%}",
        )
        for node in nodes[np.argsort(-costs, kind="stable")][:DEAREST].tolist()
    ]
