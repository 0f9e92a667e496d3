"""The child process of `guard`: it builds and runs kernels before the process that asked does."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from eqsat.codegen import Argument, RenderedKernel
from eqsat.dtype import DType, parse_dtype, void
from eqsat.ops import Op
from eqsat.runtime.buffers import ALIGNMENT
from eqsat.runtime.opencl.device import discover
from eqsat.runtime.opencl.guard import BUILT, RAN
from eqsat.runtime.opencl.lazy import cl
from eqsat.runtime.opencl.program import Program
from eqsat.runtime.storage import stored_dtype
from eqsat.uop import UOp


def main() -> None:
    """Builds and runs the kernels of the task on standard input; reports both on standard output."""
    task = json.load(sys.stdin)
    found = [each for device in discover() for each in (device, device.companion) if each]
    device = next(device for device in found if device.name == task["device"])
    kernels = [_kernel(document) for document in task["kernels"]]
    program = Program(device, kernels)
    made = [program.kernel(kernel.name) for kernel in kernels]
    sys.stdout.write(f"{BUILT}\n")
    sys.stdout.flush()
    for kernel, launched in zip(kernels, made, strict=True):
        arrays = [_aligned_to_one(argument) for argument in kernel.arguments]
        how = cl.mem_flags.USE_HOST_PTR if device.shares_memory else cl.mem_flags.COPY_HOST_PTR
        flags = cl.mem_flags.READ_WRITE | how
        buffers = [cl.Buffer(device.context, flags, hostbuf=array) for array in arrays]
        launched.set_args(*buffers)
        cl.enqueue_nd_range_kernel(device.queue, launched, kernel.global_size, kernel.local_size).wait()
    program.save()
    sys.stdout.write(f"{RAN}\n")


def _aligned_to_one(argument: Argument) -> np.ndarray:
    """Zeros at an address that is a multiple of an element's size, and of no larger power of two: kernels may rely on no more."""
    dtype = stored_dtype(argument.dtype)
    room = np.zeros(max(1, argument.size) * dtype.itemsize + 2 * ALIGNMENT, np.uint8)
    start = -room.ctypes.data % ALIGNMENT + dtype.itemsize
    return room[start : start + max(1, argument.size) * dtype.itemsize].view(dtype)


def _kernel(document: Mapping[str, Any]) -> RenderedKernel:
    def element_of(name: str) -> DType:
        dtype = parse_dtype(name)
        assert isinstance(dtype, DType)
        return dtype

    arguments = tuple(
        Argument(slot, element_of(name), size, written) for slot, name, size, written in document["arguments"]
    )
    sizes = tuple(document["global_size"]), tuple(document["local_size"])
    linear = UOp(Op.LINEAR, void)
    return RenderedKernel(document["name"], document["source"], *sizes, arguments, (), linear)


if __name__ == "__main__":
    main()
