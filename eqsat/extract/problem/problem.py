"""The extraction problem as a value: an e-graph as flat NumPy arrays, with a cost for each node.

To extract is to choose one node for each needed class, so that no class needs itself. The roots are needed, and so are the children of
chosen nodes. Every extractor takes a `Problem` and returns an `Extraction`. A problem comes from an e-graph, from a file of the public
extraction-gym collection, or from a few lines as below.

Example: `a*2 = a<<1`, where the shift costs 1, the product 4, and a leaf nothing.

>>> problem = Problem.build(costs=[0, 0, 0, 4, 1], classes=[0, 1, 2, 3, 3], children=[[], [], [], [0, 1], [0, 2]], roots=[3])
>>> problem.node_count, problem.class_count
(5, 4)
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from eqsat.errors import ExtractionError, GraphFileError, brief, shortened
from eqsat.extract.costs.protocol import CostModel, cost_of, nodes_of
from eqsat.extract.problem.arrays import MOST_CLASSES, Floats, Integers, grain_of, integers, numbers, texts
from eqsat.extract.problem.node_usage import NodeUsage, find_node_usage

if TYPE_CHECKING:
    from eqsat.egraph.snapshot.snapshot import Snapshot


@dataclass(frozen=True, eq=False)
class Problem:
    """An extraction problem: classes, the nodes of each class, and the cost of each node.

    Attributes:
        node_cost: (nodes,) float64, in the unit of the cost model; `inf` forbids a node; negative costs are legal.
        node_class: (nodes,) int32, the class of each node.
        child_start: (nodes + 1,) int32; node n's children are `children[child_start[n]:child_start[n + 1]]`.
        children: int32, class ids; a class may occur several times.
        roots: int32, the classes that must be extracted; not empty.
        class_count: classes are numbered 0..class_count-1; a class may have no node.
        labels: (nodes,) the operation of each node as text, for people and for files.
        node_names: (nodes,) identifiers of nodes in a file.
        class_names: (classes,) identifiers of classes in a file.

    Raises:
        ExtractionError: a cost is NaN or minus infinity, a child or root does not exist, there is no root, lengths or types are wrong, or a
            name occurs twice.
    """

    node_cost: Floats
    node_class: Integers
    child_start: Integers
    children: Integers
    roots: Integers
    class_count: int
    labels: tuple[str, ...] = field(repr=False)
    node_names: tuple[str, ...] = field(repr=False)
    class_names: tuple[str, ...] = field(repr=False)

    def __post_init__(self) -> None:
        _check_kinds(self)
        _check_lengths(self)
        _check_costs(self)
        _check_classes(self)

    @staticmethod
    def build(
        costs: Sequence[float] | Floats,
        classes: Sequence[int] | Integers,
        children: Sequence[Sequence[int]],
        roots: Sequence[int] | Integers,
        *,
        class_count: int | None = None,
        labels: Sequence[str] | None = None,
        node_names: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
    ) -> Problem:
        """Builds a problem from one row for each node: its cost, its class, and the classes of its children.

        Raises:
            ExtractionError: as `Problem`.
        """
        try:
            start = np.cumsum([0, *map(len, children)])
            flat = [child for row in children for child in row]
        except (TypeError, ValueError, OverflowError) as error:
            raise ExtractionError(
                f"a problem has a cost, a class and a list of child classes for each node, and a list of root classes: {shortened(str(error))}"
            ) from error
        return Problem.from_arrays(
            costs, classes, start, flat, roots,
            class_count=class_count, labels=labels, node_names=node_names, class_names=class_names,
        )  # fmt: skip

    @staticmethod
    def from_arrays(
        node_cost: Sequence[float] | Floats,
        node_class: Sequence[int] | Integers,
        child_start: Sequence[int] | Integers,
        children: Sequence[int] | Integers,
        roots: Sequence[int] | Integers,
        *,
        class_count: int | None = None,
        labels: Sequence[str] | None = None,
        node_names: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
    ) -> Problem:
        """Builds a problem from arrays in CSR form, and makes up names that are not given.

        Raises:
            ExtractionError: as `Problem`.
        """
        owners, start = integers("node_class", node_class), integers("child_start", child_start)
        needed, wanted = integers("children", children), integers("roots", roots)
        prices = numbers("node_cost", node_cost)
        largest = max((int(ids.max()) for ids in (owners, needed, wanted) if len(ids)), default=-1)
        count = largest + 1 if class_count is None else class_count
        _check_count(count)
        nodes = len(prices)
        return Problem(
            prices, owners, start, needed, wanted, count,
            ("",) * nodes if labels is None else texts("labels", labels),
            tuple(f"node{number}" for number in range(nodes)) if node_names is None else texts("node_names", node_names),
            tuple(str(number) for number in range(count)) if class_names is None else texts("class_names", class_names),
        )  # fmt: skip

    @staticmethod
    def from_snapshot(snapshot: Snapshot, cost_model: CostModel) -> Problem:
        """Builds the problem of an e-graph; `cost_model` gives the cost of each node.

        Raises:
            ExtractionError: as `Problem`, for instance if the model returns NaN; or it returns something that is not a number.
        """
        costs = np.fromiter(
            (cost_of(cost_model, node) for node in nodes_of(snapshot)), np.float64, len(snapshot.terms)
        )
        return Problem.from_arrays(
            costs,
            np.asarray(snapshot.node_class, np.int32),
            np.asarray(snapshot.child_start, np.int32),
            np.asarray(snapshot.children, np.int32),
            np.asarray(snapshot.root_classes, np.int32),
            class_count=len(snapshot.class_shape),
            labels=[term.op.name for term in snapshot.terms],
        )

    def save(self, path: str | Path) -> None:
        """Writes the problem to a file in the extraction-gym format.

        Raises:
            ExtractionError: a child class has no node; the format refers to a class by the name of one of its nodes.
            GraphFileError: the file cannot be written.
        """
        text = json.dumps(self.to_gym_json())
        try:
            Path(path).write_text(text, encoding="utf-8")
        except (OSError, TypeError, ValueError) as error:  # ValueError: a name with a null character
            reason = error.strerror if isinstance(error, OSError) else error
            raise GraphFileError(f"cannot write {brief(path)}: {reason}; choose another place") from error

    def to_gym_json(self) -> dict[str, Any]:
        """The problem as a document in the extraction-gym format, which `extract.gym.files` reads. An infinite cost is written as `Infinity`.

        Raises:
            ExtractionError: a child class has no node; the format refers to a class by the name of one of its nodes.
        """
        representative: dict[int, str] = {}
        for name, owner in zip(self.node_names, self.node_class.tolist(), strict=True):
            representative.setdefault(owner, name)
        nodes: dict[str, Any] = {}
        for node, name in enumerate(self.node_names):
            children = self.child_rows[node]
            empty = [child for child in children if child not in representative]
            if empty:
                raise ExtractionError(
                    f"class {self.class_names[empty[0]]!r}, a child of {name!r}, has no node; drop {name!r}"
                )
            nodes[name] = {
                "op": self.labels[node],
                "cost": float(self.node_cost[node]),
                "eclass": self.class_names[self.node_class[node]],
                "children": [representative[child] for child in children],
            }
        return {"nodes": nodes, "root_eclasses": [self.class_names[root] for root in self.roots.tolist()]}

    @property
    def node_count(self) -> int:
        """The number of nodes."""
        return len(self.node_cost)

    def scaled(self, exponent: int) -> Problem:
        """The same problem with all costs multiplied by 2**exponent, which rounds none of them unless it leaves the range of a float."""
        found = copy(self)  # keeps cached properties of the structure
        found.__dict__.pop("grain", None)
        object.__setattr__(found, "node_cost", np.ldexp(self.node_cost, exponent))
        return found

    @cached_property
    def grain(self) -> float:
        """The `grain_of` the finite costs: the costs of two choices are equal, or differ by at least this."""
        return grain_of(self.node_cost[np.isfinite(self.node_cost)])

    @cached_property
    def child_rows(self) -> list[list[int]]:
        """Per node, the classes of its children, in order, with repetitions. Loops over lists are faster than over arrays."""
        flat: list[int] = self.children.tolist()
        start: list[int] = self.child_start.tolist()
        return [flat[start[node] : start[node + 1]] for node in range(self.node_count)]

    @cached_property
    def usage(self) -> NodeUsage:
        """The nodes that can be part of a finite acyclic term, and the nodes that need each class."""
        owners: list[int] = self.node_class.tolist()
        finite: list[bool] = np.isfinite(self.node_cost).tolist()
        return find_node_usage(owners, finite, self.child_rows, self.class_count)

    @cached_property
    def usable_nodes(self) -> list[list[int]]:
        """Per class, its usable nodes in increasing order."""
        usable = self.usage.usable
        return [[node for node in nodes if usable[node]] for nodes in self.nodes_by_class]

    @cached_property
    def nodes_by_class(self) -> list[list[int]]:
        """Per class, its nodes in increasing order."""
        rows: list[list[int]] = [[] for _ in range(self.class_count)]
        owners: list[int] = self.node_class.tolist()
        for node, owner in enumerate(owners):
            rows[owner].append(node)
        return rows


def require_problem(problem: Any) -> None:
    """Checks the argument of an extractor.

    Raises:
        ExtractionError: it is no problem.
    """
    if not isinstance(problem, Problem):
        raise ExtractionError(f"{brief(problem)} is no problem; make one by Problem.build or load")


def _check_count(count: Any) -> None:
    if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= MOST_CLASSES:
        raise ExtractionError(
            f"the number of classes is {brief(count)}; number the classes from 0, without gaps, up to {MOST_CLASSES:,}"
        )


def _check_kinds(problem: Problem) -> None:
    _check_count(problem.class_count)
    for name, kind in (
        ("node_cost", np.float64),
        ("node_class", np.int32),
        ("child_start", np.int32),
        ("children", np.int32),
        ("roots", np.int32),
    ):
        values: Any = getattr(problem, name)
        if (
            not isinstance(values, np.ndarray)
            or cast("NDArray[Any]", values).dtype != kind
            or values.ndim != 1
        ):
            raise ExtractionError(
                f"{name} is an array of {kind.__name__} with one axis, not {brief(values)}; Problem.build makes it from lists"
            )
    for name in ("labels", "node_names", "class_names"):
        found: tuple[Any, ...] = getattr(problem, name)
        wrong = [text for text in found if not isinstance(text, str)]
        if wrong:
            raise ExtractionError(f"{name} has {brief(wrong[0])}, which is no text; write it as one")
        if name != "labels" and len(set(found)) < len(found):
            repeated = next(text for text, count in Counter(found).items() if count > 1)
            raise ExtractionError(f"{name} has {brief(repeated)} twice; files tell them apart by their names")


def _check_lengths(problem: Problem) -> None:
    nodes = len(problem.node_cost)
    lengths = {
        "node_class": (len(problem.node_class), nodes),
        "child_start": (len(problem.child_start), nodes + 1),
        "labels": (len(problem.labels), nodes),
        "node_names": (len(problem.node_names), nodes),
        "class_names": (len(problem.class_names), problem.class_count),
    }
    for name, (actual, wanted) in lengths.items():
        if actual != wanted:
            raise ExtractionError(
                f"{name} has {actual} entries where {wanted} are wanted; give one per node or class"
            )
    start = problem.child_start
    if start[0] != 0 or start[-1] != len(problem.children) or bool(np.any(np.diff(start) < 0)):
        raise ExtractionError(
            f"child_start must rise from 0 to the number of children, {len(problem.children)}; build it with np.cumsum"
        )


def _check_costs(problem: Problem) -> None:
    wrong = np.flatnonzero(np.isnan(problem.node_cost) | np.isneginf(problem.node_cost))
    if len(wrong):
        node = int(wrong[0])
        raise ExtractionError(
            f"node {problem.node_names[node]!r} ({problem.labels[node] or 'no operation'}) costs {problem.node_cost[node]};"
            " give a number, or inf to forbid the node"
        )


def _check_classes(problem: Problem) -> None:
    if not len(problem.roots):
        raise ExtractionError("the problem has no root; name at least one class that must be extracted")
    rows: tuple[tuple[str, Integers], ...] = (("class of node", problem.node_class), ("root", problem.roots))
    for what, ids in rows:
        wrong = np.flatnonzero((ids < 0) | (ids >= problem.class_count))
        if len(wrong):
            raise ExtractionError(
                f"{what} {int(wrong[0])} is {int(ids[wrong[0]])}, but classes are 0..{problem.class_count - 1}; renumber it"
            )
    wrong = np.flatnonzero((problem.children < 0) | (problem.children >= problem.class_count))
    if len(wrong):
        node = int(np.count_nonzero(problem.child_start <= wrong[0])) - 1
        raise ExtractionError(
            f"node {problem.node_names[node]!r} has the child class {int(problem.children[wrong[0]])}, but classes are"
            f" 0..{problem.class_count - 1}; add the class or drop the node"
        )
