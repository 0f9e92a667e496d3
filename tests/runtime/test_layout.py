"""A layout has each array of a schedule once, as a device has to make it."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from eqsat import dtype as dtypes
from eqsat.runtime.layout import Layout
from eqsat.schedule.kernel import BufferSpec, Role

KINDS = st.tuples(
    st.sampled_from([dtypes.bool_, dtypes.bfloat16, dtypes.float32, dtypes.float64]),
    st.integers(0, 5),
    st.sampled_from(Role),
    st.integers(-1, 2),
)


@st.composite
def buffers(draw) -> list[BufferSpec]:
    """Buffers of all roles; inputs and outputs have slots in an order of their own."""
    kinds = draw(st.lists(KINDS, max_size=10))
    specs: list[BufferSpec | None] = [None] * len(kinds)
    slots: Counter[Role] = Counter()
    for number in draw(st.permutations(range(len(kinds)))):
        dtype, size, role, arena = kinds[number]
        slot = -1 if role is Role.TEMPORARY else slots[role]
        slots[role] += 1
        specs[number] = BufferSpec(dtype, size, role, slot, arena if role is Role.TEMPORARY else -1)
    return [spec for spec in specs if spec is not None]


@given(buffers())
def test_each_array_is_there_once(specs: list[BufferSpec]) -> None:
    layout = Layout.of(specs, [])
    shared = [number for numbers, _ in layout.temporaries for number in numbers]
    made = [number for number, _, _ in layout.outputs]
    taken = [number for number, _ in layout.inputs]
    kept = [number for number, _ in layout.kept]
    assert sorted([*taken, *made, *shared, *kept, *layout.empty]) == list(range(layout.count))
    assert all(specs[number].slot == position for number, position in layout.inputs)
    assert [specs[number].slot for number in made] == sorted(specs[number].slot for number in made)
    assert all(specs[number].size == size for number, size, _ in layout.outputs)


@given(buffers())
def test_temporaries_share_the_memory_of_the_largest(specs: list[BufferSpec]) -> None:
    for numbers, size in Layout.of(specs, []).temporaries:
        assert size == max(specs[number].size * specs[number].dtype.itemsize for number in numbers)
        arenas = {specs[number].arena for number in numbers}
        assert len(arenas) == 1
        assert len(numbers) == 1 or arenas != {-1}, "what is in no arena shares with nothing"


def test_parameters_are_kept() -> None:
    specs = [BufferSpec(dtypes.float32, 4, Role.INPUT, 0), BufferSpec(dtypes.float32, 4, Role.OUTPUT, 0)]
    assert Layout.of(specs, [[1, 0]]).parameters == ((1, 0),)
