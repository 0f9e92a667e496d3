"""Running linear programs: loops, masks, registers, local memory, and every error that the interpreter looks for."""

import numpy as np
import pytest

from eqsat.dtype import AddrSpace, PtrDType, bool_, float32, index, void
from eqsat.errors import EvaluationError
from eqsat.ops import AxisType, Op
from eqsat.reference import run_linear
from eqsat.uop import UOp, toposort


def pointer(op, space, size, arg, dtype=float32):
    return UOp(op, PtrDType(dtype, space, size), (), arg)


def buffer(number, size):
    return pointer(Op.DEFINE_GLOBAL, AddrSpace.GLOBAL, size, number)


def local(size):
    return pointer(Op.DEFINE_LOCAL, AddrSpace.LOCAL, size, "shared")


def register(size, dtype=float32):
    return pointer(Op.DEFINE_REG, AddrSpace.REG, size, (size, 0), dtype)


def c(value):
    return UOp.const(index, value)


def at(base, *where):
    return UOp(Op.INDEX, base.dtype.base, (base, *where))


def load(address, *rest, lanes=1):
    return UOp(Op.LOAD, float32.vec(lanes), (address, *rest))


def store(address, value, *gate):
    return UOp(Op.STORE, void, (address, value, *gate))


def after(base, *dependencies):
    return UOp(Op.AFTER, base.dtype, (base, *dependencies))


def special(name, end):
    return UOp(Op.SPECIAL, index, (c(end),), name)


def end(*ranges):
    """What an END computes does not matter to the loops that it closes."""
    return UOp(Op.END, void, (ranges[0], *ranges))


def run(instructions, buffers, global_size=(1,), local_size=None, **variables):
    run_linear(UOp(Op.LINEAR, void, tuple(instructions)), buffers, global_size, local_size, variables)


def then(*groups):
    """Instruction lists one after another, each node where it first stands."""
    return list(dict.fromkeys(node for group in groups for node in group))


def test_nested_loops_run_all_iterations_and_one_end_closes_both():
    i, j, out = UOp.range(3, 0), UOp.range(4, 1), np.zeros(12, np.float32)
    body = store(at(buffer(0, 12), i * 4 + j), (i * 10 + j).cast(float32))
    run(then(toposort([i]), toposort([body]), [UOp(Op.END, void, (body, i, j))]), [out])
    assert out.reshape(3, 4).tolist() == [[10 * row + column for column in range(4)] for row in range(3)]


def test_empty_loop_is_skipped():
    i, j, out = UOp.range(0, 0), UOp.range(2, 1), np.full(2, 9, np.float32)
    body = store(at(buffer(0, 2), j), UOp.const(float32, 1))
    run(then(toposort([i]), toposort([body]), [end(i, j)]), [out])
    assert out.tolist() == [9, 9]


def test_loops_of_different_lengths_are_masked_per_item():
    item, total = special("gid0", 4), register(1)
    r = UOp(Op.RANGE, index, (item,), (0, AxisType.REDUCE))
    initial = store(at(total, c(0)), UOp.const(float32, 0))
    inside = at(after(total, r), c(0))
    update = store(inside, load(inside) + 1)
    done = end(r)
    out = np.zeros(4, np.float32)
    run(
        then(
            toposort([initial]),
            toposort([update]),
            [done],
            toposort([store(at(buffer(0, 4), item), load(at(after(total, done), c(0))))]),
        ),
        [out],
        (4,),
    )
    assert out.tolist() == [0, 1, 2, 3]


def test_range_of_the_older_form_starts_where_it_says():
    r, out = UOp(Op.RANGE, index, (c(2), c(4)), 0), np.zeros(5, np.float32)
    body = store(at(buffer(0, 5), r), UOp.const(float32, 1))
    run([*toposort([body]), UOp(Op.ENDRANGE, void, (r,))], [out])
    assert out.tolist() == [0, 0, 1, 1, 0]


