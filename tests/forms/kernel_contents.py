"""Forms of kernels that read what they store: through AFTER, or where the value that is read is written over."""

from collections.abc import Iterator

from eqsat.dtype import float32, void
from eqsat.ops import AxisType, Op, Stage
from eqsat.uop import UOp
from tests.forms.form import Form, after, at, i, kernel, load, local, node, store
from tests.forms.kernel_parts import both, refused, runs

SIZE = 8
IN, KEPT, OUT = (UOp.param(slot, SIZE, float32) for slot in (0, 1, 2))
LATER = UOp.range(SIZE, 8, AxisType.LOOP)
TERMS = UOp.range(SIZE, 9, AxisType.REDUCE)
ITEMS = (AxisType.GLOBAL, AxisType.THREAD, AxisType.LOCAL, AxisType.WARP)
COPIES = (AxisType.UPCAST, AxisType.UNROLL)


def doubled(*bounds: UOp, place: UOp | None = None) -> UOp:
    where = bounds[0] if place is None else place
    return store(at(KEPT, where), load(at(IN, where)) * 2.0, *bounds)


def total(buffer: UOp) -> UOp:
    return node(Op.REDUCE, float32, load(at(buffer, TERMS)), TERMS, arg=Op.ADD)


def read_after() -> Iterator[Form]:
    for axis in (*ITEMS, *COPIES):
        bound = UOp.range(SIZE, 0, axis)
        kept = after(KEPT, doubled(bound))
        yield runs(
            f"LOAD after a STORE along {axis.name}",
            Stage.KERNEL,
            store(at(OUT, bound), load(at(kept, bound)), bound),
        )
        elsewhere = {
            "at another place": store(at(OUT, bound), load(at(kept, i(SIZE - 1) - bound)), bound),
            "in a loop": store(at(OUT, LATER), load(at(kept, LATER)), LATER),
            "in a REDUCE": store(at(OUT, bound), total(kept), bound),
        }
        for where, statement in elsewhere.items():
            title = f"LOAD {where} after a STORE along {axis.name}"
            if axis in COPIES:
                yield runs(title, Stage.KERNEL, statement)
            else:
                words = f"writes along {axis.name} range 0, other work-items of which it does not wait for"
                yield refused(
                    title, Stage.KERNEL, Op.LOAD, words, lambda statement=statement: kernel(statement)
                )
    loop = UOp.range(SIZE, 0, AxisType.LOOP)
    kept = after(KEPT, doubled(loop))
    yield from both(
        "LOAD in a loop after a STORE along LOOP",
        store(at(OUT, LATER), load(at(kept, i(SIZE - 1) - LATER)), LATER),
    )
    for where, value in {"at the same place": load(at(kept, loop)), "in a REDUCE": total(kept)}.items():
        yield refused(f"LOAD {where} after a STORE along the same LOOP", Stage.KERNEL, Op.STORE, "which ends range 0 as it does",
                      lambda value=value: store(at(OUT, loop), value, loop))  # fmt: skip


def stored_again() -> Iterator[Form]:
    """A buffer after two STOREs, the second of which comes after the first."""
    for axis in (*ITEMS, *COPIES):
        bound = UOp.range(SIZE, 0, axis)
        first = after(KEPT, doubled(bound))
        second = after(first, store(at(first, bound), load(at(first, bound)) + 1.0, bound))
        place = i(SIZE - 1) - bound if axis in COPIES else bound
        yield runs(
            f"LOAD after two STOREs along {axis.name}",
            Stage.KERNEL,
            store(at(OUT, bound), load(at(second, place)), bound),
        )


def own_parts() -> Iterator[Form]:
    """Each group stores four elements, and reads these in another order."""
    group, step, later = UOp.range(2, 0, AxisType.GLOBAL), UOp.range(4, 1), UOp.range(4, 2)
    kept = after(KEPT, doubled(group, step, place=group * 4 + step))
    yield from both(
        "LOAD of the part of its group",
        store(at(OUT, group * 4 + later), load(at(kept, group * 4 + 3 - later)), group, later),
    )
    for title, place in {
        "another group's part": i(7) - group * 4 - later,
        "a part that begins later": group * 4 + later + 1,
    }.items():
        yield refused(f"LOAD of {title}", Stage.KERNEL, Op.LOAD, "other work-items of which it does not wait for",
                      lambda place=place: store(at(OUT, group * 4 + later), load(at(kept, place)), group, later))  # fmt: skip


