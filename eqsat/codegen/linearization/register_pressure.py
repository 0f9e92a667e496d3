"""Orders independent statements so that few values are live at once.

The updates of a tile of accumulators share operands: a product of matrices needs each element of one operand for each
column of the tile, and each element of the other for each row. C compilers mostly follow the order of the source. If all rows of the first
column come first, the element of every row is live until the last column. Row by row, only the elements of the columns stay live.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence


def with_few_live(needs: Sequence[Iterable[Hashable]], keys: Sequence[Hashable]) -> list[int]:
    """An order of statements that need these values, as the numbers of the statements. A value is live from its first statement to its last.

    The next statement is one that needs the fewest values that are not live yet. Ties go to the statement that is the last user of the most values,
    then to the one with a live value that has the fewest users left. Statements with the same key stay in their order.

    >>> tile = [(f"row {row}", f"column {column}") for column in range(2) for row in range(3)]
    >>> [tile[number] for number in with_few_live(tile, range(6))][:4]
    [('row 0', 'column 0'), ('row 0', 'column 1'), ('row 1', 'column 0'), ('row 1', 'column 1')]
    """
    following = _following(keys)
    ready = set(range(len(needs))) - set(following.values())
    users: dict[Hashable, dict[int, None]] = {}
    for number, values in enumerate(needs):
        for value in values:
            users.setdefault(value, {})[number] = None
    shared = [[value for value in dict.fromkeys(values) if len(users[value]) > 1] for values in needs]
    alive: dict[Hashable, None] = {}

    def cost(number: int) -> tuple[int, int, int, int]:
        """The cost of a statement that needs at least one live value."""
        left = [len(users[value]) for value in shared[number]]
        new = sum(value not in alive for value in shared[number])
        soonest = min(count for value, count in zip(shared[number], left, strict=True) if value in alive)
        return new, -left.count(1), soonest, number

    order: list[int] = []
    while ready:
        beside = {number for value in alive for number in users[value] if number in ready}
        chosen = min(beside, key=cost) if beside else min(ready)
        order.append(chosen)
        ready.remove(chosen)
        ready.update({following[chosen]} if chosen in following else ())
        for value in shared[chosen]:
            del users[value][chosen]
        alive = {value: None for value in (*alive, *shared[chosen]) if users[value]}
    return order


def _following(keys: Sequence[Hashable]) -> dict[int, int]:
    """For each statement, the next one with the same key."""
    last: dict[Hashable, int] = {}
    found: dict[int, int] = {}
    for number, key in enumerate(keys):
        if key in last:
            found[last[key]] = number
        last[key] = number
    return found