def test_dimension_zero_of_the_work_items_is_fastest_and_groups_tile():
    names = ("gid0", "gid1", "lid0", "gidx0")
    items = [special(name, 4) for name in names]
    cell = items[1] * 4 + items[0]
    out = np.zeros(8, np.float32)
    run(
        toposort([store(at(buffer(0, 8), cell), (items[2] * 10 + items[3]).cast(float32))]),
        [out],
        (4, 2),
        (2, 1),
    )
    assert out.tolist() == [0, 10, 1, 11] * 2


def test_gate_and_alternative():
    item, out = special("gid0", 4), np.full(4, 9, np.float32)
    value = load(at(buffer(1, 2), item, item < 2), UOp.const(float32, -1))
    run(
        toposort([store(at(buffer(0, 4), item, item.ne(3)), value)]),
        [out, np.array([5, 6], np.float32)],
        (4,),
    )
    assert out.tolist() == [5, 6, -1, 9]


def test_gates_as_sources_in_the_older_form():
    item, out = special("gid0", 3), np.full(3, 9, np.float32)
    value = load(at(buffer(1, 2), item), UOp.const(float32, -1), item < 2)
    run(
        toposort([store(at(buffer(0, 3), item), value, item.ne(0))]),
        [out, np.array([5, 6], np.float32)],
        (3,),
    )
    assert out.tolist() == [9, 6, -1]


def test_vector_register_holds_all_lanes():
    lanes, accumulator, out = float32.vec(2), register(1, float32.vec(2)), np.zeros(2, np.float32)
    cell = at(accumulator, c(0))
    initial = store(cell, UOp(Op.VCONST, lanes, (), (1.0, 2.0)))
    r = UOp.range(3, 0, AxisType.REDUCE)
    inside = at(after(accumulator, r), c(0))
    update = store(inside, load(inside, lanes=2) + load(inside, lanes=2))
    total = load(at(after(accumulator, end(r)), c(0)), lanes=2)
    run(
        then(
            toposort([initial]),
            toposort([update]),
            [end(r)],
            toposort([store(at(buffer(0, 2), c(0)), total)]),
        ),
        [out],
    )
    assert out.tolist() == [8, 16]


def test_local_memory_belongs_to_the_group():
    item, inner, shared = special("gid0", 4), special("lid0", 2), local(2)
    written = store(at(shared, inner), item.cast(float32))
    barrier = UOp(Op.BARRIER, void, (written,))
    other = load(at(after(shared, barrier), c(1) + inner * -1))
    out = np.zeros(4, np.float32)
    run(toposort([barrier, store(at(buffer(0, 4), item), other)]), [out], (4,), (2,))
    assert out.tolist() == [1, 0, 3, 2]


def test_zero_work_items_do_nothing():
    out = np.full(1, 3, np.float32)
    run(toposort([store(at(buffer(0, 1), c(0)), UOp.const(float32, 0))]), [out], (0,))
    assert out.tolist() == [3]


def test_variables_are_passed_by_name():
    out = np.zeros(1, np.float32)
    run(toposort([store(at(buffer(0, 1), c(0)), UOp.variable("n", 0, 9).cast(float32))]), [out], n=7)
    assert out.tolist() == [7]


# errors


def program(*roots):
    return toposort(roots)


ITEM = special("gid0", 2)
LOCAL_ITEM = special("lid0", 2)
ONE = UOp.const(float32, 1)
RANGE = UOp.range(2, 0)
UNORDERED_READ = store(at(buffer(0, 2), ITEM), load(at(local(2), c(0))))
IF = UOp(Op.IF, void, (LOCAL_ITEM < 1,))


