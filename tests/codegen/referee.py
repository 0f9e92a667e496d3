"""Runs kernels under Oclgrind in a process of its own: `python referee.py FILE`, FILE a pickled list of launches.

Oclgrind reads its options when it is loaded and reports on stderr, hence the process. Its interpreter does not know all that the
optimizer makes (it fails on swizzles), hence the build without it.
"""

import pickle
import sys
from pathlib import Path

import numpy as np
import pyopencl as cl


def main(path: str) -> None:
    """Runs every kernel once on random bytes that are valid for its dtypes."""
    platform = next(each for each in cl.get_platforms() if each.name == "Oclgrind")
    context = cl.Context(platform.get_devices())
    queue = cl.CommandQueue(context)
    for name, source, global_size, local_size, arrays in pickle.loads(Path(path).read_bytes()):
        function = getattr(cl.Program(context, source).build("-cl-opt-disable"), name)
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        buffers = [cl.Buffer(context, flags, hostbuf=np.ascontiguousarray(array)) for array in arrays]
        function.set_args(*buffers)
        sys.stderr.write(f"kernel {name}\n")
        cl.enqueue_nd_range_kernel(queue, function, global_size, local_size)
        queue.finish()


if __name__ == "__main__":
    main(sys.argv[1])
