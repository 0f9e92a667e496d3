"""The `eqsat` command: one module per subcommand, each with `add_arguments` and `execute`.

Exit codes: 0 done; 1 a result did not agree with its reference; 2 the arguments or the input are wrong, with one message that
says what, where and what to try; 130 interrupted. Heavy modules are imported only when a command runs, so `eqsat --help` is quick.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from eqsat import __version__
from eqsat.cli import compare, demo, devices, explain, extract, gym, ops, rules, run, show, tune
from eqsat.cli.arguments import Parser
from eqsat.cli.standard_output import replace_what_is_not_encoded
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
    """Run one command, and return its exit code; `arguments` defaults to the arguments of the process."""
    given = sys.argv[1:] if arguments is None else arguments
    output: Output | None = None
    replace_what_is_not_encoded()
    try:
        parsed = build_parser().parse_args(given)
        output = _output(given)
        return COMMANDS[parsed.command].execute(parsed, output)
    except EqsatError as error:
        (output or _output(given)).error(error)
        return BAD_INPUT
    except KeyboardInterrupt:
        (output or _output(given)).interrupted()
        return INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe (`| head`) has gone
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
        command.set_defaults(default_of=command.get_default)  # for `require_used`
        module.add_arguments(command)
    return parser
