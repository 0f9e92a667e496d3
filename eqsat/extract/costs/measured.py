"""A cost model from the seconds that a device was measured to take for each operation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from statistics import median
from typing import ClassVar

from eqsat.dtype import DType
from eqsat.errors import ExtractionError, brief
from eqsat.extract.costs.protocol import Node
from eqsat.extract.costs.work import (
    READS,
    applications,
    combining,
    is_reduction,
    itemsize,
    moves_last_axis,
    reduced_axes,
)
from eqsat.extract.options import require_number, require_options
from eqsat.ops import ALU, COMPARISON, Op


@dataclass(frozen=True)
class Measured:
    """The seconds of an array program, from a table of the time that each operation took on one device.

    `eqsat.calibrate.measured(device)` makes the table: it times each operation in kernels of its own, for each dtype and access pattern.
    `to_json` stores the table, and `from_json` loads it. If the table lacks an entry, a similar one is used: the same operation on
    another dtype of the same kind (floats, integers), scaled by the bytes of an element, or else on a dtype of the other kind. An
    operation without any entry costs the median of all arithmetic.

    >>> table = {"ADD float32 elementwise": 1e-11, "EXP2 float32 elementwise": 2e-10}
    >>> Measured("a device", table, launch_seconds=1e-5)
    Measured('a device', 2 entries, 33e5400b)

    Attributes:
        device: the name of the device.
        seconds: the seconds per element, by the three words of an `entry`, such as "ADD float32 elementwise".
        launch_seconds: the seconds to end a kernel and start the next one.
    """

    name: ClassVar[str] = "measured"
    unit: ClassVar[str] = "seconds"
    device: str
    seconds: Mapping[str, float] = field(hash=False)
    launch_seconds: float

    def __post_init__(self) -> None:
        require_options(self)
        if not isinstance(self.seconds, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ExtractionError(
                f"Measured: seconds are given by the names of entries, not as {brief(self.seconds)}"
            )
        for name, value in self.seconds.items():
            require_number(f"the entry {brief(name)} of Measured", value)

    def cost(self, node: Node) -> float:
        """The seconds of the node on all elements.

        >>> from eqsat.dtype import float32, float64
        >>> from eqsat.extract import Value
        >>> model = Measured("a device", {"ADD float32 elementwise": 1e-11}, launch_seconds=1e-5)
        >>> for dtype in (float32, float64):
        ...     model.cost(Node(Op.ADD, dtype, None, (1000,), (Value(dtype, (1000,)),) * 2))
        1e-08
        2e-08
        """
        what = entry(node)
        if what is None:
            return 0.0
        count = node.elements if node.op not in ALU and not is_reduction(node) else applications(node)
        return self._per_element(*what) * count + (self.launch_seconds if is_reduction(node) else 0.0)

    def _per_element(self, op: str, dtype: DType, pattern: str) -> float:
        kinds = ("float64", "float32", "int64", "int32")
        same_kind = [kind for kind in kinds if kind.startswith("float") == dtype.is_float]
        for kind in (dtype.name, *reversed(same_kind), *reversed(kinds)):
            found = self.seconds.get(f"{op} {kind} {pattern}")
            if found is not None:
                known = dtype.itemsize if kind == dtype.name else int(kind[-2:]) // 8
                return found * max(1, dtype.itemsize) / max(1, known)
        arithmetic = [value for key, value in self.seconds.items() if key.endswith("elementwise")]
        return median(arithmetic) if arithmetic else 0.0

    def to_json(self) -> str:
        """The model as JSON text."""
        document = {
            "device": self.device,
            "launch_seconds": self.launch_seconds,
            "seconds": dict(self.seconds),
        }
        return json.dumps(document, indent=1)

    @staticmethod
    def from_json(text: str) -> Measured:
        """Reads a model from the text that `to_json` wrote.

        Raises:
            ExtractionError: the text is not such a document.
        """
        try:
            document = json.loads(text)
            seconds = {str(key): float(value) for key, value in document["seconds"].items()}
            return Measured(str(document["device"]), seconds, float(document["launch_seconds"]))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ExtractionError(f"no table of measured costs: {error!r}; write it with to_json") from error

    def __repr__(self) -> str:
        digest = sha256(self.to_json().encode()).hexdigest()[:8]
        return f"Measured({self.device!r}, {len(self.seconds)} entries, {digest})"


def entry(node: Node) -> tuple[str, DType, str] | None:
    """The entry of a node in the table: operation, dtype of its operands, access pattern. None if the node costs nothing.

    Patterns are `elementwise` for arithmetic; `rows` and `columns` for reductions; `contiguous` for reads and writes; `gather` for INDEX;
    `apart` for movement that separates neighbouring elements. Other movement is index arithmetic and costs nothing.
    """
    value = node.sources[0].dtype if node.op in COMPARISON and node.sources else node.dtype
    if node.op is Op.STORE:
        value = node.sources[1].dtype
    dtype = value if isinstance(value, DType) else value.base
    if itemsize(dtype) == 0:
        return None
    if node.op in ALU:
        return node.op.name, dtype, "elementwise"
    if is_reduction(node):
        return f"REDUCE {combining(node).name}", dtype, reduced_axes(node)
    if node.op in READS:
        return ("READ", dtype, "gather" if node.op is Op.INDEX else "contiguous")
    if node.op is Op.STORE:
        return "WRITE", dtype, "contiguous"
    return (node.op.name, dtype, "apart") if moves_last_axis(node) else None
