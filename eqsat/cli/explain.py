"""Show how a graph is compiled: the graph before and after the e-graph, costs, and each kernel's loops, memory, predicted time and source."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from eqsat.cli.arguments import add_allow_custom, add_device, destination, natural, require_used
from eqsat.cli.batched import explain_batched, is_place

if TYPE_CHECKING:
    from rich.table import Table

    import eqsat as eq
    from eqsat.cli.output import Output
    from eqsat.codegen import RenderedKernel
    from eqsat.pipeline.accounts import KernelAccount
    from eqsat.schedule.kernel import Schedule

OF_GRAPHS = (
    "--chain",
    "--lines",
    "--save-problem",
)  # options about the graphs before and after, and about kernels


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the graph, and how much of it to print."""
    parser.add_argument(
        "graph",
        help="a graph file, the name of an example such as softmax or matmul, or a batched function as FILE.py:FUNCTION",
    )
    parser.add_argument(
        "--batch",
        nargs="+",
        default=(),
        metavar="TYPE",
        help="for a batched function: the type that each argument has for one member, such as int32 or float32[3]",
    )
    parser.add_argument(
        "--lines",
        type=natural,
        default=60,
        help="maximum number of lines to print of each graph (default: %(default)s)",
    )
    parser.add_argument(
        "--chain", action="store_true", help="show the chain of rules that leads from one graph to the other"
    )
    parser.add_argument(
        "--save-problem",
        type=destination(),
        metavar="FILE",
        help="write the problem of choosing kernels to an extraction-gym file, for `eqsat extract`",
    )
    parser.add_argument("--profile", action="store_true", help="only saturate, and print what each rule did")
    add_allow_custom(parser)
    add_device(parser)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Print the stages of a graph in their order.

    Raises:
        CommandError: an option would be ignored.
        GraphFileError: there is no such graph, or the problem's file cannot be written.
        ExplanationError: the chain of rules was requested but not found.
    """
    from rich.markup import escape
    from rich.rule import Rule

    import eqsat as eq
    from eqsat.cli.graphs import find_graph, for_greatest_dims
    from eqsat.cli.output import write_text
    from eqsat.pipeline import render
    from eqsat.pipeline.accounts import accounts
    from eqsat.pipeline.compilation import choice_of_kernels, drafts_of

    plan = eq.Plan(device=arguments.device)
    if is_place(arguments.graph):
        require_used(arguments, (*OF_GRAPHS, "--profile"), "if a batched function is explained")
        return explain_batched(arguments.graph, arguments.batch, plan, output)
    require_used(
        arguments, ("--batch",), "if a graph is explained; a batched function is named FILE.py:FUNCTION"
    )
    if arguments.profile:
        require_used(arguments, OF_GRAPHS, "with --profile")
    found = find_graph(arguments.graph, allow_custom=arguments.allow_custom)
    graph = for_greatest_dims(found, output)
    if arguments.profile:
        return explain_profile(graph, plan, output)
    with output.progress("explain", total=2) as step:
        step("saturate and extract")
        best = eq.optimize(graph, plan)
        step("schedule")
        drafts = drafts_of(graph, plan)
        schedule, explained = drafts.schedule(), accounts(drafts)
        kernels = render(schedule, plan)
    if arguments.save_problem:
        problem = choice_of_kernels(graph, plan, of_part=schedule.of_part)
        write_text(arguments.save_problem, json.dumps(problem.to_gym_json()))
    written = cost_as_written(graph, plan)
    show_graphs(graph, written, best, arguments.lines, output)
    explanation = best.explain() if arguments.chain else None
    if explanation is not None:
        output.show(Rule("chain of rules", align="left"), escape(str(explanation)))
    show_kernels(schedule, kernels, explained, output)
    extra = {} if explanation is None else {"chain": explanation.to_json()}
    output.document(document(graph, written, best) | kernels_document(schedule, kernels, explained) | extra)
    return 0


def show_graphs(graph: eq.UOp, written: float, best: eq.Optimized, lines: int, output: Output) -> None:
    """Print at most so many lines of the given graph, which costs `written`, and of the optimized one, and figures of the e-graph."""
    from rich.markup import escape
    from rich.rule import Rule

    from eqsat.uop.tree_text import indented_tree

    for title, root, cost in (("as written", graph, written), ("after the e-graph", best.uop, best.cost)):
        heading = f"{title}: {len(root.toposort())} UOps, cost {cost:,.6g} {best.unit}"
        output.show(Rule(heading, align="left"), escape(indented_tree(root, lines)))
    output.show(Rule("e-graph", align="left"), egraph_table(best))


def show_kernels(
    schedule: Schedule,
    kernels: Sequence[RenderedKernel],
    explained: Sequence[KernelAccount],
    output: Output,
) -> None:
    """Print the schedule and the source of each kernel."""
    from rich.markup import escape
    from rich.rule import Rule

    from eqsat.cli.output import duration

    each_kernel = zip(kernels, schedule.kernels, explained, strict=True)
    for number, (kernel, planned, account) in enumerate(each_kernel):
        output.show(Rule(f"kernel {number}: {kernel.name}", align="left"))
        predicted, size = duration(planned.predicted_seconds), kernel.global_size
        output.show(
            f"schedule: {escape(planned.choice)}; the best of {planned.candidates:,} candidates, predicted {predicted}"
        )
        output.show(f"work-items: {size}, in groups of {kernel.local_size or 'any size'}")
        output.show(*(escape(line) for line in ("", account.loops, "", *account.memory)))
        parts = ", ".join(f"{name} {duration(seconds)}" for name, seconds in account.seconds.items())
        output.show(f"time by resource (loops and launch add to what else overlaps): {parts}")
        for other in account.runners_up:
            output.show(f"runner-up, {duration(other.predicted_seconds)}: {escape(other.choice)}")
        output.source(kernel.source, "c")
    output.show(
        f"all kernels: predicted {duration(schedule.predicted_seconds)}; no other choice of kernels takes less than "
        f"{duration(schedule.lower_bound)} (gap {schedule.gap:.1%})"
    )


def explain_profile(graph: eq.UOp, plan: eq.Plan, output: Output) -> int:
    """Print what each rule did."""
    import eqsat as eq
    from eqsat.cli.profiles import document, tables

    with output.progress("profile", total=1) as step:
        step("saturate, rule by rule")
        found = eq.profile(graph, plan)
    output.show(*tables(found))
    output.document(document(found))
    return 0


def cost_as_written(graph: eq.UOp, plan: eq.Plan) -> float:
    """The cost of a graph before any rule is applied."""
    import eqsat as eq

    return eq.optimize(graph, replace(plan, budget=eq.Budget(iterations=0))).cost


def egraph_table(best: eq.Optimized) -> Table:
    """A table of what saturation and extraction did."""
    from rich.table import Table

    from eqsat.cli.output import duration

    report = best.report
    table = Table(show_header=False)
    table.add_row("nodes, classes", f"{report.nodes:,}, {report.classes:,}")
    table.add_row("iterations", f"{report.iterations}, until {report.stop.value}")
    table.add_row("time", duration(report.seconds))
    table.add_row(
        "cost", f"{best.cost:,.6g} {best.unit} (no program here can cost less than {best.lower_bound:,.6g})"
    )
    fired = [rule for rule in report.rules if rule.matches]
    for number, rule in enumerate(sorted(fired, key=lambda rule: (-rule.matches, rule.name))):
        table.add_row("" if number else "rules", f"{rule.name}: {rule.matches:,} matches")
    return table


def document(graph: eq.UOp, written: float, best: eq.Optimized) -> dict[str, Any]:
    """The graphs and the e-graph for the JSON document; graphs are in the form of graph files."""
    from eqsat.graph_files.serialize import to_json

    report = best.report
    return {
        "before": to_json([graph]),
        "after": to_json([best.uop]),
        "cost_before": written,
        "cost": best.cost,
        "unit": best.unit,
        "lower_bound": best.lower_bound,
        "egraph": {
            "nodes": report.nodes,
            "classes": report.classes,
            "iterations": report.iterations,
            "seconds": report.seconds,
            "stop": report.stop.value,
            "rules": {rule.name: rule.matches for rule in report.rules if rule.matches},
        },
    }


def kernels_document(
    schedule: Schedule, kernels: Sequence[RenderedKernel], explained: Sequence[KernelAccount]
) -> dict[str, Any]:
    """The kernels for the JSON document."""
    return {
        "lower_bound_seconds": schedule.lower_bound,
        "kernels": [
            {
                **account.to_json(),
                "schedule": planned.choice,
                "candidates": planned.candidates,
                "global_size": kernel.global_size,
                "local_size": kernel.local_size,
                "source": kernel.source,
            }
            for kernel, planned, account in zip(kernels, schedule.kernels, explained, strict=True)
        ],
    }
