"""Wrong rules about kernels: loads and vectors."""

from eqsat.rules.kernels.lanes import is_of_first, vector_of
from eqsat.rules.language.facts import dtype_of
from eqsat.rules.language.pattern import (
    Value,
    cat,
    gep,
    index,
    load,
    vectorize,
    where,
)
from eqsat.rules.language.rule import (
    ANY,
    VECTORS,
    Rewrite,
    Topic,
    rewrite,
)
from eqsat.rules.language.scalar import Arg, Const, pure  # fmt: skip


@pure
def either(first, second):
    return tuple(one or other for one, other in zip(first, second, strict=True))


wrong_kernels = Topic("wrong kernels")


# Loads.


@wrong_kernels.rule(ANY)
def choice_of_load_behind_the_negated_gate(c: Value, p: Value, i: Value, y: Value) -> Rewrite:
    """The gate is the condition itself."""
    return rewrite(where(c, load(index(p, i)), y), load(index(p, i, ~c), y))


@wrong_kernels.rule(ANY)
def gate_goes(p: Value, i: Value, g: Value, y: Value) -> Rewrite:
    """Where the gate fails, there may be no element."""
    return rewrite(load(index(p, i, g), y), where(g, load(index(p, i)), load(index(p, i))))


@wrong_kernels.rule(ANY)
def gates_join_by_either(c: Value, p: Value, i: Value, g: Value, y: Value) -> Rewrite:
    """Both have to hold."""
    return rewrite(where(c, load(index(p, i, g), y), y), load(index(p, i, c | g), y))


@wrong_kernels.rule(ANY)
def index_within_a_longer_period(p: Value, i: Value, n: Const, c: Const, y: Value) -> Rewrite:
    """The gate lets negative indices pass, whose remainders are elements."""
    inside = i < c
    return rewrite(load(index(p, i % n, inside), y), load(index(p, i, inside), y), where=(c <= n) & (n > 0))


# Vectors.


@wrong_kernels.rule(VECTORS)
def lane_of_second_vector_counted_in_both(v: Value, w: Value, p: Arg) -> Rewrite:
    """Lanes of the second vector are counted from its start."""
    return rewrite(gep(cat(v, w), p), gep(w, p), where=is_of_first(p, dtype_of(v)))


@wrong_kernels.rule(ANY)
def lanes_the_other_way_round(x: Value, y: Value) -> Rewrite:
    """Lane 0 is the first."""
    return rewrite(gep(vectorize(x, y), (0,)), y)


@wrong_kernels.rule(VECTORS)
def lanes_of_lanes_backwards(v: Value, p: Arg, q: Arg) -> Rewrite:
    """The later one chooses among those of the earlier one."""
    return rewrite(gep(gep(v, p), q), gep(v, p))


@wrong_kernels.rule(ANY)
def every_second_element_is_a_neighbour(p: Value, i: Value) -> Rewrite:
    """A vector has the next element in its second lane."""
    return rewrite(
        vectorize(load(index(p, i)), load(index(p, i + 2))),
        load(index(p, i), dtype=vector_of(dtype_of(p), 2)),
    )
