"""Optimize and run three programs on real data, each checked against NumPy.

The programs are a transformer block and an image pipeline on a photograph, and a classifier of handwritten digits. Nothing is
downloaded: the data come from the scikit-learn wheel if it is installed, and are generated otherwise.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from eqsat.cli.arguments import add_device, destination
from eqsat.errors import ExecutionError

if TYPE_CHECKING:
    from rich.table import Table

    from eqsat.cli.output import Output
    from eqsat.demo.show import Show

PROGRAMS, STEPS_EACH, TRAINING_REPORTS = 3, 3, 6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds where the picture goes, and which device computes."""
    parser.add_argument(
        "--output",
        type=destination(".png"),
        default=Path("eqsat-demo.png"),
        help="the image file to write (default: %(default)s)",
    )
    add_device(parser)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Print a table for each program and write the picture; the exit code is 1 if a result does not agree with NumPy.

    Raises:
        DeviceError: the device is unknown or there is none.
        ExecutionError: the picture cannot be written.
    """
    from rich.markup import escape

    import eqsat as eq
    from eqsat.demo.data import load_digits, load_photograph, write_png
    from eqsat.demo.show import run_demo

    shows: list[Show] = []
    plan = eq.Plan(device=arguments.device)
    with output.progress("demo", total=PROGRAMS * STEPS_EACH + TRAINING_REPORTS) as step:
        for show in run_demo(load_photograph(), load_digits(), plan, step):
            shows.append(show)
            output.show(table_of(show))
            if show.picture is not None:
                try:
                    write_png(arguments.output, show.picture)
                except OSError as error:
                    raise ExecutionError(
                        f"cannot write {arguments.output}: {error.strerror}; choose another --output"
                    ) from error
    agree = all(show.report.agrees for show in shows)
    output.show(
        f"The picture is in {escape(str(arguments.output))}. "
        + ("All three agree with NumPy." if agree else "[red]Results differ.[/]")
    )
    programs = [
        asdict(show.report) | {"speedup": show.report.speedup, "remark": show.remark} for show in shows
    ]
    output.document({"programs": programs, "picture": str(arguments.output), "agree": agree})
    return 0 if agree else 1


def table_of(show: Show) -> Table:
    """One program as a table of facts."""
    from rich.markup import escape
    from rich.table import Table

    from eqsat.cli.output import duration

    report = show.report
    table = Table(title=report.title, title_justify="left", show_header=False, title_style="bold")
    fired = [f"{name} ({matches})" for name, matches in list(report.rules_fired.items())[:6]]
    verdict = "[green]agrees with NumPy[/]" if report.agrees else "[red]differs from NumPy[/]"
    rows = {
        "data": report.data,
        "program": show.remark,
        "UOps": f"{report.uops_before} before, {report.uops_after} after",
        "e-graph": f"{report.egraph_nodes:,} nodes in {report.egraph_classes:,} classes ({report.stop})",
        "rules fired": f"{sum(report.rules_fired.values()):,} matches of {len(report.rules_fired)} rules: {', '.join(fired)}",
        "kernels": f"{len(report.kernels)}: {', '.join(report.kernels)}",
        "time to optimize": f"{duration(report.optimize_seconds)}, and to compile {duration(report.compile_seconds)}",
        "time to run": f"{duration(report.measured_seconds)} (predicted {duration(report.predicted_seconds)})",
        "NumPy": f"{duration(report.numpy_seconds)}, so eqsat runs at {report.speedup:.2f} × its speed",
    }
    for name, value in rows.items():
        table.add_row(name, escape(value))
    table.add_row("largest error", f"{report.largest_error:.2g}, {verdict}")
    return table
