"""The output of `eqsat rules --suggest`: the rules that were found, as a table and as code."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

    from eqsat.cli.output import Output
    from eqsat.suggest import Search, Suggestion


def suggest(search: Search, limit: int, output: Output) -> None:
    """Print the first suggestions of a search, or those found so far if it is interrupted.

    Raises:
        KeyboardInterrupt: the search was interrupted.
    """
    found: list[Suggestion] = []
    interrupted: KeyboardInterrupt | None = None
    with output.progress("suggest") as search.progress:
        try:
            found.extend(islice(search, limit))
        except KeyboardInterrupt as interrupt:
            interrupted = interrupt
    end = "interrupted" if interrupted else _end(search, len(found), limit)
    show(search, found, end, output)
    if interrupted:
        raise interrupted


def _end(search: Search, found: int, limit: int) -> str:
    if search.is_complete:
        return "complete"
    return "limit" if found == limit else "seconds"


def show(search: Search, found: list[Suggestion], end: str, output: Output) -> None:
    """Print the suggestions as a table and as declarations, and how far the search went; `end` says why it ended."""
    from eqsat.suggest import declaration

    if found:
        output.show(suggestions_table(search.grammar.name, found))
        output.source("\n\n\n".join(declaration(suggestion.rule) for suggestion in found), "python")
    output.show(
        f"{search.terms:,} behaviours, {search.candidates:,} candidates, {search.underived:,} not derived, {search.refuted:,} of them "
        f"refuted, {len(found)} suggested"
    )
    output.show(_how_far(search, end))
    output.document(
        {
            "domain": search.grammar.name,
            "size": search.size,
            "end": end,
            "searched": search.searched,
            "terms": search.terms,
            "candidates": search.candidates,
            "underived": search.underived,
            "refuted": search.refuted,
            "suggestions": [row(suggestion) for suggestion in found],
        }
    )


def _how_far(search: Search, end: str) -> str:
    if end == "complete":
        return f"complete: all left sides of up to {search.size} operations"
    reason = {
        "limit": "stopped at the limit (--limit)",
        "seconds": f"stopped after {search.seconds:g} s (--seconds)",
        "interrupted": "interrupted",
    }[end]
    return (
        f"partial: {reason}; only left sides of up to {search.searched} operations were searched completely"
    )


def suggestions_table(domain: str, found: list[Suggestion]) -> Table:
    """A table of the equation, domain, proof and operations of each suggestion."""
    from rich.markup import escape
    from rich.table import Table

    from eqsat.proof import equation
    from eqsat.suggest import domain_name

    title = f"{len(found)} suggestions for {domain}, smallest first"
    table = Table("equation", "holds for", "verified", "operations", title=title, title_justify="left")
    for suggestion in found:
        operations = f"{suggestion.size} → {suggestion.size - suggestion.gain}"
        rule = suggestion.rule
        table.add_row(escape(equation(rule)), domain_name(rule.domain), _verified(suggestion), operations)
    return table


def _verified(suggestion: Suggestion) -> str:
    """How a suggestion was verified, and for how many choices of dtypes."""
    counts = suggestion.counts.items()
    return ", ".join(f"{status.value.replace('_', ' ')} {count}" for status, count in counts)


def row(suggestion: Suggestion) -> dict[str, Any]:
    """A suggestion for `--json`."""
    from eqsat.proof import equation
    from eqsat.suggest import declaration, domain_name

    return {
        "name": suggestion.rule.name,
        "equation": equation(suggestion.rule),
        "domain": domain_name(suggestion.rule.domain),
        "size": suggestion.size,
        "gain": suggestion.gain,
        "is_proved": suggestion.is_proved,
        "verified": {status.value: count for status, count in suggestion.counts.items()},
        "declaration": declaration(suggestion.rule),
    }
