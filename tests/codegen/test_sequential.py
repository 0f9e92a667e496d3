"""What one thread cannot do is refused by name."""

import pytest

from eqsat.codegen.linearization.sequential import sequential
from eqsat.dtype import float32, index, void
from eqsat.errors import CodegenError
from eqsat.ops import AxisType, Op
from eqsat.uop import UOp
from tests.forms.form import after, at, f, i, kernel, load, local, node, store

OUT = UOp.param(0, 4, float32)
ITEM = node(Op.SPECIAL, index, i(4), arg="gid0")
LOCAL, LOOP = UOp.range(4, 0, AxisType.LOCAL), UOp.range(4, 0, AxisType.LOOP)


def shared(bound):
    """A kernel that keeps what it stores in local memory first."""
    memory = local(4)
    kept = store(at(memory, bound), f(1.0))
    return kernel(store(at(OUT, bound), load(at(after(memory, kept), bound)), bound))


@pytest.mark.parametrize(
    ("sink", "words"),
    [
        (kernel(store(at(OUT, ITEM), f(1.0))), "SPECIAL.*the number of a work-item"),
        (
            kernel(store(at(OUT, i(0)), f(1.0)), node(Op.BARRIER, void)),
            "BARRIER.*work-items that wait for each other",
        ),
        (shared(LOCAL), "DEFINE_LOCAL.*memory that work-items share"),
    ],
)
def test_one_thread_has_no_work_items(sink, words):
    with pytest.raises(CodegenError, match=words):
        sequential(sink)


def test_memory_of_one_item_is_its_own():
    assert any(each.op is Op.DEFINE_LOCAL for each in sequential(shared(LOOP)).toposort())


def test_one_element_may_lie_at_any_address_and_several_at_an_index():
    """A POINTER_INDEX counts bytes: where its second lane lies, nobody says."""
    moved = node(Op.POINTER_INDEX, float32, at(OUT, i(0)), i(4))
    (stored,) = (each for each in sequential(kernel(store(moved, f(1.0)))).toposort() if each.op is Op.STORE)
    assert stored.src[0] is moved
    pair = node(Op.VECTORIZE, float32.vec(2), f(1.0), f(2.0))
    with pytest.raises(CodegenError, match="cannot be told into elements"):
        sequential(kernel(store(moved, pair)))
