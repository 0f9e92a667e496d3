"""Shrinks a program while something is wrong with it: leaves out statements, and takes operands for operations."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator


def shrunk(source: str, is_wrong: Callable[[str], bool]) -> str:
    """The source with every part left out without which the program is wrong still."""
    smaller = next(filter(is_wrong, _simpler(source)), None)
    while smaller is not None:
        source = smaller
        smaller = next(filter(is_wrong, _simpler(source)), None)
    return source


def _simpler(source: str) -> Iterator[str]:
    """Sources in which one node is replaced, the largest first."""
    count = sum(1 for _ in ast.walk(ast.parse(source)))
    for number in range(count):
        tree = ast.parse(source)
        node = list(ast.walk(tree))[number]
        for name, field in ast.iter_fields(node):
            if isinstance(field, list):
                for place, part in enumerate(field):
                    for others in _parts(part):
                        setattr(node, name, [*field[:place], *others, *field[place + 1 :]])
                        yield ast.unparse(tree)
                setattr(node, name, field)
            elif isinstance(field, ast.expr):
                for others in _parts(field):
                    setattr(node, name, others[0])
                    yield ast.unparse(tree)
                setattr(node, name, field)


def _parts(node: ast.AST) -> list[list[ast.AST]]:
    """What may stand for a node."""
    match node:
        case ast.If(_, body, orelse):
            return [[ast.Pass()], list(body), list(orelse)]
        case ast.For(_, _, body) | ast.While(_, body):
            return [[ast.Pass()], list(body)]
        case ast.Assign() | ast.AugAssign() | ast.FunctionDef():
            return [[ast.Pass()]]
        case ast.BinOp(left, _, right) | ast.Compare(left, _, [right]):
            return [[left], [right]]
        case ast.UnaryOp(_, operand) | ast.Subscript(operand):
            return [[operand]]
        case ast.Call(_, arguments):
            return [[each] for each in arguments]
        case _:
            return []
