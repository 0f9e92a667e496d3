"""Reads graph files and other documents of JSON, which may come from anybody."""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from eqsat.errors import BuildError, GraphFileError, SpecError, brief, shortened
from eqsat.graph_files.serialize import from_json
from eqsat.ops import Op, Stage
from eqsat.spec import verify
from eqsat.specialization.specialize import at_capacity
from eqsat.uop import UOp, toposort

LARGEST_FILE = 256 << 20  # bytes; the largest of the public e-graphs has 40 MB
MOST_SLOTS = 1 << 16  # argument numbers of a graph


def read_graph(path: Path, *, allow_custom: bool = False) -> UOp:
    """The SINK of a graph file; several roots are collected under one SINK.

    Args:
        path: the file.
        allow_custom: whether operations that hold code are allowed, as in `from_json`.

    Raises:
        GraphFileError: the file cannot be read, is not JSON, or holds no graph of arrays or program.
    """
    return graph_of(read_json(path), path, allow_custom=allow_custom)


def read_json(path: Path) -> Any:
    """The JSON document in a file, which may come from anybody.

    Three things that JSON allows are refused. A key that occurs twice in an object and a number too large for a float, because Python would read
    something else than was written; and an integer of more digits than Python reads. `Infinity` is not JSON, but is read, because the public
    e-graph collection writes it.

    Raises:
        GraphFileError: the file cannot be read, is larger than `LARGEST_FILE`, is not JSON, or has one of these three.
    """
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise GraphFileError(f"cannot read {path}: {error.strerror or error}; check the path") from error
    if len(content) > LARGEST_FILE:
        raise GraphFileError(f"{path} is larger than {LARGEST_FILE >> 20} MiB; take a part of it")
    try:
        return json.loads(
            content.decode("utf-8"),
            parse_float=_finite,
            parse_constant=_constant,
            object_pairs_hook=_object,
        )
    except GraphFileError as error:
        raise GraphFileError(f"{path}: {error}") from error
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise GraphFileError(
            f"{path} is not JSON ({shortened(str(error))}); write the file again: a graph by eqsat.to_json, an e-graph by Problem.save"
        ) from error
    except ValueError as error:
        raise GraphFileError(
            f"{path}: an integer has more than {sys.get_int_max_str_digits():,} digits; write a smaller number"
        ) from error


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise GraphFileError(f"{shortened(text)} is too large for a float; write a smaller number")
    return value


def _constant(text: str) -> float:
    if text == "NaN":
        raise GraphFileError('NaN is no JSON; a graph file says {"nan": its bits}')
    return float(text)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise GraphFileError(f"the key {brief(twice)} occurs twice in an object; keep one")
    return found


def graph_of(document: Any, path: Path, *, allow_custom: bool = False) -> UOp:
    """The SINK of a document that was read from `path`.

    Raises:
        GraphFileError: the document is no graph of arrays, nor a program that calls functions.
    """
    try:
        roots = from_json(document, allow_custom=allow_custom)
    except GraphFileError as error:
        raise GraphFileError(f"{path}: {error}") from error
    if not roots:
        raise GraphFileError(
            f"{path}: the graph has no roots, so there is nothing to compute; list its outputs in roots"
        )
    graph = roots[0] if roots[0].op is Op.SINK and len(roots) == 1 else UOp.sink(*roots)
    is_program = any(node.op is Op.CALL for node in toposort([graph]))
    try:
        verify(at_capacity(graph), Stage.PROGRAM if is_program else Stage.ARRAY)
    except (SpecError, BuildError) as error:
        raise GraphFileError(f"{path}: {shortened(str(error), 800)}") from error
    most = max((node.arg[0] for node in toposort([graph]) if node.op is Op.PARAM), default=0)
    if most >= MOST_SLOTS:
        raise GraphFileError(
            f"{path}: there is an argument number {most}; number them from 0, below {MOST_SLOTS}"
        )
    return graph
