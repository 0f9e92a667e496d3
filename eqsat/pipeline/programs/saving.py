"""Writes programs to files: the stored plan with the binaries of its kernels, the data of the graph, and the device that it is for.

A file is sealed like an entry of a cache, so that a changed byte is noticed.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import eqsat
from eqsat.errors import GraphFileError, brief
from eqsat.extents import Bounds
from eqsat.graph_files.arguments import encode_argument
from eqsat.graph_files.serialize import to_json
from eqsat.pipeline.functions.closed import Closed
from eqsat.pipeline.planning.planned import Compilation
from eqsat.pipeline.planning.stored_plans import document_of
from eqsat.runtime import Device, Executable, sealed

SEAL = "program"  # the key of the seal, which says what kind of file it is


class PartToSave(NamedTuple):
    """The part of a program for one range of its dims. `bounds` has the bounds of each dim by name; it is empty if there is one range only."""

    bounds: Mapping[str, Bounds]
    compilation: Compilation
    executable: Executable


def document(closed: Closed, parts: Sequence[PartToSave], device: Device) -> dict[str, Any]:
    """A program as JSON."""
    return {
        "eqsat": eqsat.__version__,
        "device": device.name,
        "parts": [_part(each) for each in parts],
        "graph": to_json([closed.sink if closed.graph is None else closed.graph]),
        "shapes": encode_argument(closed.shapes),
        "data": [_written(array) for array in closed.captured],
    }


def write(document: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Writes the document of a program to a file; see `Program.save`.

    Raises:
        GraphFileError: the file cannot be written.
    """
    text = json.dumps(document, separators=(",", ":"), allow_nan=False)
    try:
        Path(path).write_bytes(sealed(SEAL, text.encode()))
    except (OSError, TypeError, ValueError) as error:
        raise GraphFileError(f"the program cannot be written to {brief(path)} ({error}); choose another file") from error  # fmt: skip


def _part(part: PartToSave) -> dict[str, Any]:
    bounds, compilation, executable = part
    pairs = zip(compilation.kernels, executable.binaries, strict=True)
    kernels = tuple(replace(kernel, binary=binary) for kernel, binary in pairs)
    return {
        "bounds": [[name, *ends] for name, ends in bounds.items()],
        "identity": executable.device.identity,
        "plan": document_of(replace(compilation, kernels=kernels)),
    }


def _written(array: NDArray[Any]) -> list[Any]:
    return [array.dtype.str, array.shape, base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()]
