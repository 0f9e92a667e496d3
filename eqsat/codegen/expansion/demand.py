"""Builds the forms of nodes on demand, each one once: a generator builds a form and yields requests for the forms that it needs."""

from __future__ import annotations

from collections.abc import Callable, Generator

from eqsat.codegen.expansion.dependence import Values
from eqsat.uop import UOp

Request = tuple[UOp, Values, int | None]  # a node, the values of its copy axes, and one lane or all of them
Expanding = Generator[Request, UOp, UOp]


def on_demand(request: Request, built: dict[Request, UOp], expanding: Callable[[Request], Expanding]) -> UOp:
    """One form of a node. A stack holds the unfinished forms that wait for others; `built` has the finished forms, and receives new ones."""
    stack: list[tuple[Request, Expanding]] = []
    wanted: Request | None = request
    answer: UOp | None = None
    while True:
        if wanted is not None:
            answer = built.get(wanted)
            if answer is None:
                stack.append((wanted, expanding(wanted)))
            wanted = None
        if not stack:
            assert answer is not None
            return answer
        current, work = stack[-1]
        try:
            wanted = next(work) if answer is None else work.send(answer)
            answer = None
        except StopIteration as finished:
            answer = built[current] = finished.value
            stack.pop()