@pytest.mark.parametrize(
    ("instructions", "words"),
    [
        (program(store(at(buffer(0, 2), ITEM + 1), ONE)), r"element 2 of 2 of buffer 0 in work-item 1; gate"),
        (program(store(at(buffer(0, 2), ITEM), load(at(buffer(1, 2), ITEM * -1)))), "element -1 of 2 of buffer 1"),
        (program(store(at(buffer(0, 2), ITEM), load(at(register(1), c(0))))), "element 0 of register .*nothing has written"),
        (program(store(at(buffer(0, 2), ITEM), load(at(local(1), c(0))))), "of local shared, which nothing has written"),
        (program(store(at(buffer(0, 2), c(0)), ONE)), "races on element 0 of buffer 0"),
        (program(store(at(local(2), LOCAL_ITEM), ONE), UNORDERED_READ), "races on element 0 of local"),
        (program(store(at(buffer(0, 2), ITEM), load(at(buffer(0, 2), c(1) + ITEM * -1)))), "races on element . of buffer 0"),
        ([*program(IF), UOp(Op.BARRIER, void, ()), UOp(Op.ENDIF, void, (IF,))], "only some work-items of a group"),
        (program(store(at(buffer(0, 2), ITEM), ONE))[::-1], "used before it is computed"),
        (program(RANGE), "never closed"),
        ([*program(RANGE), end(RANGE), *program(store(at(buffer(0, 2), RANGE), ONE))[2:]], "outside the block"),
        (program(UOp(Op.SPECIAL, index, (c(2),), "planet")), "names no coordinate"),
        (program(special("gid0", 1)), "launch fewer work-items"),
        (program(UOp.variable("n", 0, 9)), "variable 'n' has no value"),
        (program(buffer(3, 1)), "only 2 buffers were given"),
        (program(buffer(0, 3)), "given 2 elements of float32; give 3"),
        (program(UOp(Op.CUSTOM, void, (), "asm")), "no instruction; text of the target language"),
    ],
)  # fmt: skip
def test_error_is_found(instructions, words):
    with pytest.raises(EvaluationError, match=words):
        run(instructions, [np.zeros(2, np.float32), np.zeros(2, np.float32)], (2,), (2,))


def test_crossing_loops_are_found():
    i, j = UOp.range(2, 0), UOp.range(2, 1)
    with pytest.raises(EvaluationError, match="not the innermost open block"):
        run([*toposort([i, j]), end(i), end(j)], [])


def test_groups_must_fill_the_launch():
    with pytest.raises(EvaluationError, match="do not fill"):
        run([], [], (3,), (2,))


def test_barrier_makes_sharing_in_a_loop_legal():
    """Both items write in turn what the other reads, with a barrier before and after each read."""
    shared, r = local(2), UOp.range(3, 0)
    written = store(at(shared, LOCAL_ITEM), r.cast(float32))
    first = UOp(Op.BARRIER, void, (written,))
    read = load(at(after(shared, first), c(1) + LOCAL_ITEM * -1))
    kept = store(at(buffer(0, 6), r * 2 + LOCAL_ITEM), read)
    second = UOp(Op.BARRIER, void, (kept,))
    out = np.zeros(6, np.float32)
    code = then([shared], toposort([second]))
    run([*code, UOp(Op.END, void, (second, r))], [out], (2,), (2,))
    assert out.tolist() == [0, 0, 1, 1, 2, 2]
    without = [node for node in code if node is not second]
    with pytest.raises(EvaluationError, match="races"):
        run([*without, UOp(Op.END, void, (kept, r))], [out], (2,), (2,))


def test_unused_gate_never_opens():
    closed = UOp.const(bool_, False)
    out = np.full(1, 9, np.float32)
    run(toposort([store(at(buffer(0, 1), c(99), closed), ONE)]), [out])
    assert out.tolist() == [9]


def test_memory_that_a_loop_names_first_is_one_memory():
    """Items race in a later iteration too, where the argument is an instruction of the loop."""
    loop, item, out = UOp.range(2, 0), special("lid0", 4), np.zeros(8, np.float32)
    update = store(at(buffer(0, 8), item + loop), loop.cast(float32))
    with pytest.raises(EvaluationError, match="races on element 1 of buffer 0"):
        run(then(toposort([loop]), toposort([update]), [end(loop)]), [out], (4,), (4,))
