"""Predicts seconds by a regression that was trained on measured programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from eqsat.errors import ExtractionError, brief
from eqsat.extract.costs.latency import Latency
from eqsat.extract.costs.protocol import Node, nodes_of_graph
from eqsat.extract.costs.ridge import PENALTY, fit
from eqsat.extract.costs.work import (
    applications,
    bytes_moved,
    is_reduction,
    itemsize,
    moves_last_axis,
    reduced_axes,
)
from eqsat.extract.options import require_number, require_options
from eqsat.ops import ALU, Op
from eqsat.uop import UOp

FEATURES = (
    "bytes of simple operations",  # bytes of all elements, for operations of at most `SIMPLE` cycles
    "byte-cycles of slow operations",  # bytes times cycles
    "bytes reduced in rows",
    "bytes reduced in columns",
    "bytes moved",
    "bytes gathered",
    "bytes taken apart",
    "kernels",  # each reduction ends one, and so does the program
)
SIMPLE = 1.5  # the most cycles of a simple operation


def features(node: Node) -> tuple[float, ...]:
    """The `FEATURES` of one node. The features of a graph are the sums over its nodes.

    >>> from eqsat.dtype import float32
    >>> from eqsat.extract import Value
    >>> features(Node(Op.ADD, float32, None, (100,), (Value(float32, (100,)),) * 2))
    (400.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    """
    size = float(max(1, itemsize(node.dtype)))
    moved = float(bytes_moved(node))
    cycles = Latency().cost(node) / node.operations
    work = applications(node) * size
    reduces = is_reduction(node)
    columns = reduces and reduced_axes(node) == "columns"
    computes = node.op in ALU
    return (
        work if computes and cycles <= SIMPLE else 0.0,
        work * cycles if computes and cycles > SIMPLE else 0.0,
        work if reduces and not columns else 0.0,
        work if columns else 0.0,
        0.0 if node.op is Op.INDEX else moved,
        moved if node.op is Op.INDEX else 0.0,
        node.elements * size if moves_last_axis(node) else 0.0,
        float(reduces or node.op is Op.SINK),
    )


def graph_features(roots: Iterable[UOp]) -> NDArray[np.float64]:
    """The features of a graph, in which each node counts once."""
    return np.sum([features(node) for node in nodes_of_graph(roots)], axis=0)


@dataclass(frozen=True)
class Learned:
    """The seconds of an array program, predicted by a ridge regression on graphs that were measured on one device.

    The regression is linear and the features of a graph are the sums over its nodes. So the cost of a node is the weights times its
    features, and an extractor can use it. The model cannot express effects that do not add up over nodes, such as overlap and caches;
    `error` says how wrong it is. `eqsat.calibrate.learned(device)` measures and trains.

    Attributes:
        device: the name of the device.
        weights: the seconds per unit of each of `FEATURES`, none negative.
        error: the median relative error for programs that were left out of training.
    """

    name: ClassVar[str] = "learned"
    unit: ClassVar[str] = "seconds"
    device: str
    weights: tuple[float, ...]
    error: float

    def __post_init__(self) -> None:
        require_options(self)
        if not isinstance(self.weights, tuple | list) or len(self.weights) != len(FEATURES):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ExtractionError(
                f"Learned: weights are {len(FEATURES)} numbers, one for each of FEATURES, not {brief(self.weights)}"
            )
        for weight in self.weights:
            require_number("a weight of Learned", weight)

    @staticmethod
    def train(
        graphs: Sequence[UOp],
        seconds: Sequence[float],
        device: str,
        groups: Sequence[object] | None = None,
        penalty: float = PENALTY,
    ) -> Learned:
        """Trains a model on graphs and the time that each of them took on `device`.

        Args:
            graphs: SINKs of arrays.
            seconds: the time of each graph, above 0.
            device: the name of the device.
            groups: the group of each graph; the cross-validation leaves out one group at a time. None: each graph is a group.
            penalty: the penalty of the ridge regression, see `eqsat.extract.costs.ridge`.

        Raises:
            ExtractionError: there is no graph, or some graph lacks a finite time above 0.
        """
        if (
            not graphs
            or len(graphs) != len(seconds)
            or not all(0 < taken < float("inf") for taken in seconds)
        ):
            raise ExtractionError(
                f"{len(graphs)} graphs and {len(seconds)} times to learn from; give a time above 0 for each graph"
            )
        rows = np.array([graph_features([graph]) for graph in graphs])
        found = fit(rows, np.array(seconds), groups or range(len(graphs)), penalty)
        return Learned(device, found.weights, found.error)

    def cost(self, node: Node) -> float:
        """The seconds of the node on all elements."""
        return sum(weight * feature for weight, feature in zip(self.weights, features(node), strict=True))

    def to_json(self) -> str:
        """The model as JSON text, with the weight of each feature by name."""
        document = {
            "device": self.device,
            "error": self.error,
            "weights": dict(zip(FEATURES, self.weights, strict=True)),
        }
        return json.dumps(document, indent=1)

    @staticmethod
    def from_json(text: str) -> Learned:
        """Reads a model from the text that `to_json` wrote.

        Raises:
            ExtractionError: the text is not such a document, or lacks a feature.
        """
        try:
            document = json.loads(text)
            weights = tuple(float(document["weights"][feature]) for feature in FEATURES)
            return Learned(str(document["device"]), weights, float(document["error"]))
        except (ValueError, KeyError, TypeError) as error:
            raise ExtractionError(f"no learned cost model: {error!r}; train it again") from error
