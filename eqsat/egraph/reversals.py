"""MAX and MIN of complements or negatives, which reverse the order: of all at once, since a rule about two would make a term for each subset."""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.egraph.frozen import Row
from eqsat.egraph.statements import Statements
from eqsat.egraph.terms import Expression

_DUAL = {"MAX_N": "MIN_N", "MIN_N": "MAX_N"}


def collect_reversals(step: Statements) -> None:
    """States that the greatest of several complements is the complement of the least, and so on for negatives of indices."""
    chains = [row for row in step.frozen.rows if row.table in _DUAL and row.owner not in step.constants]
    if not chains:
        return
    kinds = {"XOR_N": dict[int, int](), "SCALE": dict[int, int]()}
    for row in step.frozen.rows:
        inner = _reversed(step, row)
        if inner is not None:
            kinds[row.table].setdefault(row.owner, inner)
    for row in chains:
        for table, inner_of in kinds.items():
            turned = [element for element in row.columns[2] if element in inner_of]
            if len(turned) > 1:
                others = [element for element in row.columns[2] if element not in inner_of]
                _state(step, row, table, others, [inner_of[element] for element in turned])


def _reversed(step: Statements, row: Row) -> int | None:
    """What a class is the complement or negative of, if a row says that."""
    if row.table == "SCALE":
        return row.columns[3] if row.columns[2] == -1 and row.dtype == "index" else None
    if row.table != "XOR_N" or row.dtype == "bool" or len(row.children) != 2:
        return None
    ones = step.polynomials.dtype(row.dtype).all_ones
    for one, other in (row.children, row.children[::-1]):
        if step.constants.get(one) == ones and other not in step.constants:
            return other
    return None


def _state(step: Statements, row: Row, table: str, others: Sequence[int], inner: Sequence[int]) -> None:
    with step.once(lambda: ("reversed", row.table, table, *map(step.stable, (row.owner, *inner)))) as is_new:
        if is_new:
            place = (row.dtype, row.shape)
            names = tuple(map(step.feeder.name, inner))
            turned: Expression = step.feeder.term(_DUAL[row.table], *place, names)
            if table == "SCALE":
                turned = step.feeder.term("SCALE", *place, -1, turned)
            else:
                ones = step.feeder.term("CONST", *place, step.polynomials.dtype(row.dtype).all_ones)
                turned = step.feeder.term("XOR_N", *place, (turned, ones))
            rest = tuple(map(step.feeder.name, others))
            step.feeder.union(
                row.owner, step.feeder.term(row.table, *place, (*rest, turned)) if rest else turned
            )
            step.theory.count("reversed_order")
