"""Elements of AND and OR chains that are differences: what other elements settle is taken out, so that `a | (a ^ b)` is `a | b`.

An element is read as an exclusive or of classes, perhaps turned over. Where an OR chain is zero, all its elements are, so that each of them may be
replaced by its difference with another one. An AND chain is looked at as the OR chain of the elements turned over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple


class Difference(NamedTuple):
    """The exclusive or of classes, turned over or not. The classes are sorted, and none occurs twice."""

    parts: tuple[int, ...]
    is_turned: bool


Element = int | Difference  # of a chain in normal form: a class, or what may have none yet


class Differences:
    """Reads classes as differences.

    Attributes:
        ones: the bits of the constant that turns all bits over, in the dtype that is looked at.
        operands: what a class is the exclusive or of, constants included; None if it is known as none.
    """

    def __init__(
        self, constants: Mapping[int, int], ones: int, operands: Callable[[int], Sequence[int] | None]
    ) -> None:
        self.constants = constants
        self.ones = ones
        self.operands = operands

    def reduced(self, table: str, elements: Sequence[int]) -> tuple[Element, ...] | None:
        """The elements of a chain, each without what others settle of it; None if they settle the whole chain."""
        read = [self.read(element) for element in elements]
        if all(len(difference.parts) < 2 for difference in read):
            return tuple(elements)
        turn = table == "AND_N"
        found = _eliminated([each._replace(is_turned=each.is_turned is not turn) for each in read])
        if found is None:
            return None
        kept: set[int] = set()
        made: set[Difference] = set()
        for element, before, after in zip(elements, read, found, strict=True):
            restored = after._replace(is_turned=after.is_turned is not turn)
            if restored == before:
                kept.add(element)
            elif len(after.parts) == 1 and not restored.is_turned:
                kept.add(after.parts[0])
            elif after.parts:
                made.add(restored)
        return (*sorted(kept), *sorted(made))

    def read(self, owner: int) -> Difference:
        """A class as the exclusive or of classes that are none themselves, as far as one term of each says."""
        parts: set[int] = set()
        is_turned = False
        looked_at: set[int] = set()
        pending = [owner]
        while pending:
            current = pending.pop()
            value = self.constants.get(current)
            operands = None if current in looked_at or value is not None else self.operands(current)
            if value == self.ones:
                is_turned = not is_turned
            elif operands is not None:
                looked_at.add(current)
                pending += operands
            elif value != 0:
                parts ^= {current}
        return Difference(tuple(sorted(parts)), is_turned)


def _eliminated(differences: Iterable[Difference]) -> list[Difference] | None:
    """The same zeros: differences without others that they contain, or without parts where they are given already; None if one is never zero."""
    found = [(set(difference.parts), difference.is_turned) for difference in differences]
    changed = True
    while changed:
        changed = False
        for place, (parts, is_turned) in enumerate(found):
            for other, (inner, inner_turned) in enumerate(found):
                if inner and place != other and inner <= parts:
                    parts, is_turned = parts - inner, is_turned is not inner_turned
                    changed = True
            found[place] = parts, is_turned
            if not parts and is_turned:
                return None
    return [Difference(tuple(sorted(parts)), is_turned) for parts, is_turned in found]
