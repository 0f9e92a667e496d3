"""List the rewrite rules, verify them (by Z3, or on samples if there is no proof), or suggest new ones."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from eqsat.cli.arguments import natural, positive, require_used

if TYPE_CHECKING:
    from rich.table import Table

    from eqsat.cli.output import Output
    from eqsat.proof import VerificationReport
    from eqsat.rules.language.rule import RuleSet

REFUTED = 1
PROOF_SECONDS, SEARCH_SECONDS, SAMPLES = 2.0, 120.0, 24
DOMAINS = ("index", "comparisons", "choices", "bool", "signed", "unsigned", "bits", "float")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds which rules, and what to do with them."""
    parser.add_argument(
        "topic", nargs="*", help="topic or name of a rule; may be given several times (default: all)"
    )
    parser.add_argument("--verify", action="store_true", help="prove or sample every rule on every dtype")
    parser.add_argument(
        "--seconds",
        type=positive,
        help=f"time limit of one proof, in seconds (default: {PROOF_SECONDS:g}), or with --suggest of the whole search (default: {SEARCH_SECONDS:g})",
    )
    parser.add_argument(
        "--samples",
        type=natural,
        help=f"matches to draw for each choice of dtypes where there is no proof (default: {SAMPLES})",
    )
    parser.add_argument(
        "--markdown", action="store_true", help="verify the rules, and print the page docs/rules.md"
    )
    parser.add_argument(
        "--no-cache", action="store_true", help="do not reuse results of earlier verifications"
    )
    parser.add_argument(
        "--suggest",
        action="store_true",
        help="find rules that do not follow from the chosen ones, smallest first",
    )
    parser.add_argument(
        "--domain",
        choices=DOMAINS,
        default="index",
        help="the kind of terms to suggest rules about (default: %(default)s)",
    )
    parser.add_argument(
        "--size",
        type=natural,
        default=2,
        help="maximum number of operations in a left side (default: %(default)s)",
    )
    parser.add_argument(
        "--limit", type=natural, default=20, help="maximum number of suggestions (default: %(default)s)"
    )
    parser.add_argument(
        "--equal",
        action="store_true",
        help="also suggest rules whose right side costs as much as the left side",
    )


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Print the rules; with `--verify` a report of their verification; with `--suggest` rules that do not follow from them.

    The exit code is 1 if a rule is refuted.

    Raises:
        CommandError: an option would be ignored.
        RuleError: there is no such topic or rule.
    """
    rules = chosen_rules(arguments.topic)
    if arguments.suggest:
        require_used(arguments, ("--verify", "--markdown", "--no-cache", "--samples"), "with --suggest")
    else:
        require_used(arguments, ("--domain", "--size", "--limit", "--equal"), "without --suggest")
        if not (arguments.verify or arguments.markdown):
            require_used(arguments, ("--seconds", "--no-cache", "--samples"), "without --verify or --suggest")
    if arguments.suggest:
        from eqsat.cli.suggestions import suggest
        from eqsat.suggest import GRAMMARS, Search

        seconds = SEARCH_SECONDS if arguments.seconds is None else arguments.seconds
        suggest(
            Search(GRAMMARS[arguments.domain], rules, arguments.size, seconds, arguments.equal),
            arguments.limit,
            output,
        )
        return 0
    if not (arguments.verify or arguments.markdown):
        output.show(rules_table(rules))
        output.document({"rules": len(rules), "rows": rows(rules)})
        return 0
    from eqsat.proof import PROOFS, verify

    with output.progress("verify", total=len(rules)) as step:
        cache = None if arguments.no_cache else PROOFS
        seconds = PROOF_SECONDS if arguments.seconds is None else arguments.seconds
        samples = SAMPLES if arguments.samples is None else arguments.samples
        report = verify(rules, seconds=seconds, samples=samples, cache=cache, progress=step)
    if arguments.markdown:
        from rich.markup import escape

        from eqsat.proof.document import document

        output.show(escape(document(report).rstrip("\n")))
    else:
        show_report(report, output)
    output.document(report.to_json())
    return REFUTED if report.refuted else 0


def chosen_rules(names: list[str]) -> RuleSet:
    """The rules of these topics or with these names, in the library's order; all rules if there are no names.

    Raises:
        RuleError: no topic or rule has a given name.
    """
    from eqsat.errors import RuleError
    from eqsat.rules.language.rule import RuleSet
    from eqsat.rules.library import LIBRARY

    known = {name for rule in LIBRARY for name in (rule.topic, rule.name)}
    if unknown := sorted(set(names) - known):
        topics = ", ".join(dict.fromkeys(rule.topic for rule in LIBRARY))
        raise RuleError(f"no topic or rule is named {unknown[0]!r}; the topics are {topics}")
    return RuleSet(tuple(rule for rule in LIBRARY if not names or {rule.topic, rule.name} & set(names)))


def rules_table(rules: RuleSet) -> Table:
    """A table of the topic, name, source, equation and class of each rule."""
    from rich.markup import escape
    from rich.table import Table

    from eqsat.proof import equation

    table = Table("topic", "rule", "equation", "class", title=f"{len(rules)} rules", title_justify="left")
    for rule in rules:
        name = f"{rule.name}\n({rule.citation})" if rule.citation else rule.name
        table.add_row(rule.topic, escape(name), escape(equation(rule)), rule.soundness.value)
    return table


def rows(rules: RuleSet) -> list[dict[str, str]]:
    """The same for `--json`."""
    from eqsat.proof import equation

    return [
        {
            "name": rule.name,
            "topic": rule.topic,
            "claim": rule.claim,
            "citation": rule.citation,
            "equation": equation(rule),
            "soundness": rule.soundness.value,
            "phase": rule.phase.value,
        }
        for rule in rules
    ]


def show_report(report: VerificationReport, output: Output) -> None:
    """Prints a table of the topics, then each wrong rule with a program that shows the mistake."""
    from rich.markup import escape
    from rich.rule import Rule as Line

    from eqsat.cli.output import duration

    output.show(topics_table(report))
    proved, provable = report.integral
    output.show(
        f"{report.rules} rules, {report.obligations:,} claims: {report.proved:,} proved, {report.sampled:,} sampled, "
        f"{report.timed_out} timed out and sampled, {report.refuted} refuted, {report.unmatched} unmatched"
    )
    output.show(
        f"of {provable:,} claims about single integers, indices and bools, {proved:,} are proved for all values"
    )
    output.show(f"{duration(report.seconds)}, {report.cached:,} claims from the cache")
    if not report.prover:
        output.note('Z3 is not installed, so nothing is proved; pip install "eqsat[verify]"')
    for row in report.rows:
        if row.counterexample is not None:
            output.show(Line(f"{row.rule.topic}: {row.rule.name} is wrong", align="left"))
            output.show(escape(row.counterexample.text))
            output.source(row.counterexample.code, "python")


def topics_table(report: VerificationReport) -> Table:
    """A table of how many claims of each topic are proved, sampled, refuted and so on."""
    from rich.table import Table

    from eqsat.proof import Status

    columns = [status.value.replace("_", " ") for status in Status]
    table = Table("topic", "rules", "claims", *columns, title="verified rules", title_justify="left")
    for topic in dict.fromkeys(row.rule.topic for row in report.rows):
        rows = [row for row in report.rows if row.rule.topic == topic]
        claims = sum(len(row.results) for row in rows)
        counts = [sum(row.count(status) for row in rows) for status in Status]
        table.add_row(topic, *map(str, (len(rows), claims, *counts)))
    return table
