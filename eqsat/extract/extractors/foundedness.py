"""Finds cycles in a choice (classes that need themselves), and the constraints that forbid them.

A set of classes is *unfounded* in a choice if each of them needs another one of the set. The *support* of a set consists of the nodes of its
classes that need no class of the set. If a class of the set is extracted, following the chosen nodes inside the set must end at a chosen node of the
support, because there is no cycle. So some node of the support is chosen: this is the loop formula of answer-set programming (Lin and Zhao,
"ASSAT", 2004), which is stronger than forbidding the cycles one by one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eqsat.extract.problem.problem import Problem
from eqsat.extract.problem.result import NOT_CHOSEN

Loop = frozenset[int]


def unfounded_loops(problem: Problem, choice: NDArray[np.int32]) -> list[Loop]:
    """The set of all unfounded classes of a choice, and cycles among them; empty if the choice is acyclic."""
    needs = {
        owner: problem.usage.distinct[int(choice[owner])]
        for owner in np.flatnonzero(choice != NOT_CHOSEN).tolist()
    }
    unfounded = _unfounded(needs)
    if not unfounded:
        return []
    circles = _circles(
        {owner: [child for child in needs[owner] if child in unfounded] for owner in unfounded}
    )
    return list(dict.fromkeys([frozenset(unfounded), *circles]))


def support(problem: Problem, loop: Loop) -> list[int]:
    """The nodes of the loop's classes that need no class of the loop."""
    distinct = problem.usage.distinct
    return [
        node
        for owner in sorted(loop)
        for node in problem.nodes_by_class[owner]
        if loop.isdisjoint(distinct[node])
    ]


def _unfounded(needs: dict[int, tuple[int, ...]]) -> dict[int, None]:
    """Repeatedly removes classes whose children are all removed; returns the classes that remain."""
    waiting = {owner: len(children) for owner, children in needs.items()}
    parents: dict[int, list[int]] = {owner: [] for owner in needs}
    for owner, children in needs.items():
        for child in children:
            parents[child].append(owner)
    founded = [owner for owner, count in waiting.items() if not count]
    for owner in founded:
        for parent in parents[owner]:
            waiting[parent] -= 1
            if not waiting[parent]:
                founded.append(parent)
    return dict.fromkeys(owner for owner in needs if waiting[owner])


def _circles(needs: dict[int, list[int]]) -> list[Loop]:
    """The cycles that following the first child of each class leads to; every class has a child."""
    found: list[Loop] = []
    done: set[int] = set()
    for start in needs:
        path: dict[int, int] = {}
        owner = start
        while owner not in done and owner not in path:
            path[owner] = len(path)
            owner = needs[owner][0]
        if owner in path:
            found.append(frozenset(list(path)[path[owner] :]))
        done.update(path)
    return found
