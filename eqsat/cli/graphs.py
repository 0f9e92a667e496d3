"""Graphs and arrays that a command names: a graph file, an example of the demo, `.npy` and `.npz` files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqsat.demo.programs import PROGRAMS
from eqsat.dtype import DType, from_numpy, parse_dtype, to_numpy
from eqsat.errors import ExecutionError, GraphFileError, SpecError
from eqsat.ops import Op, Stage
from eqsat.serialize import from_json
from eqsat.spec import verify
from eqsat.uop import UOp, toposort


@dataclass(frozen=True)
class Input:
    """One array that a graph takes: its argument number, shape and element type."""

    slot: int
    shape: tuple[int, ...]
    dtype: DType

    def __str__(self) -> str:
        return f"{self.slot}: {self.dtype}{list(self.shape)}"


def find_graph(name: str) -> UOp:
    """The SINK of a graph file, or of a named example such as `softmax`.

    Raises:
        GraphFileError: there is neither a file nor an example of this name, or the file holds no graph.
    """
    path = Path(name)
    if not path.exists() and name in PROGRAMS:
        return trace_example(name)
    if not path.exists():
        raise GraphFileError(f"no file or example is named {name!r}; the examples are {', '.join(PROGRAMS)}")
    return read_graph(path)


def trace_example(name: str) -> UOp:
    """The SINK of an example, by its name in `demo.programs`."""
    import eqsat as eq

    program = PROGRAMS[name]
    specs = [eq.spec(shape, parse_dtype(dtype)) for shape, dtype in program.inputs]
    return eq.trace(program.bind(eq), *specs)


def read_graph(path: Path) -> UOp:
    """The SINK of a graph file; several roots are gathered under one.

    Raises:
        GraphFileError: the file cannot be read, is not JSON, or holds no graph of the array stage.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise GraphFileError(f"cannot read {path}: {error.strerror or error}; check the path") from error
    except (ValueError, RecursionError) as error:
        raise GraphFileError(f"{path} is not JSON ({error}); eqsat.to_json writes a graph file") from error
    try:
        roots = from_json(document)
    except GraphFileError as error:
        raise GraphFileError(f"{path}: {error}") from error
    if not roots:
        raise GraphFileError(
            f"{path}: the graph has no roots, so there is nothing to compute; list its outputs in roots"
        )
    graph = roots[0] if roots[0].op is Op.SINK and len(roots) == 1 else UOp.sink(*roots)
    try:
        verify(graph, Stage.ARRAY)
    except SpecError as error:
        raise GraphFileError(f"{path}: {error}") from error
    return graph


def inputs_of(graph: UOp) -> list[Input]:
    """The arrays that a graph takes, by argument number; each in the shape that the graph first gives it."""
    found: dict[int, Input] = {}
    for node in toposort([graph]):
        if node.op is Op.PARAM:
            slot, size = node.arg
            found.setdefault(slot, Input(slot, (size,), _scalar(node)))
        elif node.op is Op.RESHAPE and node.src[0].op is Op.PARAM:
            slot, size = node.src[0].arg
            if found[slot].shape == (size,) and node.shape is not None:
                found[slot] = Input(slot, node.shape, _scalar(node))
    return [found[slot] for slot in sorted(found)]


def random_arrays(inputs: Sequence[Input], seed: int) -> list[NDArray[Any]]:
    """Arrays that fit: floats from a normal distribution, integers from 0 to 99, truth values evenly."""
    random = np.random.default_rng(seed)
    arrays: list[NDArray[Any]] = []
    for spec in inputs:
        if spec.dtype.is_float:
            values: NDArray[Any] = random.normal(size=spec.shape)
        else:
            values = random.integers(0, 2 if spec.dtype.is_bool else 100, spec.shape)
        arrays.append(np.asarray(values).astype(to_numpy(spec.dtype)))
    return arrays


def read_arrays(files: Sequence[str], inputs: Sequence[Input]) -> list[NDArray[Any]]:
    """The arrays of `.npy` files, and of `.npz` files in the order they were saved, as the inputs of a graph.

    Raises:
        ExecutionError: a file cannot be read, or the arrays do not fit the inputs in number, size or dtype.
    """
    arrays = [array for file in files for array in _read_array_file(Path(file))]
    expected = "; ".join(map(str, inputs))
    if len(arrays) != len(inputs):
        raise ExecutionError(
            f"the graph takes {len(inputs)} arrays ({expected}), got {len(arrays)}; give one for each"
        )
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


def by_slot(arrays: Sequence[NDArray[Any]], inputs: Sequence[Input]) -> list[NDArray[Any]]:
    """The arrays by argument number; nothing where the graph does not use an argument."""
    given = {spec.slot: array for array, spec in zip(arrays, inputs, strict=True)}
    return [given.get(slot, np.empty(0)) for slot in range(max(given, default=-1) + 1)]


def reference_results(graph: UOp, arrays: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """What the graph means, by the reference evaluator."""
    import eqsat as eq
    from eqsat.demo.report import as_list

    return as_list(eq.evaluate(graph, dict(enumerate(arrays))))


def write_arrays(path: Path, arrays: Sequence[NDArray[Any]]) -> None:
    """Save one array as `.npy`, or any number as `.npz` by the ending of the path.

    Raises:
        ExecutionError: the file cannot be written, or the ending does not suit the number of arrays.
    """
    if path.suffix not in {".npy", ".npz"} or (path.suffix == ".npy" and len(arrays) != 1):
        raise ExecutionError(
            f"cannot save {len(arrays)} arrays as {path}; name it .npz (or .npy for one array)"
        )
    try:
        if path.suffix == ".npy":
            np.save(path, arrays[0])
        else:
            np.savez(path, *arrays)
    except OSError as error:
        raise ExecutionError(
            f"cannot write {path}: {error.strerror or error}; choose another place"
        ) from error


def _scalar(node: UOp) -> DType:
    assert isinstance(node.dtype, DType), "an array-stage value has a plain dtype"
    return node.dtype
