"""The code that all kernels of a program share, and the options in which they differ."""

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
)  # variables of a launch: the members in it, the members per work-item, and the most blocks that a member may run
NO_STEPS_LEFT = -1  # the status of a member that ran too many blocks


class Memory(Enum):
    """The memory that holds the stacks of a work-item."""

    PRIVATE = "private"
    GLOBAL = "global"


@dataclass(frozen=True, slots=True)
class Options:
    """The options in which kernels of one program differ.

    Attributes:
        depth: the number of values that each stack can hold below its top.
        memory: the memory that holds the stacks.
        counts_steps: whether a member ends when it has run the most blocks that the launch allows.
        has_lanes: whether a work-item runs several members at once, in vector lanes; see `lanes`.
    """

    depth: int
    memory: Memory = Memory.PRIVATE
    counts_steps: bool = False
    has_lanes: bool = False


@dataclass(frozen=True)
class Code:
    """A lowered program with its regions, and the functions that compute regions on arrays.

    Attributes:
        program: a lowered program with allocated variables, each of which holds one tensor.
        regions: the region of each block, by the block's name.
        functions: for each block whose region computes arrays, the functions that do so.
        waits: the blocks at which members meet; their regions are computed outside of the kernel.
        shared: the arrays that all members read.
        name: the name of the kernel.
        group: the number of work-items that run a member together, on arrays in global memory; 0 if one work-item runs it, on private arrays.
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
        """Schedules the regions on arrays; for work-groups of `group` work-items if the arrays of a member are large.

        Raises:
            CodegenError: members meet in the program, and a region needs more memory than a work-item has.
        """
        meetings = {block: region for block, region in regions.items() if is_meeting(region)}

        def made(group: int) -> Code:
            shared = Shared()
            functions = {
                block: functions_of(region, block, machine, dialect, shared, group)
                for block, region in regions.items()
                if block not in meetings and not is_scalar(region)
            }
            return Code(program, regions, functions, waitings(meetings), shared, name, group)

        if not meetings and array_bytes(program) >= LARGE:
            return made(group)
        try:
            return made(0)
        except CodegenError:
            if meetings:
                raise
            return made(group)
