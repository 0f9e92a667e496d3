"""A block as a sequence of events with places between them, and the scalars that are needed at each place, as graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eqsat.array.data import stand_in
from eqsat.autobatch.ir import Block, FunctionCallOp, PopOp, PrimOp, Program, Type
from eqsat.autobatch.ir.types import tensor_of
from eqsat.autobatch.primitives import traced
from eqsat.ops import ALU, Op
from eqsat.uop import UOp, rewrite, toposort

_SCALARS = ALU | {Op.CAST, Op.BITCAST, Op.CONST, Op.PARAM, Op.RESHAPE}


@dataclass(frozen=True, slots=True)
class Event:
    """An operation that stays where it is: a call, or an operation on arrays. Scalars are computed between events.

    Attributes:
        operation: the operation.
        saves: whether it is a recursive call, across which live values must be saved.
    """

    operation: PrimOp | FunctionCallOp
    saves: bool


@dataclass(frozen=True)
class BlockValues:
    """A block as events, and the scalars that each event and the end need, as graphs over leaves.

    Attributes:
        block: the block.
        events: the events; place k is before event k, and the last place is the end.
        leaves: for each leaf, the variable that it stands for and the first place where it is valid: after the event that wrote it, or the
            beginning of the block.
        needed: for each place, the graphs of the variables that are read there.
        types: the types of variables.
        saved: the number of scalars that are live across saving calls.
    """

    block: Block
    events: list[Event]
    leaves: dict[UOp, tuple[str, int]]
    needed: list[dict[str, UOp]]
    types: Mapping[str, Type]
    saved: int

    @property
    def places(self) -> int:
        """The number of places: one more than the number of events."""
        return len(self.needed)

    @staticmethod
    def of(
        block: Block, saves: Sequence[bool], live: Sequence[Sequence[str]], program: Program
    ) -> BlockValues:
        """Executes a block symbolically; `live` has the variables that are live before each operation, and at the end."""
        across = (
            set(after).difference(operation.vars_out)
            for operation, after, is_saving in zip(block.operations, live[1:], saves, strict=True)
            if is_saving and not isinstance(operation, PopOp)
        )
        saved = {name for names in across for name in names if not tensor_of(program.var_defs, name).shape}
        following = BlockValues(block, [], {}, [], program.var_defs, len(saved))
        held: dict[str, UOp] = {}
        for operation, is_saving in zip(block.operations, saves, strict=True):
            assert isinstance(operation, PrimOp | FunctionCallOp), "programs before lowering pop nothing"
            values = following._computed(operation, held) if isinstance(operation, PrimOp) else None
            if values is not None:
                held |= zip(operation.vars_out, values, strict=True)
                continue
            following._need(operation.vars_in, held)
            following.events.append(Event(operation, is_saving))
            held |= {
                name: following._leaf(name, len(following.events))
                for name in operation.vars_out
                if following._is_scalar(name)
            }
        following._need(live[-1], held)
        return following

    def _need(self, names: Sequence[str], held: dict[str, UOp]) -> None:
        self.needed.append({name: self._read(name, held) for name in names if self._is_scalar(name)})

    def _is_scalar(self, name: str) -> bool:
        return not tensor_of(self.types, name).shape

    def _read(self, name: str, held: dict[str, UOp]) -> UOp:
        if name not in held:
            held[name] = self._leaf(name, 0)
        return held[name]

    def _leaf(self, name: str, place: int) -> UOp:
        tensor = tensor_of(self.types, name)
        leaf = stand_in(len(self.leaves), tensor.shape, tensor.dtype)
        self.leaves[leaf] = name, place
        return leaf

    def _computed(self, operation: PrimOp, held: dict[str, UOp]) -> list[UOp] | None:
        """The graphs of an operation's results; None if the operation does not compute scalars from scalars only."""
        if not all(map(self._is_scalar, (*operation.vars_in, *operation.vars_out))):
            return None
        graph = traced(operation, self.types).graph
        if any(node.op not in _SCALARS and node.op is not Op.SINK for node in toposort([graph])):
            return None
        slots = {
            stand_in(slot, (), tensor_of(self.types, name).dtype): self._read(name, held)
            for slot, name in enumerate(operation.vars_in)
        }
        return rewrite(list(graph.src), slots)
