"""Turns OpenCL's status codes into eqsat's errors, which say what failed, on which device, and what to try."""

from __future__ import annotations

from eqsat.errors import DeviceError, EqsatError, ExecutionError, MemoryExhaustedError
from eqsat.runtime.opencl.lazy import cl

# Names are from https://registry.khronos.org/OpenCL/specs/, CL/cl.h. The codes are plain numbers, so that nothing has to be imported.
MEMORY_CODES = {-4: "MEM_OBJECT_ALLOCATION_FAILURE", -6: "OUT_OF_HOST_MEMORY", -61: "INVALID_BUFFER_SIZE"}
INVALID_WORK_GROUP_SIZE = -54
LOST_CODES = {
    -2: "DEVICE_NOT_AVAILABLE",
    -5: "OUT_OF_RESOURCES",
    -33: "INVALID_DEVICE",
    -34: "INVALID_CONTEXT",
    -36: "INVALID_COMMAND_QUEUE",
    -14: "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
}

SMALLER = "work on smaller pieces, or drop results that are no longer needed"


class explained:  # noqa: N801 - read as a word in `with explained(...)`
    """Turns errors of OpenCL and of the host's allocator inside its block into eqsat's own. It can be entered several times.

    Raises:
        MemoryExhaustedError: a buffer could not be allocated.
        DeviceError: the device is lost or unusable.
        ExecutionError: anything else that OpenCL rejected.
    """

    __slots__ = ("_device", "_doing")

    def __init__(self, doing: str, device: str) -> None:
        """`doing` is what the block does, as in "running softmax"; `device` is the name of the device."""
        self._doing = doing
        self._device = device

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, MemoryError):
            raise MemoryExhaustedError(
                f"no host memory was left while {self._doing} on {self._device} ({error}); {SMALLER}"
            ) from error
        if error is not None and isinstance(error, cl.Error):
            raise explain(error.code, str(error), self._doing, self._device) from error


def explain(code: int, text: str, doing: str, device: str) -> EqsatError:
    """The error for one OpenCL status code; `text` is the driver's own message."""
    if code in MEMORY_CODES:
        return MemoryExhaustedError(f"{device} had no memory for a buffer while {doing} ({text}); {SMALLER}")
    if code in LOST_CODES:
        return DeviceError(
            f"{device} was lost or is out of resources while {doing} ({text}); nothing of this run was returned. "
            f"Run again in a new process, or choose another device with EQSAT_DEVICE"
        )
    if code == INVALID_WORK_GROUP_SIZE:
        return ExecutionError(
            f"{device} refused while {doing} ({text}): it has no such groups of work-items; shorten the LOCAL ranges, "
            f"or, if they are short, please report it"
        )
    return ExecutionError(
        f"{device} refused while {doing} ({text}); this is a fault of the generated launch: please report it"
    )
