"""List the operations, and for each stage whether it runs them, lowers them or refuses them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from eqsat.cli.arguments import require_used

if TYPE_CHECKING:
    from eqsat.cli.output import Output
    from eqsat.ops import Op


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds which operations to list."""
    parser.add_argument(
        "operation",
        nargs="*",
        default=[],
        help="name of an operation; may be given several times (default: all)",
    )
    parser.add_argument("--markdown", action="store_true", help="print the page docs/uops.md")


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Print a table of the operations and stages.

    Raises:
        BuildError: there is no such operation.
        CommandError: an option would be ignored.
    """
    from rich.markup import escape
    from rich.table import Table

    from eqsat.ops import TABLE, Stage
    from eqsat.spec.stages import cell, document

    if arguments.markdown:
        require_used(arguments, ("operation",), "with --markdown")
    chosen = chosen_operations(arguments.operation)
    if arguments.markdown:
        output.show(escape(document().rstrip("\n")))
    else:
        table = Table("operation", *(stage.value for stage in Stage))
        for op in chosen:
            table.add_row(op.name, *(escape(cell(op, stage)) for stage in Stage))
        output.show(table)
    output.document({
        "operations": [
            {"name": op.name, "does": TABLE[op].doc, "seeds": TABLE[op].seeds, "stages": {stage.value: cell(op, stage) for stage in Stage}}
            for op in chosen
        ]
    })  # fmt: skip
    return 0


def chosen_operations(names: list[str]) -> list[Op]:
    """The operations with these names, whose case does not matter; all operations if there are no names.

    Raises:
        BuildError: no operation has a given name.
    """
    from eqsat.errors import BuildError
    from eqsat.ops import Op

    for name in names:
        if name.upper() not in Op.__members__:
            raise BuildError(f"no operation is named {name!r}; `eqsat ops` lists all")
    return [Op[name.upper()] for name in names] or list(Op)