def written_over() -> Iterator[Form]:
    for axis in (AxisType.GLOBAL, AxisType.LOOP):
        bound = UOp.range(SIZE, 0, axis)
        filled = after(KEPT, doubled(bound))
        over = bound if axis is AxisType.GLOBAL else LATER
        value = load(at(filled, over)) + load(at(IN, over))
        yield from both(
            f"STORE where its value is read, along {axis.name}", store(at(filled, over), value, over)
        )
        gated = store(at(filled, over, over < 3), value, over)
        yield from both(f"STORE where its value is read, under a gate, along {axis.name}", gated)
        here = load(at(KEPT, bound))
        refusals = {
            "at another place than its value is read": [store(at(KEPT, i(SIZE - 1) - bound), here, bound)],
            "of more than its value is read of": [store(at(KEPT, bound), here + load(at(KEPT, i(0))), bound)],
            "of what another STORE reads": [
                store(at(IN, bound), here, bound),
                store(at(KEPT, bound), load(at(IN, bound)), bound),
            ],
        }
        for title, stores in refusals.items():
            words = "neither comes first" if len(stores) > 1 else "which other iterations read"
            yield refused(
                f"STORE {title}, along {axis.name}",
                Stage.KERNEL,
                Op.LOAD,
                words,
                lambda stores=stores: kernel(*stores),
            )
    twice, bound = UOp.range(2, 1, AxisType.LOOP), UOp.range(SIZE, 0, AxisType.GLOBAL)
    again = store(at(KEPT, bound), load(at(KEPT, bound)) + twice.cast(float32), bound, twice)
    yield refused(
        "STORE where its value is read, again and again",
        Stage.KERNEL,
        Op.LOAD,
        "in each iteration of range 1",
        lambda: again,
    )


def read_elsewhere() -> Iterator[Form]:
    """Elements of a buffer that is stored to, but not these."""
    for axis in (*ITEMS, *COPIES):
        bound = UOp.range(SIZE // 2, 0, axis)
        places = {"odd": (bound * 2, bound * 2 + 1), "last": (i(3) - bound, bound + SIZE // 2)}
        for title, (read, written) in places.items():
            kept = after(KEPT, doubled(bound, place=read))
            value = load(at(kept, read)) + 1.0
            yield runs(
                f"LOAD beside STOREs of the {title} elements along {axis.name}",
                Stage.KERNEL,
                store(at(kept, written), value, bound),
            )
    bound = UOp.range(SIZE // 2, 0, AxisType.GLOBAL)
    for title, step in {"by one": 1, "by whole steps": 2}.items():
        moved = store(at(IN, bound * step), load(at(IN, bound * step + step)), bound)
        yield refused(
            f"LOAD of elements moved {title}",
            Stage.KERNEL,
            Op.LOAD,
            "which other iterations read",
            lambda moved=moved: moved,
        )


def combined() -> Iterator[Form]:
    """A STORE that combines does so one iteration after another, which lanes and copies are not."""
    for axis in COPIES:
        bound, outer = UOp.range(4, 1, axis), UOp.range(2, 0, AxisType.GLOBAL)
        added = node(
            Op.STORE, void, at(OUT, outer), load(at(IN, outer * 4 + bound)), outer, bound, arg=Op.ADD
        )
        words = f"for all of {axis.name} range 1; REDUCE over that first"
        yield refused(
            f"STORE(ADD) at one place along {axis.name}",
            Stage.KERNEL,
            Op.STORE,
            words,
            lambda added=added: added,
        )


def local_memory() -> Iterator[Form]:
    """A BARRIER comes between what items of a group store in local memory, and between what they read and write over."""
    item = UOp.range(SIZE, 0, AxisType.LOCAL)
    memory, mirrored = local(SIZE), i(SIZE - 1) - item
    first = after(memory, store(at(memory, item), load(at(IN, item)), item))
    second = after(first, store(at(first, item), load(at(first, mirrored)) + 1.0, item))
    yield from both(
        "STORE over local memory that others read", store(at(OUT, item), load(at(second, mirrored)), item)
    )
    unordered = store(at(OUT, item), load(at(second, item)) + load(at(first, item)), item)
    yield refused(
        "LOAD of local memory beside a STORE", Stage.KERNEL, Op.LOAD, "neither comes first", lambda: unordered
    )


def forms() -> Iterator[Form]:
    for group in (read_after, stored_again, own_parts, written_over, read_elsewhere, combined, local_memory):
        yield from group()
