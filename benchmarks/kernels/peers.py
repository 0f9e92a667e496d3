"""The libraries that are compared, and how each one gets a workload. This runs in the process of one library."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from numpy.typing import NDArray

from benchmarks.kernels import by_hand
from benchmarks.kernels.workload import Workload
from eqsat.demo.report import as_list

BY_HAND = "by_hand"
Arrays = Sequence[NDArray[Any]]


class Call(NamedTuple):
    """A workload on its inputs.

    Attributes:
        run: computes the result and waits until it is there.
        fetch: converts the result to NumPy arrays.
    """

    run: Callable[[], Any]
    fetch: Callable[[Any], list[NDArray[Any]]]


@dataclass(frozen=True)
class Peer:
    """A library, or a way to use it.

    Attributes:
        name: its name in the table.
        package: the package that has to be installed.
        prepare: places the arrays where the library needs them, and returns the call. Each library uses its default number of threads.
        only: the names of the workloads that it has; None if it has all.
    """

    name: str
    package: str
    prepare: Callable[[Workload, Arrays], Call]
    only: frozenset[str] | None = None

    def has(self, workload: Workload) -> bool:
        """Whether it takes part in a workload."""
        return self.only is None or workload.name in self.only

    def is_installed(self) -> bool:
        """Whether its package is installed."""
        return find_spec(self.package) is not None


def prepare_eqsat(workload: Workload, arrays: Arrays) -> Call:
    """`eq.jit`, on NumPy arrays."""
    import eqsat as eq

    return Call(partial(eq.jit(workload.function_for("eqsat")), eq, *arrays), as_list)


def prepare_by_hand(workload: Workload, arrays: Arrays) -> Call:
    """Kernels that were written by hand for the workload; they are a benchmark, not an alternative for users."""
    return Call(by_hand.compiled(workload.name, arrays), as_list)


def prepare_numpy(workload: Workload, arrays: Arrays) -> Call:
    """NumPy and SciPy."""
    return Call(partial(workload.function_for("numpy"), names_of("numpy"), *arrays), as_list)


def prepare_jax(workload: Workload, arrays: Arrays) -> Call:
    """`jax.jit`, with float64 enabled."""
    import jax

    jax.config.update("jax_enable_x64", True)
    function = jax.jit(partial(workload.function_for("jax"), names_of("jax")))
    placed = [jax.numpy.asarray(array) for array in arrays]
    return Call(lambda: jax.block_until_ready(function(*placed)), as_list)


def prepare_torch(workload: Workload, arrays: Arrays) -> Call:
    """Eager torch, without gradients."""
    return _torch_call(partial(workload.function_for("torch"), names_of("torch")), arrays)


def prepare_compiled_torch(workload: Workload, arrays: Arrays) -> Call:
    """`torch.compile`, without gradients."""
    import torch

    torch.compiler.reset()  # otherwise it compiles no more after eight workloads through one lambda
    function, names = workload.function_for("torch"), names_of("torch")
    return _torch_call(torch.compile(lambda *tensors: function(names, *tensors), fullgraph=True), arrays)


def _torch_call(function: Callable[..., Any], arrays: Arrays) -> Call:
    import torch

    torch.set_grad_enabled(False)
    return Call(partial(function, *map(torch.from_numpy, arrays)), as_list)


def prepare_tinygrad(workload: Workload, arrays: Arrays) -> Call:
    """`TinyJit`, on the device that tinygrad picks. Without Clang it would find none, so it gets the OpenCL that eqsat brings."""
    if shutil.which("clang") is None:
        _show_opencl()
    from tinygrad import Device, Tensor, TinyJit

    device = Device[Device.DEFAULT]
    function, names = workload.function_for("tinygrad"), names_of("tinygrad")
    jitted = TinyJit(lambda *tensors: [each.realize() for each in _several(function(names, *tensors))])
    placed = [Tensor(array).realize() for array in arrays]

    def run() -> list[Tensor]:
        results = jitted(*placed)
        device.synchronize()
        return results

    return Call(run, lambda results: [each.numpy() for each in results])


def _show_opencl() -> None:
    """Tells libraries that are imported afterwards where OpenCL is: the loader that pyopencl ships, and PoCL as the only driver.

    tinygrad takes the first driver, which may be Oclgrind's interpreter if that is installed, too.
    """
    libraries = Path(getattr(find_spec("pyopencl"), "origin", "")).parent / ".libs"
    for driver in libraries.glob("pocl*.icd"):
        os.environ.setdefault("OCL_ICD_VENDORS", str(driver))
    import pyopencl

    pyopencl.get_platforms()  # registers the driver
    for loader in libraries.glob("libOpenCL*"):
        os.environ.setdefault("OPENCL_PATH", str(loader))


def _several(results: Any) -> list[Any]:
    return list(results) if isinstance(results, tuple | list) else [results]


def names_of(library: str) -> ModuleType:
    """The module that gives a library eqsat's names."""
    return import_module(f"benchmarks.kernels.names.{library}_names")


PEERS = {
    peer.name: peer
    for peer in (
        Peer("eqsat", "eqsat", prepare_eqsat),
        Peer(BY_HAND, "eqsat", prepare_by_hand, frozenset(by_hand.WRITTEN)),
        Peer("numpy", "numpy", prepare_numpy),
        Peer("jax", "jax", prepare_jax),
        Peer("torch", "torch", prepare_torch),
        Peer("torch.compile", "torch", prepare_compiled_torch),
        Peer("tinygrad", "tinygrad", prepare_tinygrad),
    )
}
