"""What a form is: an operation as a seed writes it, at one stage, which runs or is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from eqsat.dtype import AddrSpace, DType, PtrDType, float32, index, void
from eqsat.ops import KernelInfo, Op, Stage
from eqsat.uop import UOp, toposort

Build = Callable[[], "UOp | Sequence[UOp]"]
Arrays = Mapping[int, np.ndarray]
SIZE = 6


@dataclass(frozen=True)
class Runs:
    """A graph that is run on a device, where it leaves what the reference says.

    Attributes:
        title: the form as people write it.
        stage: of the graph.
        made: a SINK or a LINEAR, or what makes one when it is needed, where that takes more than constructors.
        inputs: the content of buffers, by slot; of those that are not listed, zeros.
        expected: what is left in buffers where the reference cannot say it: it does not read text of the target language.
    """

    title: str
    stage: Stage
    made: UOp | Callable[[], UOp]
    inputs: Arrays = field(default_factory=dict[int, np.ndarray])
    expected: Arrays = field(default_factory=dict[int, np.ndarray])

    @cached_property
    def graph(self) -> UOp:
        return self.made if isinstance(self.made, UOp) else self.made()


@dataclass(frozen=True)
class Refused:
    """A graph, or what should become one, that is an error in which `words` say what is legal."""

    title: str
    stage: Stage
    op: Op
    build: Build
    words: str


Form = Runs | Refused


def node(op: Op, dtype: DType | PtrDType, *src: UOp, arg: object = None) -> UOp:
    return UOp(op, dtype, src, arg)


def f(value: float) -> UOp:
    return UOp.const(float32, value)


def i(value: int) -> UOp:
    return UOp.const(index, value)


def at(base: UOp, *where: UOp) -> UOp:
    return node(Op.INDEX, base.dtype.base if isinstance(base.dtype, PtrDType) else base.dtype, base, *where)


def load(address: UOp, *rest: UOp, dtype: DType | PtrDType | None = None) -> UOp:
    return node(Op.LOAD, dtype or address.dtype, address, *rest)


def store(address: UOp, value: UOp, *rest: UOp) -> UOp:
    return node(Op.STORE, void, address, value, *rest)


def pointer(size: int, space: AddrSpace = AddrSpace.GLOBAL, dtype: DType = float32) -> PtrDType:
    return PtrDType(dtype, space, size)


def argument(number: int, size: int, dtype: DType = float32) -> UOp:
    return node(Op.DEFINE_GLOBAL, pointer(size, dtype=dtype), arg=number)


def local(size: int, name: object = "shared", dtype: DType = float32) -> UOp:
    return node(Op.DEFINE_LOCAL, pointer(size, AddrSpace.LOCAL, dtype), arg=name)


def register(size: int, number: int = 0, dtype: DType = float32) -> UOp:
    return node(Op.DEFINE_REG, pointer(size, AddrSpace.REG, dtype), arg=(size, number))


def after(first: UOp, *others: UOp) -> UOp:
    return node(Op.AFTER, first.dtype, first, *others)


def kernel(*statements: UOp) -> UOp:
    return UOp.sink(*statements, arg=KernelInfo("form_kernel"))


def program(*instructions: UOp) -> UOp:
    """A LINEAR of these and of what they need, each once and before its use."""
    listed = dict.fromkeys(each for root in instructions for each in toposort([root]))
    return node(Op.LINEAR, void, *listed)
