"""Show how a batched function is compiled: its program, the program without calls, the storage of its variables, and the kernel."""

from __future__ import annotations

import contextlib
import re
import runpy
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from eqsat.errors import EqsatError, GraphFileError

if TYPE_CHECKING:
    import eqsat as eq
    from eqsat.autobatch import Batched
    from eqsat.cli.output import Output

_PLACE = re.compile(r"(.*\.py):(\w+)")
_TYPE = re.compile(r"(\w+)(?:\[([\d,\s]*)\])?")


def is_place(name: str) -> bool:
    """Whether a name refers to a function in a file, as `FILE.py:FUNCTION`."""
    return _PLACE.fullmatch(name) is not None


def explain_batched(place: str, types: Sequence[str], plan: eq.Plan, output: Output) -> int:
    """Print the stages of a batched function.

    Raises:
        GraphFileError: there is no such file, it has no such batched function, or a type is invalid.
        BuildError: the function cannot be batched for these types.
    """
    from rich.markup import escape
    from rich.rule import Rule
    from rich.table import Table

    from eqsat.autobatch.batch_program import BatchProgram

    with output.progress("explain", total=2) as step:
        step("translate")
        function = _found(place)
        program = BatchProgram(function.program(*map(_type, types)), plan, function.source.name)
        step("lower and optimize")
        lowered, kernel = program.lowered, program.kernel
    output.show(Rule("program", align="left"), escape(str(program.program)))
    output.show(Rule("without calls", align="left"), escape(str(lowered)))
    table = Table("variable", "kept as")
    for name, how in lowered.var_alloc.items():
        table.add_row(escape(name), how.value)
    output.show(Rule("variables", align="left"), table)
    output.show(Rule(f"kernel: {kernel.name}", align="left"))
    output.source(kernel.source, "c")
    output.document(
        {
            "program": str(program.program),
            "lowered": str(lowered),
            "variables": {name: how.value for name, how in lowered.var_alloc.items()},
            "kernel": kernel.source,
        }
    )
    return 0


def _found(place: str) -> Batched:
    """The batched function at a place. Its file is run, and prints to standard error."""
    from eqsat.autobatch import Batched

    match = _PLACE.fullmatch(place)
    if match is None:
        raise GraphFileError(f"{place!r} is no function in a file; name it as FILE.py:FUNCTION")
    path, name = match.groups()
    try:
        with contextlib.redirect_stdout(sys.stderr):
            names: dict[str, Any] = runpy.run_path(path, run_name="explained")
    except OSError as error:
        raise GraphFileError(
            f"cannot read {path}: {error.strerror}; name a file as FILE.py:FUNCTION"
        ) from error
    except EqsatError:
        raise
    except Exception as error:
        raise GraphFileError(
            f"{path} raises {type(error).__name__}: {error}; name a file that runs"
        ) from error
    function = names.get(name)
    if not isinstance(function, Batched):
        known = ", ".join(key for key, value in names.items() if isinstance(value, Batched)) or "none"
        raise GraphFileError(f"{path} has no batched function {name!r}; its batched functions: {known}")
    return function


def _type(text: str) -> eq.Spec:
    """A type such as `int32`, or `float32[3, 2]`."""
    import eqsat as eq
    from eqsat.dtype import parse_dtype

    no_type = GraphFileError(f"{text!r} is no type of an argument; give one such as int32, or float32[3,2]")
    match = _TYPE.fullmatch(text)
    if match is None:
        raise no_type
    try:
        extents = tuple(int(each) for each in (match[2] or "").split(",") if each.strip())
        return eq.spec(extents, parse_dtype(match[1]))
    except (EqsatError, ValueError) as error:
        raise no_type from error
