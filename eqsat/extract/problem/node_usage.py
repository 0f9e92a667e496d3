"""Computes which nodes some finite acyclic term can contain, and which nodes need each class."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class NodeUsage:
    """The usable nodes, and the nodes that need each class.

    Attributes:
        usable: per node, whether some finite acyclic term has it at its top.
        distinct: per node, the classes of its children, without repetitions.
        waiting: per node, the number of distinct classes that it needs; 0 for nodes that are not usable.
        parents: per class, the usable nodes that need it.
    """

    usable: list[bool]
    distinct: list[tuple[int, ...]]
    waiting: list[int]
    parents: list[list[int]]


def find_node_usage(
    owners: list[int], finite: list[bool], rows: list[list[int]], class_count: int
) -> NodeUsage:
    """Computes the usage from each node's class, whether its cost is finite, and the classes of its children.

    A node is not usable if it costs `inf`, has its own class as a child, or has a child class without a usable node.
    """
    distinct = [tuple(dict.fromkeys(row)) for row in rows]
    allowed = [finite[node] and owners[node] not in children for node, children in enumerate(distinct)]
    waiting, parents = _dependencies(allowed, distinct, class_count)
    usable = [allowed[node] and not count for node, count in enumerate(waiting)]
    reached = [False] * class_count
    queue = [owner for node, owner in enumerate(owners) if usable[node]]
    while queue:
        owner = queue.pop()
        if reached[owner]:
            continue
        reached[owner] = True
        for parent in parents[owner]:
            waiting[parent] -= 1
            if not waiting[parent]:
                usable[parent] = True
                queue.append(owners[parent])
    return NodeUsage(usable, distinct, *_dependencies(usable, distinct, class_count))


def _dependencies(
    counted: list[bool], distinct: list[tuple[int, ...]], class_count: int
) -> tuple[list[int], list[list[int]]]:
    waiting = [0] * len(distinct)
    parents: list[list[int]] = [[] for _ in range(class_count)]
    for node, children in enumerate(distinct):
        if counted[node]:
            waiting[node] = len(children)
            for child in children:
                parents[child].append(node)
    return waiting, parents
