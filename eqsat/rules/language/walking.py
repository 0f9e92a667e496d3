"""Lists the operations and the variables in patterns and scalars."""

from __future__ import annotations

from eqsat.rules.language.facts import Fact
from eqsat.rules.language.pattern import Constant, Node, Pattern, Value
from eqsat.rules.language.scalar import Arg, Call, Const, Operation, Scalar, Type

_VARIABLES = (Value, Const, Arg, Type)
_COMPUTED = (Operation, Call)


def nodes_of(*roots: Pattern) -> list[Node]:
    """Every operation in the patterns, operands before their users."""
    found: dict[int, Node] = {}
    stack: list[tuple[Pattern, bool]] = [(root, False) for root in reversed(roots)]
    while stack:
        pattern, ready = stack.pop()
        if not isinstance(pattern, Node) or id(pattern) in found:
            continue
        if ready:
            found[id(pattern)] = pattern
            continue
        stack.append((pattern, True))
        stack.extend((source, False) for source in reversed(pattern.src))
    return list(found.values())


def variables_of(root: Pattern) -> list[Value | Const | Arg | Type]:
    """The variables in a pattern, in order of appearance, including those in its computed constants and arguments."""
    found: dict[str, Value | Const | Arg | Type] = {}
    stack: list[Pattern | Scalar] = [root]
    while stack:
        part = stack.pop()
        if isinstance(part, _VARIABLES):
            found.setdefault(part.name, part)
        elif isinstance(part, _COMPUTED):
            stack.extend(reversed(part.operands))
        elif isinstance(part, Node):
            stack.extend(
                reversed((*part.src, *part.fields, *((part.dtype,) if part.dtype is not None else ())))
            )
        elif isinstance(part, Constant):
            stack.append(part.value)
        elif isinstance(part, Fact):
            stack.append(part.of)
    return list(found.values())


def variables_of_scalar(root: Scalar) -> list[Value | Const | Arg | Type]:
    """The variables that a guard or a computed scalar reads."""
    return variables_of(Constant(root))
