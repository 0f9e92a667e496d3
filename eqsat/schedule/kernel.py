"""What scheduling produces: kernels in dependency order and the buffers between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from eqsat.dtype import DType
from eqsat.shape import Shape
from eqsat.uop import UOp


class Role(Enum):
    """What a buffer is for."""

    INPUT = "input"
    OUTPUT = "output"
    TEMPORARY = "temporary"
    KEPT = "kept"


@dataclass(frozen=True, slots=True)
class BufferSpec:
    """One buffer of a schedule.

    Attributes:
        dtype: of its elements.
        size: in elements.
        role: input and output buffers are the caller's; temporaries live between kernels; what is kept lives from run to run, zeros at first.
        slot: which input or output it is; -1 for a temporary.
        arena: temporaries with the same number are never alive together and may share memory; -1 otherwise.
        shape: of the array whose elements it holds in row-major order; `()` where it is not known. Of a temporary with extents that calls
            know, the part that is used of its room.
        room: how many elements a temporary has room for, where that depends on variables; `size` is the greatest then.
    """

    dtype: DType
    size: int
    role: Role
    slot: int = -1
    arena: int = -1
    shape: Shape = field(default=(), compare=False)
    room: UOp | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Tuning:
    """How the loops of a kernel were chosen by measuring some of the choices that are predicted to be quickest.

    Attributes:
        predicted_before: seconds predicted of the loops that are predicted to be quickest.
        measured_before: seconds measured of those; None if they could not be measured.
        measured: seconds measured of the loops chosen; None if no choice could be measured.
        tried: how many choices were to be measured.
        failed: what became of those that could not be.
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
        buffers: for each PARAM slot of `ast`, which buffer of the schedule it is.
        predicted_seconds: what the cost model expects of it.
        candidates: how many schedules it was chosen among.
        choice: the chosen splits and axis types, for people.
        tuning: how they were measured; None if they are those that are predicted to be quickest.
        values: of those of its variables that the schedule knows, by name.
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
        """What it computes."""
        return self.ast.arg.name


@dataclass(frozen=True, slots=True)
class Schedule:
    """Kernels in the order they run.

    Attributes:
        kernels: of the program.
        buffers: that they read and write.
        inputs, outputs: numbers of the caller's buffers.
        lower_bound: seconds; no choice of the kernels that are considered is predicted to take less together.
        of_part: whether they are chosen for the part of a device that starts kernels sooner; otherwise for all of it.
    """

    kernels: tuple[Kernel, ...]
    buffers: tuple[BufferSpec, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    lower_bound: float = 0.0
    of_part: bool = False

    @property
    def predicted_seconds(self) -> float:
        """The sum over kernels."""
        return sum(kernel.predicted_seconds for kernel in self.kernels)

    @property
    def gap(self) -> float:
        """How much of the predicted time might be saved at most, by what was not looked at: 0 where the kernels are proved best."""
        seconds = self.predicted_seconds
        return max(0.0, 1.0 - self.lower_bound / seconds) if seconds else 0.0
