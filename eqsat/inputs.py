"""Graph files, and the arrays that a graph takes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqsat.dtype import DType, to_numpy
from eqsat.errors import GraphFileError, SpecError
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


def read_graph(path: Path) -> UOp:
    """The SINK of a graph file; several roots are gathered under one.

    Raises:
        GraphFileError: the file cannot be read, is not JSON, or holds no graph of the array stage.
    """
    return graph_of(read_json(path), path)


def read_json(path: Path) -> Any:
    """The document in a file.

    Raises:
        GraphFileError: the file cannot be read, or is not JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise GraphFileError(f"cannot read {path}: {error.strerror or error}; check the path") from error
    except (ValueError, RecursionError) as error:
        raise GraphFileError(f"{path} is not JSON ({error}); eqsat.to_json writes a graph file") from error


def graph_of(document: Any, path: Path) -> UOp:
    """The SINK of a document that was read from `path`.

    Raises:
        GraphFileError: it is no graph of the array stage.
    """
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


def by_slot(arrays: Sequence[NDArray[Any]], inputs: Sequence[Input]) -> list[NDArray[Any]]:
    """The arrays by argument number; nothing where the graph does not use an argument."""
    given = {spec.slot: array for array, spec in zip(arrays, inputs, strict=True)}
    return [given.get(slot, np.empty(0)) for slot in range(max(given, default=-1) + 1)]


def _scalar(node: UOp) -> DType:
    assert isinstance(node.dtype, DType), "an array-stage value has a plain dtype"
    return node.dtype
