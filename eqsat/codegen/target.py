"""What a renderer must know about a device."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """One dialect of OpenCL C.

    Attributes:
        name: for messages.
        vector_pointers: vectors are read and written through pointers to under-aligned vector types, which every compiler
            built on Clang has; otherwise through `vloadN` and `vstoreN`. PoCL 3.0 aborts on the 16-wide functions.
        float64: whether double arithmetic exists.
        contract: whether the compiler may round a product once with the sum that it is part of.
    """

    name: str
    vector_pointers: bool = True
    float64: bool = True
    contract: bool = True


OPENCL_CPU = Target("OpenCL on a CPU")
OPENCL_PORTABLE = Target("portable OpenCL", vector_pointers=False)
