"""Measures forms of elementary functions beside their full forms: nanoseconds per element on one core, with operands in the first cache.

Each function runs on 4,096 numbers inside the bounds of all its forms, repeatedly in one work-item, with vectors of 32 bytes. The forms of one
function take turns, and the least time counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np
import pyopencl as cl

from benchmarks.report import parser, publish
from eqsat.codegen import OPENCL_CPU
from eqsat.codegen.rendering.helpers import Helpers
from eqsat.dtype import DType, float32, float64
from eqsat.floats.forms import FORMS
from eqsat.machine import share_of_form
from eqsat.ops import ELEMENTARY_BINARY, Op
from eqsat.runtime import get_device
from eqsat.runtime.opencl.program import OPTIONS, compile_source

ELEMENTS = 4096
VECTOR_BYTES = 32
WIDEST = 20.0  # the greatest magnitude of the numbers
TURN_SECONDS = 5e-3
NUMPY = {float32: np.float32, float64: np.float64}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure all forms, or those of some functions."""
    command = parser(__doc__)
    command.add_argument("functions", nargs="*", help="only these")
    parsed = command.parse_args(arguments)
    wanted = [Op[name.upper()] for name in parsed.functions] or list(FORMS)
    device = get_device(None)
    queue = cl.CommandQueue(cl.Context([device.handle]))
    rows = [
        row
        for op in wanted
        for dtype in (float32, float64)
        for row in measure(queue, op, dtype, parsed.rounds)
    ]
    publish("forms", rows, parsed)


def measure(queue: cl.CommandQueue, op: Op, dtype: DType, rounds: int) -> list[dict[str, Any]]:
    """One row for each form of a function."""
    forms = [form for form in FORMS[op] if dtype in form.ends]
    if not forms:
        return []
    low = max(-WIDEST, *(form.ends[dtype][0] for form in forms))
    high = min(WIDEST, *(form.ends[dtype][1] for form in forms))
    draw = np.random.default_rng(0)
    numbers = [
        draw.uniform(low, high, ELEMENTS).astype(NUMPY[dtype]) for _ in range(1 + (op in ELEMENTARY_BINARY))
    ]
    flags = cl.mem_flags
    given = [
        cl.Buffer(queue.context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=each) for each in numbers
    ]
    taken = cl.Buffer(queue.context, flags.WRITE_ONLY, numbers[0].nbytes)
    names = {None: op.name.lower(), **{form.name: f"{op.name.lower()}_{form.name}" for form in forms}}
    kernels = {form: _kernel(queue.context, name, dtype, len(given)) for form, name in names.items()}

    def seconds(form: str | None, times: int) -> float:
        kernels[form].set_args(taken, *given, np.int64(times))
        begin = perf_counter()
        cl.enqueue_nd_range_kernel(queue, kernels[form], (1,), (1,))
        queue.finish()
        return (perf_counter() - begin) / times

    for form in kernels:
        seconds(form, 1)  # the driver compiles the kernel at its first call
    times = {form: max(1, int(TURN_SECONDS / seconds(form, 500))) for form in kernels}
    least = {form: np.inf for form in kernels}
    for _ in range(rounds):
        for form in kernels:
            least[form] = min(least[form], seconds(form, times[form]))
    return [
        {
            "function": op.name.lower(),
            "dtype": dtype.name,
            "form": form.name,
            "full, ns": round(least[None] / ELEMENTS * 1e9, 3),
            "form, ns": round(least[form.name] / ELEMENTS * 1e9, 3),
            "share": round(least[form.name] / least[None], 2),
            "priced": share_of_form(op, form.name),
        }
        for form in forms
    ]


def _kernel(context: cl.Context, name: str, dtype: DType, operands: int) -> cl.Kernel:
    vector = dtype.vec(VECTOR_BYTES // dtype.itemsize)
    helpers = Helpers(OPENCL_CPU)
    call = helpers.call(name, vector, *(f"in{number}[k]" for number in range(operands)))
    kind = OPENCL_CPU.value_type(vector)
    arrays = ", ".join(f"__global const {kind} *in{number}" for number in range(operands))
    source = OPENCL_CPU.whole(
        f"{helpers.source}__kernel void forms(__global {kind} *out, {arrays}, const long times) {{\n"
        f"    for (long time = 0; time < times; time++)\n"
        f"        for (long k = 0; k < {ELEMENTS // vector.lanes}; k++)\n"
        f"            out[k] = {call};\n}}\n"
    )
    return cl.Kernel(compile_source(context, source, OPTIONS), "forms")


if __name__ == "__main__":
    main()
