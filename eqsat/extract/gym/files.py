"""Reads files of the public extraction-gym collection; `Problem.save` writes them.

The format is JSON. `nodes` maps the name of a node to `{op, cost, eclass, children}`. The children are *names of nodes* that stand for
their classes; by default, there are none. The default cost is 1. `root_eclasses` lists names of classes.
https://github.com/egraphs-good/extraction-gym, https://github.com/egraphs-good/egraph-serialize
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any, cast

from eqsat.errors import ExtractionError, GraphFileError, brief, shortened
from eqsat.extract.problem.problem import Problem
from eqsat.graph_files.reading import read_json


def load(path: str | PathLike[str]) -> Problem:
    """Reads the problem in an extraction-gym file.

    Raises:
        GraphFileError: the file cannot be read, is not JSON, or lacks a part of the format.
        ExtractionError: the problem in it is malformed.
    """
    if not isinstance(path, str | PathLike):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise GraphFileError(f"a file is named by a text or a path, not by {brief(path)}; give one")
    return from_gym_json(read_json(Path(path)))


def from_gym_json(document: Any) -> Problem:
    """Reads the problem in a parsed extraction-gym document. Classes are numbered in the order of their first nodes.

    Raises:
        GraphFileError: a part of the format is missing or has the wrong type.
        ExtractionError: a child or root names nothing, there is no root, or a cost is NaN.

    >>> leaf = {"op": "x", "cost": 1.0, "eclass": "a", "children": []}
    >>> from_gym_json({"nodes": {"a0": leaf}, "root_eclasses": ["a"]}).class_names
    ('a',)
    """
    rows, roots = _parts(document)
    class_ids: dict[str, int] = {}
    node_classes: dict[str, int] = {}
    for name, row in rows.items():
        node_classes[name] = class_ids.setdefault(_class_of(name, row), len(class_ids))
    return Problem.build(
        [_cost_of(name, row) for name, row in rows.items()],
        list(node_classes.values()),
        [_children_of(name, row, node_classes) for name, row in rows.items()],
        [_root(root, class_ids) for root in roots],
        class_count=len(class_ids),
        labels=[_label_of(name, row) for name, row in rows.items()],
        node_names=list(rows),
        class_names=list(class_ids),
    )


def _parts(document: Any) -> tuple[dict[str, dict[str, Any]], list[str]]:
    if not isinstance(document, dict):
        raise GraphFileError(
            f"an extraction-gym document is a JSON object, not a {type(document).__name__}; see the format"
        )
    document = cast("dict[str, Any]", document)
    for key, kind in (("nodes", dict), ("root_eclasses", list)):
        if not isinstance(document.get(key), kind):
            raise GraphFileError(
                f"an extraction-gym document needs {key!r}, a JSON {kind.__name__}; is the file complete?"
            )
    for name, row in document["nodes"].items():
        if not isinstance(row, dict):
            raise GraphFileError(
                f"node {brief(name)} is a {type(row).__name__}; a node is an object with op, cost, eclass, children"
            )
    return document["nodes"], document["root_eclasses"]


def _class_of(name: str, row: dict[str, Any]) -> str:
    if "eclass" not in row:
        raise ExtractionError(f"node {brief(name)} has no 'eclass'; name the class it belongs to")
    return _name(row["eclass"], f"the class of node {brief(name)}")


def _name(value: Any, what: str) -> str:
    """A name as text, even if the document has it as a number."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise ExtractionError(f"{what} is {brief(value)}; give a name")


def _label_of(name: str, row: dict[str, Any]) -> str:
    op = row.get("op", "")
    if not isinstance(op, str):
        raise ExtractionError(f"node {brief(name)} has the operation {brief(op)}; give a name")
    return op


def _children_of(name: str, row: dict[str, Any], classes: dict[str, int]) -> list[int]:
    children = row.get("children", [])
    try:
        if not isinstance(children, list):
            raise TypeError(brief(children))
        return [classes[child] for child in children]  # pyright: ignore[reportUnknownVariableType]
    except (KeyError, TypeError) as error:
        raise ExtractionError(
            f"node {brief(name)} has no usable children ({shortened(str(error))} is no node); list names of nodes"
        ) from None


def _root(root: Any, classes: dict[str, int]) -> int:
    name = _name(root, "a root class")
    if name not in classes:
        raise ExtractionError(f"root class {brief(name)} has no node; add one or drop the root")
    return classes[name]


def _cost_of(name: str, row: dict[str, Any]) -> float:
    cost = row.get("cost", 1.0)
    try:
        if not isinstance(cost, int | float) or isinstance(cost, bool):
            raise TypeError
        return float(cost)
    except (TypeError, OverflowError):
        raise ExtractionError(
            f"node {brief(name)} has the cost {brief(cost)}; give a number that a float holds"
        ) from None
