"""Seconds as a device took them, operation by operation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from statistics import median
from typing import ClassVar

from eqsat.dtype import DType
from eqsat.errors import ExtractionError
from eqsat.extract.costs.protocol import Node
from eqsat.extract.costs.work import (
    READS,
    applications,
    is_reduction,
    itemsize,
    moves_last_axis,
    reduced_axes,
)
from eqsat.ops import ALU, COMPARISON, Op


@dataclass(frozen=True)
class Measured:
    """Seconds of an array program, by a table of what each operation took on one device.

    `eqsat.calibrate.measured(device)` makes the table: each operation in kernels of its own, by element type and by how it goes
    through memory. The table is data: `to_json` keeps it, `from_json` gets it back. What it lacks is taken from a like entry: the same
    operation on another type of that kind (floats, integers), scaled by the bytes of an element, or else on the other kind; an
    operation that is not there at all costs the median of all arithmetic.

    >>> table = {"ADD float32 elementwise": 1e-11, "EXP2 float32 elementwise": 2e-10}
    >>> Measured("a device", table, launch_seconds=1e-5)
    Measured('a device', 2 entries, 33e5400b)

    Attributes:
        device: its name.
        seconds: per element, by `entry` name.
        launch_seconds: to end a kernel and start the next.
    """

    name: ClassVar[str] = "measured"
    unit: ClassVar[str] = "seconds"
    device: str
    seconds: Mapping[str, float] = field(hash=False)
    launch_seconds: float

    def cost(self, node: Node) -> float:
        """Seconds of the node on all elements.

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
        """The table as a document."""
        document = {
            "device": self.device,
            "launch_seconds": self.launch_seconds,
            "seconds": dict(self.seconds),
        }
        return json.dumps(document, indent=1)

    @staticmethod
    def from_json(text: str) -> Measured:
        """The model that `to_json` wrote.

        Raises:
            ExtractionError: it is no such document.
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
    """What a node is called in the table: operation, element type of its operands, access pattern; None for what costs nothing.

    Patterns are `elementwise` for arithmetic; `rows` and `columns` for reductions; `contiguous` for reads and writes, `gather` for INDEX;
    `apart` for movement that takes neighbours apart. Any other movement is index arithmetic.
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
        combine = node.arg[0] if node.op is Op.REDUCE_AXIS else node.arg
        return (
            f"REDUCE {combine.name if isinstance(combine, Op) else node.op.name}",
            dtype,
            reduced_axes(node),
        )
    if node.op in READS:
        return ("READ", dtype, "gather" if node.op is Op.INDEX else "contiguous")
    if node.op is Op.STORE:
        return "WRITE", dtype, "contiguous"
    return (node.op.name, dtype, "apart") if moves_last_axis(node) else None
