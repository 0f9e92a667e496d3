"""The older forms of a kernel, said in the newer ones, before and after expansion: LOAD(buffer, INDEX, …) and NOOP are gone."""

from __future__ import annotations

from eqsat.ops import Op
from eqsat.uop import UOp, rewrite, toposort


def modern(sink: UOp) -> UOp:
    """A kernel in the newer forms; itself if it has no others."""
    if not any(map(_is_older, toposort([sink]))):
        return sink
    return rewrite([sink], {}, _renewed)[0]


def _is_older(node: UOp) -> bool:
    return node.op is Op.NOOP or (node.op is Op.LOAD and any(each.op is Op.INDEX for each in node.src[1:2]))


def _renewed(node: UOp) -> UOp:
    if not _is_older(node):
        return node
    return node.src[0] if node.op is Op.NOOP else node.with_src(node.src[1:])
