"""A graph comes back from JSON as the same object, and a document that is no graph is named with the place at fault."""

from __future__ import annotations

import copy
import json
import math
import pickle
import struct
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eqsat as eq
from eqsat.errors import GraphFileError
from eqsat.graph_files.serialize import from_json, to_json
from eqsat.ops import KernelInfo, Op
from eqsat.spec import verify
from eqsat.uop import UOp
from tests.examples import EXAMPLES, Executed

GRAPH = to_json(
    [
        eq.trace(
            lambda x, y: eq.max(eq.pad(eq.matmul(x, y), ((1, 0), (0, 2))), axis=0),
            eq.spec((3, 4), eq.float32),
            eq.spec((4, 2), eq.float32),
        )
    ]
)


@pytest.mark.parametrize("op", EXAMPLES)
def test_example_of_every_operation_comes_back(op):
    example = EXAMPLES[op]
    roots = list(example.instructions) if isinstance(example, Executed) else [example.root]
    assert from_json(json.loads(json.dumps(to_json(roots), allow_nan=False)), allow_custom=True) == roots
    assert all(pickle.loads(pickle.dumps(root)) is root for root in roots)


@pytest.mark.parametrize(
    "bits", [0x7FF0 << 48, 0xFFF0 << 48, 0x7FF8 << 48, 0xFFF8 << 48, (0x7FF8 << 48) + 5, 1 << 63, 1]
)
def test_constant_comes_back_to_the_bit(bits):
    (value,) = struct.unpack(">d", bits.to_bytes(8))
    constant = UOp.const(eq.float64, value)
    assert from_json(json.loads(json.dumps(to_json([constant]), allow_nan=False))) == [constant]


def test_data_of_this_process_cannot_be_written():
    with pytest.raises(GraphFileError, match="held by this process only.*use PARAMs"):
        to_json([eq.asarray([1.0, 2.0]).uop])


ONE = ["CONST", "float32", 1.0, []]


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (None, r'not a graph: expected {"nodes"'),
        ({"nodes": {}, "roots": []}, "not a graph: expected"),
        ({"nodes": [ONE], "roots": [1]}, "roots must be numbers of its 1 nodes, got \\[1\\]"),
        ({"nodes": [ONE], "roots": [True]}, "roots must be numbers"),
        ({"nodes": [ONE], "roots": [0], "version": 2}, "version 2, and this eqsat reads version 1; .* update eqsat"),
        ({"nodes": [ONE, 3], "roots": [0]}, r"node 1: expected \[op, dtype, arg, \[sources\]\]"),
        ({"nodes": [["DANCE", "float32", None, []]], "roots": [0]}, "node 0: there is no operation .*'DANCE'"),
        ({"nodes": [["CONST", "float33", 1.0, []]], "roots": [0]}, "node 0 .CONST.: no dtype is named 'float33'"),
        ({"nodes": [ONE, ["ADD", "float32", None, [0]]], "roots": [1]}, "node 1 .ADD.: .* at least 2 sources"),
        ({"nodes": [["EXP2", "float32", None, [0]]], "roots": [0]}, "must be numbers of earlier nodes"),
    ],
)  # fmt: skip
def test_what_is_no_graph_is_named_with_the_place(document, words):
    with pytest.raises(GraphFileError, match=words):
        from_json(document)


PIECES = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([-1, 0, 1, 3, 1 << 70, 0.5, math.nan]),
    st.sampled_from(["", "x", "index", "float32", *Op.__members__]),
    st.sampled_from([[], [0], [[0, 1]], {}, {"op": "ADD"}, {"axis": 1}, {"view": [3]}, {"nan": "7"}, {"a": 1, "b": 2}]),
)  # fmt: skip


@given(st.lists(st.tuples(st.integers(0, 10_000), PIECES), min_size=1, max_size=3))
def test_damaged_document_is_a_graph_or_named(damages):
    document = copy.deepcopy(GRAPH)
    for place, piece in damages:
        holders = list(_holders(document))
        holder, key = holders[place % len(holders)]
        holder[key] = copy.deepcopy(piece)  # a list put into itself would have no end
    with suppress(GraphFileError, eq.SpecError):
        roots = from_json(document)
        assert from_json(to_json(roots)) == roots
        verify(roots, eq.Stage.ARRAY)


def _holders(document: Any) -> list[tuple[Any, Any]]:
    """Every place inside a document, as a container and its key."""
    found: list[tuple[Any, Any]] = []
    pending = [document]
    while pending:
        container = pending.pop()
        for key, value in container.items() if isinstance(container, dict) else enumerate(container):
            found.append((container, key))
            if isinstance(value, dict | list):
                pending.append(value)
    return found


def test_how_a_kernel_is_run_is_kept():
    sink = UOp.sink(arg=KernelInfo("sum", chains=4, group=32))
    assert from_json(to_json([sink])) == [sink]


def test_groups_without_bound_are_refused():
    with pytest.raises(GraphFileError):
        from_json(to_json([UOp.sink(arg=KernelInfo("sum", group=1 << 40))]))
