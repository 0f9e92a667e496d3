"""The result of scheduling: kernels in dependency order and the buffers between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from eqsat.dtype import DType
from eqsat.shape import Shape
from eqsat.uop import UOp


class Role(Enum):
    """The purpose of a buffer."""

    INPUT = "input"
    OUTPUT = "output"
    TEMPORARY = "temporary"
    KEPT = "kept"


@dataclass(frozen=True, slots=True)
class BufferSpec:
    """One buffer of a schedule.

    Attributes:
        dtype: the dtype of its elements.
        size: its number of elements.
        role: input and output buffers are the caller's; temporaries live between kernels; KEPT buffers live from run to run, and hold zeros at first.
        slot: the number of the input or output; -1 for a temporary.
        arena: the live ranges of temporaries with the same number do not overlap, so that they may share memory; -1 for other buffers.
        shape: the shape of the array whose elements it holds in row-major order; `()` if it is not known. For a temporary with extents that
            only calls know, the part of its capacity that is used.
        capacity: the number of elements that a temporary has room for, if that depends on variables; `size` is then the greatest such number.
    """

    dtype: DType
    size: int
    role: Role
    slot: int = -1
    arena: int = -1
    shape: Shape = field(default=(), compare=False)
    capacity: UOp | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Tuning:
    """How the loops of a kernel were chosen, by measuring some of the choices that are predicted to be quickest.

    Attributes:
        predicted_before: predicted seconds of the choice that is predicted to be quickest.
        measured_before: measured seconds of that choice; None if it could not be measured.
        measured: measured seconds of the chosen loops; None if no choice could be measured.
        tried: number of choices that were to be measured.
        failed: for each choice that could not be measured, what happened.
    """

    predicted_before: float
    measured_before: float | None
    measured: float | None
    tried: int
    failed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Kernel:
    """One launch.

    Attributes:
        ast: a SINK of the kernel stage, with axis types chosen.
        buffers: for each PARAM slot of `ast`, the buffer of the schedule.
        predicted_seconds: the seconds that the cost model predicts.
        candidates: number of choices of loops from which these were chosen.
        choice: the chosen splits and axis types as a text for people.
        tuning: how the loops were measured; None if they are those that are predicted to be quickest.
        values: the names and values of those of its variables that the schedule knows.
    """

    ast: UOp
    buffers: tuple[int, ...]
    predicted_seconds: float
    candidates: int
    choice: str
    tuning: Tuning | None = None
    values: tuple[tuple[str, int], ...] = ()

    @property
    def name(self) -> str:
        """The name of the kernel, which says what it computes."""
        return self.ast.arg.name


@dataclass(frozen=True, slots=True)
class Schedule:
    """Kernels in the order in which they run.

    Attributes:
        kernels: the kernels of the program.
        buffers: the buffers that they read and write.
        inputs, outputs: numbers of the caller's buffers.
        lower_bound: seconds that every choice of the considered kernels is predicted to take at least.
        of_part: whether the kernels were chosen for the part of a device that starts kernels sooner, and not for all of it.
    """

    kernels: tuple[Kernel, ...]
    buffers: tuple[BufferSpec, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    lower_bound: float = 0.0
    of_part: bool = False

    @property
    def predicted_seconds(self) -> float:
        """The predicted seconds of all kernels together."""
        return sum(kernel.predicted_seconds for kernel in self.kernels)

    @property
    def gap(self) -> float:
        """The greatest share of the predicted time that a better choice of the considered kernels might save: 0 if these are proved best.

        With little time, fewer are considered: of fewer equal programs, and of each only some.
        """
        seconds = self.predicted_seconds
        return max(0.0, 1.0 - self.lower_bound / seconds) if seconds else 0.0
