"""Reads and writes graphs and arrays that a command names: a graph file, an example of the demo, `.npy` and `.npz` files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eqsat.demo.programs import PROGRAMS
from eqsat.dtype import from_numpy, parse_dtype
from eqsat.errors import ExecutionError, GraphFileError
from eqsat.graph_files.inputs import Input, values_of_dims, with_values
from eqsat.graph_files.reading import read_graph
from eqsat.specialization.dynamic_extents import greatest_values
from eqsat.specialization.specialize import at_greatest
from eqsat.uop import UOp, toposort

if TYPE_CHECKING:
    from eqsat.cli.output import Output

NONE: Mapping[str, int] = MappingProxyType({})


def find_graph(name: str, *, allow_custom: bool = False) -> UOp:
    """The SINK of a graph file, or of a named example such as `softmax`; `allow_custom` admits code in a file.

    Raises:
        GraphFileError: there is neither a file nor an example of this name, or the file holds no graph.
    """
    path = Path(name)
    is_there = name != "" and path.exists()  # `Path("")` is the current folder
    if not is_there and name in PROGRAMS:
        return trace_example(name)
    if not is_there:
        raise GraphFileError(f"no file or example is named {name!r}; the examples are {', '.join(PROGRAMS)}")
    return read_graph(path, allow_custom=allow_custom)


def trace_example(name: str) -> UOp:
    """The SINK of an example, by its name in `demo.programs`."""
    import eqsat as eq

    program = PROGRAMS[name]
    specs = [eq.spec(shape, parse_dtype(dtype)) for shape, dtype in program.inputs]
    return eq.trace(program.bind(eq), *specs)


def for_greatest_dims(graph: UOp, output: Output) -> UOp:
    """The graph with the greatest values of its dims; a note says so if there are any."""
    if greatest := greatest_values(toposort([graph])):
        values = ", ".join(f"{name} = {value}" for name, value in greatest.items())
        output.note(f"the graph has dims; this is the graph of their greatest values, {values}")
    return at_greatest(graph)


def read_arrays(
    files: Sequence[str], inputs: Sequence[Input], values: Mapping[str, int] = NONE
) -> list[NDArray[Any]]:
    """The arrays of `.npy` files, and of `.npz` files in the order in which they were saved, as the inputs of a graph.

    `values` are those of dims that no shape of an array gives.

    Raises:
        ExecutionError: a file cannot be read, or the arrays do not fit the inputs in number, size or dtype.
    """
    arrays = [array for file in files for array in _read_array_file(Path(file))]
    expected = "; ".join(map(str, inputs))
    if len(arrays) != len(inputs):
        raise ExecutionError(
            f"the graph takes {len(inputs)} arrays ({expected}), got {len(arrays)}; give one for each"
        )
    inputs = with_values(inputs, {**values, **values_of_dims(inputs, [each.shape for each in arrays])})
    for array, spec in zip(arrays, inputs, strict=True):
        if array.shape != spec.shape and array.shape != (int(np.prod(spec.shape)),):
            raise ExecutionError(
                f"input {spec.slot} has shape {array.shape}, the graph takes {spec}; reshape it"
            )
        if from_numpy(array.dtype) != spec.dtype:
            raise ExecutionError(
                f"input {spec.slot} has dtype {array.dtype}, the graph takes {spec}; convert it"
            )
    return [array.reshape(spec.shape) for array, spec in zip(arrays, inputs, strict=True)]


def _read_array_file(path: Path) -> list[NDArray[Any]]:
    try:
        loaded = np.load(path, allow_pickle=False)
    except OSError as error:
        raise ExecutionError(f"cannot read {path}: {error.strerror or error}; check the path") from error
    except (ValueError, EOFError) as error:
        raise ExecutionError(
            f"{path} is no .npy or .npz file of plain arrays ({error}); numpy.save writes one"
        ) from error
    if isinstance(loaded, np.ndarray):
        return [loaded]
    with loaded as archive:
        return [archive[name] for name in archive.files]


def reference_results(
    graph: UOp, arrays: Sequence[NDArray[Any]], values: Mapping[str, int]
) -> list[NDArray[Any]]:
    """The results of the graph by the reference evaluator; `values` are the values of its variables."""
    import eqsat as eq
    from eqsat.demo.report import as_list

    return as_list(eq.evaluate(graph, {**dict(enumerate(arrays)), **values}))


def require_ending(path: Path, count: int) -> None:
    """Checks that the ending of a path suits the number of arrays: `.npy` for one array, `.npz` for any number.

    Raises:
        ExecutionError: it does not.
    """
    if path.suffix not in {".npy", ".npz"} or (path.suffix == ".npy" and count != 1):
        raise ExecutionError(f"cannot save {count} arrays as {path}; name it .npz (or .npy for one array)")


def write_arrays(path: Path, arrays: Sequence[NDArray[Any]]) -> None:
    """Saves one array as `.npy`, or any number of arrays as `.npz`; the ending of the path decides.

    Raises:
        ExecutionError: the file cannot be written, or the ending does not suit the number of arrays.
    """
    require_ending(path, len(arrays))
    try:
        if path.suffix == ".npy":
            np.save(path, arrays[0])
        else:
            np.savez(path, *arrays)
    except OSError as error:
        raise ExecutionError(
            f"cannot write {path}: {error.strerror or error}; choose another place"
        ) from error
