"""Files of the public extraction-gym collection: reading and writing.

The format is JSON: `nodes` maps a node's name to `{op, cost, eclass, children}`, where children are *names of nodes* standing for
their classes, none where they are left out, and a cost that is left out is 1; `root_eclasses` lists class names.
https://github.com/egraphs-good/extraction-gym, https://github.com/egraphs-good/egraph-serialize
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import numpy as np

from eqsat.errors import ExtractionError, GraphFileError
from eqsat.extract.problem import Problem


def load(path: str | Path) -> Problem:
    """The problem in an extraction-gym file.

    Raises:
        GraphFileError: the file cannot be read, is not JSON, or lacks a part of the format.
        ExtractionError: the problem in it is malformed.
    """
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise GraphFileError(f"cannot read {path}: {error.strerror}; check the name") from error
    except ValueError as error:
        raise GraphFileError(f"{path} is not JSON: {error}; is it complete?") from error
    return from_gym_json(document)


def save(problem: Problem, path: str | Path) -> None:
    """Write `problem` in the extraction-gym format.

    Raises:
        ExtractionError: as `to_gym_json`.
    """
    Path(path).write_text(json.dumps(to_gym_json(problem)), encoding="utf-8")


def from_gym_json(document: Any) -> Problem:
    """The problem in a parsed extraction-gym document; classes are numbered in order of their first node.

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
    children: list[list[int]] = []
    for name, row in rows.items():
        try:
            children.append([node_classes[child] for child in row.get("children", ())])
        except (KeyError, TypeError) as error:
            raise ExtractionError(
                f"node {name!r} has no usable children ({error} is no node); list names of nodes"
            ) from None
    unknown = [root for root in roots if root not in class_ids]
    if unknown:
        raise ExtractionError(f"root class {unknown[0]!r} has no node; add one or drop the root")
    return Problem.build(
        [_cost_of(name, row) for name, row in rows.items()],
        list(node_classes.values()),
        children,
        [class_ids[root] for root in roots],
        class_count=len(class_ids),
        labels=[str(row.get("op", "")) for row in rows.values()],
        node_names=list(rows),
        class_names=list(class_ids),
    )


def to_gym_json(problem: Problem) -> dict[str, Any]:
    """`problem` as an extraction-gym document; a forbidden (infinite) cost is written as JSON's extension `Infinity`.

    Raises:
        ExtractionError: a child class has no node, by whose name it could be written.
    """
    representative: dict[int, str] = {}
    for name, owner in zip(problem.node_names, problem.node_class.tolist(), strict=True):
        representative.setdefault(owner, name)
    nodes: dict[str, Any] = {}
    for node, name in enumerate(problem.node_names):
        children = problem.children_of(node)
        empty = [child for child in children if child not in representative]
        if empty:
            raise ExtractionError(
                f"class {problem.class_names[empty[0]]!r}, a child of {name!r}, has no node; drop {name!r}"
            )
        nodes[name] = {
            "op": problem.labels[node],
            "cost": float(problem.node_cost[node]),
            "eclass": problem.class_names[problem.node_class[node]],
            "children": [representative[child] for child in children],
        }
    return {"nodes": nodes, "root_eclasses": [problem.class_names[root] for root in problem.roots.tolist()]}


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
                f"node {name!r} is a {type(row).__name__}; a node is an object with op, cost, eclass, children"
            )
    return document["nodes"], document["root_eclasses"]


def _class_of(name: str, row: dict[str, Any]) -> str:
    if "eclass" not in row:
        raise ExtractionError(f"node {name!r} has no 'eclass'; name the class it belongs to")
    return str(row["eclass"])


def _cost_of(name: str, row: dict[str, Any]) -> float:
    try:
        return float(np.float64(row.get("cost", 1.0)))
    except (TypeError, ValueError):
        raise ExtractionError(f"node {name!r} has the cost {row.get('cost')!r}; give a number") from None
