"""Every error that eqsat raises on purpose.

One root, `EqsatError`, so that a caller can catch all of them; one class per kind of mistake, so that a caller can tell them
apart. A message says what is wrong, where, and what to try; `brief` and `shortened` shorten the values and texts that it quotes.
"""

import reprlib
from typing import Any

BRIEF = 300  # characters of a value in a message


def brief(value: Any) -> str:
    """The repr of a value for a message, on one line of limited length."""
    try:
        text = reprlib.repr(value)
    except ValueError:  # an integer with more digits than Python writes
        text = f"a {type(value).__name__}"
    return shortened(text)


def shortened(text: str, most: int = BRIEF) -> str:
    """The first `most` characters of a text whose length somebody else decides."""
    return text if len(text) <= most else f"{text[:most]}…"


class EqsatError(Exception):
    """The root of all errors of this package."""


class BuildError(EqsatError):
    """A value cannot be built from these operands."""


class ShapeError(BuildError):
    """Shapes do not fit each other or the operation."""


class DTypeError(BuildError):
    """A dtype does not fit the operation."""


class IndexingError(BuildError, IndexError):
    """A subscript does not fit the shape it is applied to."""


class UnknownValueError(BuildError):
    """Code asked for the value of an array that has no value while a function is traced."""


class SpecError(EqsatError):
    """A graph is not legal at the stage it is used at."""


class GraphFileError(EqsatError):
    """A document or a file is not a serialized graph."""


class CommandError(EqsatError):
    """A command line cannot be understood."""


class EvaluationError(EqsatError):
    """The reference interpreter met a program without a meaning: an access out of bounds, a register never written."""


class RuleError(EqsatError):
    """A rewrite rule is declared wrongly."""


class MachineError(EqsatError):
    """An operation has no price, a number is none of a machine, or a document is no description of one."""


class ExtractionError(EqsatError):
    """No finite-cost program can be extracted, or the extraction problem is malformed."""


class ComparisonError(EqsatError):
    """A comparison cannot be made or written: there is nothing to compare, an extra is not installed, a cluster does not answer."""


class ExplanationError(EqsatError):
    """No chain of rules was found that explains a result, or a document is no explanation."""


class ReplayError(ExplanationError):
    """A step of an explanation does not hold; the message names it."""


class ScheduleError(EqsatError):
    """A graph cannot be turned into kernels."""


class CodegenError(EqsatError):
    """A kernel cannot be rendered for the target."""


class DeviceError(EqsatError):
    """A device is unknown, missing or lost, or its driver lacks something that it needs: a directory, a linker, file descriptors."""


class ForkError(EqsatError):
    """A forked process uses something that needs threads of its parent process, which a fork does not copy; spawn the process instead."""


class CompileError(EqsatError):
    """The OpenCL compiler rejected a kernel; the message holds the source and the log."""


class ExecutionError(EqsatError):
    """A compiled program was called with arguments that do not fit, or failed on its device."""


class ExtentError(ExecutionError):
    """An extent of an array is outside the bounds of its dim, or differs from that of another array that shares the dim."""


class MemoryExhaustedError(ExecutionError):
    """The device or the host has no memory left for a buffer."""


class StackOverflowError(ExecutionError):
    """Members of a batch needed a deeper stack than they were given. The results of the others are right.

    Attributes:
        members: the numbers of the members.
        results: the computed results; the rows of `members` have no meaning.
    """

    def __init__(self, message: str, members: object = (), results: object = None) -> None:
        super().__init__(message)
        self.members = members
        self.results = results


class StepLimitError(ExecutionError):
    """A batched program took more steps than it is allowed."""
