"""Loads programs from the files that `saving` wrote.

Nothing in a file is unpickled: it is JSON, and every value is checked. But it holds machine code, which runs when the program is called. Load only
files whose programs you would run.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

import eqsat
from eqsat.errors import DeviceError, EqsatError, GraphFileError, brief, shortened
from eqsat.extents import Bounds
from eqsat.graph_files.arguments import decode_argument
from eqsat.graph_files.serialize import from_json
from eqsat.pipeline.functions.closed import Closed
from eqsat.pipeline.planning.place import suited
from eqsat.pipeline.planning.stored_plans import StoredPlanError, compilation_of
from eqsat.pipeline.programs.course import read_course
from eqsat.pipeline.programs.hosted import HostedProgram
from eqsat.pipeline.programs.program import Program
from eqsat.pipeline.programs.ranged import Range, RangedProgram, ranges_of
from eqsat.pipeline.programs.saving import SEAL
from eqsat.runtime import Device, get_device, unsealed
from eqsat.uop.limits import is_extent, is_size

LARGEST = 8 << 30  # bytes of the largest file that is read
_FAULTS = (StoredPlanError, EqsatError, LookupError, TypeError, ValueError, AttributeError)
_KINDS = "biuf"  # kinds of NumPy dtypes that are read: bools, integers and floats


def load(path: str | os.PathLike[str], device: str | int | Device | None = None) -> Program:
    """Loads a program that `Program.save` wrote, for the device that it was compiled for, without compiling it.

    The file holds machine code, which calls run: load it only if you would run a program from whoever wrote it. `device` is that device, if it has
    another name or number here. It has to be of the same kind, with the same driver.

    Raises:
        GraphFileError: the file cannot be read, is damaged, or is of another version of eqsat.
        DeviceError: the program was compiled for another device, or another driver.
    """
    document = _document(path)
    found = get_device(cast("str", document["device"]) if device is None else device)
    return _program(document, found, path)


def _program(document: dict[str, Any], found: Device, path: str | os.PathLike[str]) -> Program:
    """The program of a document, of which the device is found."""
    if "course" in document:
        return _hosted(document, found, path)
    try:
        compilations = [compilation_of(part["plan"], allow_custom=True) for part in document["parts"]]
        ranges = [dict(map(_bounds, part["bounds"])) for part in document["parts"]]
        identities = [part["identity"] for part in document["parts"]]
        closed = _closed(document)
        if not _covers(ranges, closed):
            raise GraphFileError("its parts are not for all values of its dims")
    except _FAULTS as error:
        raise GraphFileError(f"{path} holds no program ({shortened(str(error))}); save it again") from error
    for compilation, wanted in zip(compilations, identities, strict=True):
        if any(slot >= len(closed.shapes) + len(closed.captured) for slot in compilation.arguments):
            raise GraphFileError(f"{path} holds a program without some of its arguments; save it again")
        identity = suited(found, compilation.schedule).identity
        # A kernel that was called as a binary may have been compiled for the whole device.
        if wanted not in (identity, found.identity):
            raise DeviceError(
                f"{path} was compiled for {shortened(str(wanted))}, and {found.name!r} is {shortened(identity)}; compile the program there, or "
                f"load it on the other device: eqsat.load(path, device=...)"
            )
    if len(compilations) == 1:
        return Program(closed, compilations[0], found)
    return RangedProgram(closed, ranges, compilations.__getitem__, found)


def _hosted(document: dict[str, Any], found: Device, path: str | os.PathLike[str]) -> HostedProgram:
    """The program of a document with steps on the host."""
    try:
        course, closed = read_course(document["course"]), _closed(document)
        if not len(document["parts"]) == len(course.passed) == len(course.steps) + 1:
            raise GraphFileError("a part of it is missing")
        if any("course" in part for part in document["parts"]):
            raise GraphFileError("a part of it has steps on the host, too")
    except _FAULTS as error:
        raise GraphFileError(f"{path} holds no program ({shortened(str(error))}); save it again") from error
    parts = [_program(part, found, path) for part in document["parts"]]
    return HostedProgram(closed, course, parts, found)


def _closed(document: dict[str, Any]) -> Closed:
    (graph,) = from_json(document["graph"], allow_custom=True)
    shapes = tuple(None if shape is None else _shape(shape) for shape in document["shapes"])
    return Closed.sized(graph, shapes, tuple([_read(row) for row in document["data"]]))


def _bounds(row: Any) -> tuple[str, Bounds]:
    name, least, greatest = row
    if not isinstance(name, str) or not is_size(least) or not is_size(greatest):
        raise ValueError(f"{row!r} is no range")
    return name, (least, greatest)


def _covers(ranges: Sequence[Range], closed: Closed) -> bool:
    """Whether the parts cover all values of the dims."""
    known = [] if closed.dynamic is None else list(closed.dynamic.known)
    wanted = ranges_of(dim for extent in known for dim in extent.dims)
    return list(ranges) == (wanted if len(wanted) > 1 else [{}])


def _document(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The JSON document in a file, of which the seal, the version and the types of the parts are checked."""
    try:
        if Path(path).is_file() and Path(path).stat().st_size <= LARGEST:
            content = Path(path).read_bytes()
        else:
            raise GraphFileError(
                f"{path} is no file of a program, of at most {LARGEST >> 30} GiB; give the path that Program.save wrote"
            )
    except (OSError, ValueError, TypeError) as error:
        raise GraphFileError(
            f"{brief(path)} cannot be read ({shortened(str(error))}); give the path that Program.save wrote"
        ) from error
    text = unsealed(SEAL, content)
    if text is None:
        raise GraphFileError(f"{path} is no program that this eqsat saved, or is damaged; save it again")
    try:
        document: Any = json.loads(text)
        version = document["eqsat"]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise GraphFileError(f"{path} holds no program ({shortened(str(error))}); save it again") from error
    if version != eqsat.__version__:
        raise GraphFileError(
            f"{path} was saved by eqsat {brief(version)}, and this is eqsat {eqsat.__version__}; compile the program again"
        )
    wanted = {
        "eqsat": str,
        "device": str,
        "parts": list,
        "graph": dict,
        "shapes": list,
        "data": list,
    }
    if any(not isinstance(document.get(key), kind) for key, kind in wanted.items()):
        raise GraphFileError(f"{path} holds no program: a part of it is missing; save it again")
    return document


def _read(row: Any) -> NDArray[Any]:
    name, shape, text = row
    dtype = np.dtype(name)
    if not isinstance(name, str) or dtype.kind not in _KINDS:
        raise ValueError(f"{name!r} is no dtype of numbers")
    return np.frombuffer(bytearray(base64.b64decode(text, validate=True)), dtype).reshape(_shape(shape))


def _shape(row: Any) -> tuple[int, ...]:
    shape: Any = decode_argument(row)
    if not isinstance(shape, tuple) or not all(map(is_extent, cast("tuple[Any, ...]", shape))):
        raise ValueError(f"{row!r} is no shape")
    return cast("tuple[int, ...]", shape)
