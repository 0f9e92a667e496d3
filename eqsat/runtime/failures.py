"""OpenCL's status codes as eqsat's errors: what failed, on which device, and what to try."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from eqsat.errors import DeviceError, EqsatError, ExecutionError, MemoryExhaustedError
from eqsat.runtime.lazy import cl

# Names of https://registry.khronos.org/OpenCL/specs/, CL/cl.h; numbers, so that nothing is imported to name them.
MEMORY_CODES = {-4: "MEM_OBJECT_ALLOCATION_FAILURE", -6: "OUT_OF_HOST_MEMORY", -61: "INVALID_BUFFER_SIZE"}
LOST_CODES = {
    -2: "DEVICE_NOT_AVAILABLE",
    -5: "OUT_OF_RESOURCES",
    -33: "INVALID_DEVICE",
    -34: "INVALID_CONTEXT",
    -36: "INVALID_COMMAND_QUEUE",
    -14: "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
}

SMALLER = "work on smaller pieces, or drop results that are no longer needed"


@contextmanager
def explained(doing: str, device: str) -> Generator[None]:
    """Turn errors of OpenCL and of the host's allocator inside the block into eqsat's own.

    Args:
        doing: what the block does, as in "running softmax".
        device: the name of the device it is done on.

    Raises:
        MemoryExhaustedError: a buffer could not be had.
        DeviceError: the device is lost or unusable.
        ExecutionError: anything else that OpenCL rejected.
    """
    try:
        yield
    except cl.Error as error:
        raise explain(error.code, str(error), doing, device) from error
    except MemoryError as error:
        raise MemoryExhaustedError(
            f"no host memory was left while {doing} on {device} ({error}); {SMALLER}"
        ) from error


def explain(code: int, text: str, doing: str, device: str) -> EqsatError:
    """The error for one OpenCL status code; `text` is the driver's own message."""
    if code in MEMORY_CODES:
        return MemoryExhaustedError(f"{device} had no memory for a buffer while {doing} ({text}); {SMALLER}")
    if code in LOST_CODES:
        return DeviceError(
            f"{device} was lost or is out of resources while {doing} ({text}); nothing of this run was returned. "
            f"Run again in a new process, or choose another device with EQSAT_DEVICE"
        )
    return ExecutionError(
        f"{device} refused while {doing} ({text}); this is a fault of the generated launch: please report it"
    )
