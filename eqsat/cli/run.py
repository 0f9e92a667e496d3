"""Run a graph file on arrays.

`eqsat.to_json` writes the file. Arrays come from .npy and .npz files in argument order, or are random. Their shapes
give the graph's dims their values; random arrays have the greatest ones, unless `--set` gives others. With `--emit c` nothing is run: the
program is printed as one file of C11, which needs neither eqsat nor OpenCL.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any

from eqsat.cli.arguments import (
    add_allow_custom,
    add_device,
    assignment,
    destination,
    natural,
    require_different,
    require_used,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rich.table import Table

    import eqsat as eq
    from eqsat.cli.output import Output
    from eqsat.graph_files.inputs import Input
    from eqsat.uop import UOp

TOLERANCE = 1e-4  # the largest relative error of a result that agrees with its reference


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the graph, its arrays, and where the results go."""
    parser.add_argument("graph", help="a graph file, or the name of an example such as softmax")
    parser.add_argument(
        "arrays",
        nargs="*",
        default=[],
        help="input arrays: one .npy file for each input, or .npz files (default: random arrays)",
    )
    parser.add_argument(
        "--output",
        type=destination(".npz", ".npy"),
        help="write the results to this file, as .npz (or .npy for one array)",
    )
    parser.add_argument(
        "--seed", type=natural, default=0, help="seed of the random arrays (default: %(default)s)"
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="also evaluate the graph with the reference, and compare the results",
    )
    parser.add_argument(
        "--emit", choices=("c",), help="print the program in this language instead of running it"
    )
    parser.add_argument(
        "--set",
        type=assignment,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="set a variable of the graph, or a dim of random arrays; may be given several times",
    )
    add_allow_custom(parser)
    add_device(parser)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Print the results' shapes and statistics, or the program with `--emit`; the exit code is 1 if `--check` finds a difference.

    Raises:
        CodegenError: the program cannot be written in C.
        CommandError: an option would be ignored.
        GraphFileError: the file holds no graph.
        ExecutionError: the arrays do not fit, or a file cannot be read or written.
    """
    from rich.markup import escape

    import eqsat as eq
    from eqsat.cli.graphs import find_graph, write_arrays
    from eqsat.graph_files.inputs import by_slot, inputs_of, values_of_dims
    from eqsat.specialization.dynamic_extents import greatest_values

    graph = find_graph(arguments.graph, allow_custom=arguments.allow_custom)
    if arguments.emit:
        require_used(arguments, ("arrays", "--output", "--seed", "--check", "--set"), "with --emit")
        return emit(graph, arguments.device, output)
    require_usable(arguments, len(graph.src))
    inputs, values = inputs_of(graph), dict(arguments.set)
    dims = {**greatest_values(graph.toposort()), **values}
    arrays, origin = find_arrays(arguments, inputs, dims)
    told = values_of_dims(inputs, [array.shape for array in arrays])
    slots = by_slot(graph, arrays, inputs, {**dims, **told})
    inputs = [replace(spec, shape=array.shape) for spec, array in zip(inputs, arrays, strict=True)]
    if not arguments.arrays:  # the shapes of random arrays have the values of their dims
        values = {name: value for name, value in values.items() if name not in told}
    program, results, seconds = compile_and_run(
        graph, slots, values, eq.Plan(device=arguments.device), output
    )
    if arguments.output is not None:
        write_arrays(arguments.output, results)
    error = reference_error(graph, slots, values, results) if arguments.check else None
    facts = [result_facts(result) for result in results]
    output.show(escape(f"inputs: {origin} ({'; '.join(map(str, inputs)) or 'none'})"), facts_table(facts))
    report = {
        **input_facts(inputs, origin),
        "results": facts,
        "device": ", ".join(device.name for device in program.devices),
        "kernels": len(program.kernels),
        "seconds": seconds,
        "largest_error": error if error is None or isfinite(error) else None,
        "agrees": None if error is None else error <= TOLERANCE,
    }
    show_run(report, error, output)
    return 1 if report["agrees"] is False else 0


def require_usable(arguments: argparse.Namespace, results: int) -> None:
    """Refuses options that would be ignored, a variable with two values, and a file that cannot hold so many results."""
    from eqsat.cli.graphs import require_ending

    if arguments.arrays:
        require_used(arguments, ("--seed",), "if arrays are given")
    require_different(arguments.set)
    if arguments.output is not None:
        require_ending(arguments.output, results)


def compile_and_run(
    graph: UOp, slots: Sequence[NDArray[Any]], values: Mapping[str, int], plan: eq.Plan, output: Output
) -> tuple[eq.Program, list[NDArray[Any]], float]:
    """The program, its results, and the median of its run times in seconds."""
    import eqsat as eq
    from eqsat.demo.measure import interleaved_times
    from eqsat.demo.report import as_list

    with output.progress("run", total=2) as step:
        step("compile")
        program = eq.compile(graph, plan)
        step("run")
        results = as_list(program(*slots, **values))
        times = interleaved_times({"run": lambda: program(*slots, **values)}, rounds=7)
    return program, results, times["run"].median


def input_facts(inputs: Sequence[Input], origin: str) -> dict[str, Any]:
    """The inputs of a program and their origin, for a report."""
    shapes = [{"shape": list(spec.shape), "dtype": spec.dtype.name} for spec in inputs]
    return {"inputs": shapes, "origin": origin}


def show_run(report: dict[str, Any], error: float | None, output: Output) -> None:
    """Print kernels, time and error of a run; the whole report with `--json`."""
    from eqsat.cli.output import duration

    count = report["kernels"]
    kernels = f"{count} {'kernel' if count == 1 else 'kernels'}"
    output.show(f"{kernels} on {report['device']}, {duration(report['seconds'])} (median of 7 runs)")
    if error is not None:
        output.show(f"largest error against the reference meaning: {error:.2g}")
    output.document(report)


def emit(graph: UOp, device: str | None, output: Output) -> int:
    """Print the program in C; with `--json` {"source", "parameters": [{"name", "dtype", "size"}…]}.

    The dtype is null for memory between kernels, whose size is in bytes.

    Raises:
        CodegenError: a kernel needs work-items that run side by side.
        DeviceError: there is no such device.
    """
    from eqsat.pipeline import Plan, emit_c

    program = emit_c(graph, Plan(device=device))
    output.source(program.source, "c")
    parameters = [
        {"name": each.name, "dtype": None if each.dtype is None else each.dtype.name, "size": each.size}
        for each in program.parameters
    ]
    output.document({"source": program.source, "parameters": parameters})
    return 0


def find_arrays(
    arguments: argparse.Namespace, inputs: Sequence[Input], dims: Mapping[str, int]
) -> tuple[list[NDArray[Any]], str]:
    """The arrays for the inputs, and their origin in words. `dims` are the values of dims, where files do not tell them.

    Raises:
        ExecutionError: a file cannot be read, or its arrays do not fit.
    """
    from eqsat.cli.graphs import read_arrays
    from eqsat.graph_files.inputs import random_arrays, values_of_dims, with_values

    if arguments.arrays:
        return read_arrays(arguments.arrays, inputs, dims), "from " + ", ".join(arguments.arrays)
    inputs_drawn = with_values(inputs, dims)
    values_of_dims(inputs, [spec.shape for spec in inputs_drawn])  # refuses values outside of their bounds
    return random_arrays(inputs_drawn, arguments.seed), f"random, seed {arguments.seed}"


def facts_table(facts: Sequence[dict[str, Any]]) -> Table:
    """A row of `result_facts` for each result."""
    from rich.table import Table

    table = Table("result", "shape", "dtype", "least", "mean", "greatest")
    for number, fact in enumerate(facts):
        table.add_row(str(number), *(_show(value) for value in fact.values()))
    return table


def reference_error(
    graph: UOp, arrays: list[NDArray[Any]], values: Mapping[str, int], results: list[NDArray[Any]]
) -> float:
    """The largest relative difference between the results and the graph's reference meaning; see `demo.report`."""
    from eqsat.cli.graphs import reference_results
    from eqsat.demo.report import largest_error

    return largest_error(results, reference_results(graph, arrays, values))


def result_facts(result: NDArray[Any]) -> dict[str, Any]:
    """Shape, dtype, least, mean and greatest value; None where there is no (finite) such value."""
    import numpy as np

    facts: dict[str, Any] = {"shape": list(result.shape), "dtype": str(result.dtype)}
    with np.errstate(all="ignore"):  # infinities of both signs have no mean
        for name, statistic in (("least", np.min), ("mean", np.mean), ("greatest", np.max)):
            value = float(statistic(result)) if result.size else float("nan")
            facts[name] = value if np.isfinite(value) else None
    return facts


def _show(value: object) -> str:
    return "–" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
