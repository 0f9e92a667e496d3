"""Arguments that no operation has, however they are nested: a UOp is refused, or told apart from others and never written as another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat as eq
from eqsat.dtype import float32, void
from eqsat.errors import BuildError, GraphFileError, SpecError
from eqsat.graph_files.serialize import to_json
from eqsat.ops import BufferizeOpts, KernelInfo, Op, Stage, View
from eqsat.spec import verify
from eqsat.uop import UOp

X = UOp.param(0, 6, float32)


def nested(depth: int) -> Any:
    made: Any = ()
    for _ in range(depth):
        made = (made,)
    return made


def record(part: Any) -> list[Any]:
    return [
        KernelInfo(part),
        View(part, (1,)),
        View((2,), (1,), part),
        BufferizeOpts(part),
        BufferizeOpts(space=part),
    ]


@pytest.mark.parametrize("depth", [40, 5000])
def test_argument_that_is_nested_deeply_is_refused(depth: int) -> None:
    for argument in (nested(depth), (1, nested(depth)), *record(nested(depth))):
        with pytest.raises(BuildError, match="the argument of NOOP is hashable and nested at most 32 deep"):
            UOp(Op.NOOP, float32, (X,), argument)


def test_record_is_told_apart_from_one_with_equal_members_of_other_types() -> None:
    wrong = UOp(Op.VIEW, float32, (X,), View((1,), (True,)))
    right = UOp(Op.VIEW, float32, (X,), View((1,), (1,)))
    assert wrong is not right
    verify(right, Stage.ARRAY)
    with pytest.raises(SpecError, match="one stride per axis"):
        verify(wrong, Stage.ARRAY)
    assert UOp.sink(X, arg=KernelInfo("k", 1)) is not UOp.sink(X, arg=KernelInfo("k", True))


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize("argument", [Text("n"), (Text("n"), 1), np.float64(1.5), np.int64(1)], ids=repr)
def test_argument_that_json_would_read_back_as_another_is_not_written(argument: Any) -> None:
    with pytest.raises(GraphFileError, match="malformed"):
        to_json([UOp(Op.NOOP, void, (X,), argument)])


@pytest.mark.parametrize("part", [1.5, Op.ADD, float32, b"x", {1}.__class__, nested(10), "global"], ids=repr)
def test_malformed_argument_is_not_written(part: Any) -> None:
    for argument in record(part):
        if argument in (KernelInfo("global"), BufferizeOpts("global")):
            continue
        with pytest.raises(GraphFileError, match="malformed"):
            to_json([UOp(Op.NOOP, void, (X,), argument)])


@pytest.mark.parametrize(
    ("info", "words"),
    [
        (KernelInfo(""), "has a name, not ''"),
        (KernelInfo(3), "has a name, not 3"),  # pyright: ignore[reportArgumentType]
        (KernelInfo("k", 0), "counts from 1 on, not 0"),
        (KernelInfo("k", 1, True), "counts from 1 on, not True"),
        (KernelInfo("k", streams=1), "streams of its KernelInfo is True or False, not 1"),  # pyright: ignore[reportArgumentType]
    ],
)
def test_kernel_info_of_other_kinds_is_refused(info: KernelInfo, words: str) -> None:
    place = UOp.range(6, 0)
    stored = UOp(Op.STORE, void, (UOp(Op.INDEX, float32, (X, place)), UOp.const(float32, 1), place))
    with pytest.raises(SpecError, match=words):
        verify(UOp.sink(stored, arg=info), Stage.KERNEL)


MALFORMED = [Op.ADD, (Op.ADD, True), ("x",), 2.5, "x", True, -1, None]


@pytest.mark.parametrize("argument", [each for each in MALFORMED if each is not None], ids=repr)
def test_sink_with_a_malformed_argument_is_refused(argument: Any) -> None:
    for function in (eq.compile, eq.optimize, eq.simplify, eq.facts):
        with pytest.raises(SpecError, match="is not legal at the array stage"):
            function(UOp.sink(X, arg=argument))


@pytest.mark.parametrize("argument", MALFORMED, ids=repr)
def test_buffer_with_a_malformed_argument_is_refused(argument: Any) -> None:
    """Also where a launch takes it, whose rules read the sizes of its arguments."""
    i = UOp.range(6, 0)
    at = UOp(Op.INDEX, float32, (X, i))
    kernel = UOp.sink(UOp(Op.STORE, void, (at, i.cast(float32), i)), arg=KernelInfo("k"))
    identity = (UOp(Op.DEVICE, void, (), "HOST"), UOp(Op.LUNIQUE, void, (), 0))

    def launched() -> UOp:
        buffer = UOp(Op.BUFFER, float32, identity, argument)
        return UOp.sink(UOp(Op.AFTER, float32, (buffer, UOp(Op.CALL, void, (kernel, buffer)))))

    with pytest.raises((SpecError, BuildError)):
        verify(launched(), Stage.PROGRAM)
