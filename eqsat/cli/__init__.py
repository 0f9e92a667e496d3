"""The `eqsat` command: one module per subcommand, each with `add_arguments` and `execute`.

Exit codes: 0 done; 1 a result did not agree with its reference; 2 the arguments or the input are wrong, with one message that
says what, where and what to try; 130 interrupted. Heavy modules are imported when a command runs: `eqsat --help` is quick.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from eqsat import __version__
from eqsat.cli import compare, demo, devices, explain, extract, gym, ops, rules, run, show, tune
from eqsat.cli.arguments import Parser
from eqsat.errors import EqsatError

if TYPE_CHECKING:
    from eqsat.cli.output import Output

__all__ = ["main"]

COMMANDS = {
    "demo": demo,
    "devices": devices,
    "run": run,
    "explain": explain,
    "tune": tune,
    "rules": rules,
    "ops": ops,
    "extract": extract,
    "gym": gym,
    "compare": compare,
    "show": show,
}
BAD_INPUT, INTERRUPTED = 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; `arguments` defaults to those of the process. Gives the exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        parsed = build_parser().parse_args(given)
        return COMMANDS[parsed.command].execute(parsed, _output(given))
    except EqsatError as error:
        _output(given).error(error)
        return BAD_INPUT
    except KeyboardInterrupt:
        _output(given).note("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of a pipe (`| head`) has gone: what is still buffered must not be flushed into it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _output(given: Sequence[str]) -> Output:
    from eqsat.cli.output import Output

    return Output(as_json="--json" in given)


def build_parser() -> Parser:
    """The parser of all commands; every command knows `--json`."""
    parser = Parser(
        prog="eqsat",
        allow_abbrev=False,
        description="Optimize array programs by equality saturation and run them through OpenCL.",
    )
    parser.add_argument("--version", action="version", version=f"eqsat {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, module in COMMANDS.items():
        summary = (module.__doc__ or "").partition("\n")[0]
        command = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        command.add_argument("--json", action="store_true", help="print one JSON document instead of text")
        module.add_arguments(command)
    return parser
