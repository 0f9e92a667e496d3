"""UOps, the nodes of the one graph language that all stages share, and walks over their graphs."""

from eqsat.uop.fields import constant_value
from eqsat.uop.joining import join, piece_at
from eqsat.uop.node import Number, UOp, variable
from eqsat.uop.order import toposort
from eqsat.uop.recurrence import loops_begin
from eqsat.uop.rewriting import rewrite

__all__ = [
    "Number",
    "UOp",
    "constant_value",
    "join",
    "loops_begin",
    "piece_at",
    "rewrite",
    "toposort",
    "variable",
]
