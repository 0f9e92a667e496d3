"""What kernels of programs are made of, and what those of one program differ in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from eqsat.autobatch.ir import Program
from eqsat.autobatch.opencl.functions import RegionFunctions, Shared, functions_of
from eqsat.autobatch.opencl.meetings import is_meeting
from eqsat.autobatch.opencl.rounds import Waiting, waitings
from eqsat.autobatch.opencl.workspace import LARGE, array_bytes
from eqsat.autobatch.regions import Region, is_scalar
from eqsat.codegen import Dialect
from eqsat.errors import CodegenError
from eqsat.machine import Machine

BATCH, CHUNK, STEPS = (
    "batch",
    "chunk",
    "most_steps",
)  # variables of a launch: how many members, how many of them a work-item runs, its blocks
NO_STEPS_LEFT = -1  # the state of a member that ran too many blocks


class Memory(Enum):
    """Where the stacks of a work-item are."""

    PRIVATE = "private"
    GLOBAL = "global"


@dataclass(frozen=True, slots=True)
class Options:
    """What kernels of one program differ in.

    Attributes:
        depth: how many values each stack holds below its top.
        memory: where.
        counts_steps: whether a member ends when it has run as many blocks as the launch says.
        has_lanes: whether a work-item walks many members at once; see `lanes`.
    """

    depth: int
    memory: Memory = Memory.PRIVATE
    counts_steps: bool = False
    has_lanes: bool = False


@dataclass(frozen=True)
class Code:
    """A lowered and allocated program, whose variables hold one tensor each, with what its blocks compute.

    Attributes:
        program: see above.
        regions: of its blocks, by name.
        functions: of those regions that are on arrays.
        waits: the blocks at which members meet, whose regions are computed outside of the kernel.
        shared: the arrays that all members read.
        name: of the kernel.
        group: how many work-items run a member together, on arrays in global memory; 0 if one does alone, on arrays of its own.
    """

    program: Program
    regions: Mapping[str, Region]
    functions: Mapping[str, RegionFunctions]
    waits: Mapping[str, Waiting]
    shared: Shared
    name: str
    group: int = 0

    @staticmethod
    def of(
        program: Program,
        regions: Mapping[str, Region],
        machine: Machine,
        dialect: Dialect,
        name: str,
        group: int = 1,
    ) -> Code:
        """Schedules what regions compute on arrays, for groups of so many work-items where the arrays of a member are large.

        Raises:
            CodegenError: a work-item lacks memory for a region of a program in which members meet.
        """
        meetings = {block: region for block, region in regions.items() if is_meeting(region)}

        def made(group: int) -> Code:
            shared = Shared()
            functions = {
                block: functions_of(region, block, machine, dialect, shared, group)
                for block, region in regions.items()
                if block not in meetings and not is_scalar(region)
            }
            return Code(program, regions, functions, waitings(program, meetings), shared, name, group)

        if not meetings and array_bytes(program) >= LARGE:
            return made(group)
        try:
            return made(0)
        except CodegenError:
            if meetings:
                raise
            return made(group)
