"""Facts about integers: what is concluded holds of every number that they were made of."""

from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from eqsat.integers.facts import ANYTHING, Facts

NUMBERS = st.sets(st.integers(-70, 70), min_size=1, max_size=4)


def about(numbers: set[int]) -> Facts:
    """The facts that hold of all these numbers."""
    return reduce(Facts.join, map(Facts.exactly, sorted(numbers)))


@given(NUMBERS)
def test_facts_of_numbers_allow_them(numbers: set[int]) -> None:
    assert all(about(numbers).allows(number) for number in numbers)


@given(NUMBERS, NUMBERS)
def test_a_meeting_allows_what_both_allow(left: set[int], right: set[int]) -> None:
    first, second = about(left), about(right)
    both = [number for number in range(-150, 150) if first.allows(number) and second.allows(number)]
    assert all(first.meet(second).allows(number) for number in both)
    assert not (first.excludes(second) and both)


@given(NUMBERS, NUMBERS)
def test_numbers_compare_as_their_facts_say(left: set[int], right: set[int]) -> None:
    verdict = about(left).is_below(about(right))
    assert verdict is None or all((low < high) is verdict for low in left for high in right)


@given(NUMBERS)
def test_one_number_is_known_exactly(numbers: set[int]) -> None:
    assert (about(numbers).value is not None) == (len(numbers) == 1)


def test_each_kind_of_fact_sharpens_the_others() -> None:
    assert Facts.of(zeros=-8, ones=1).hi == 7
    assert Facts.of(lo=0, hi=5).zeros == -8
    assert Facts.of(lo=1, hi=6, divisor=5, remainder=0).value == 5
    assert Facts.of(divisor=12, remainder=8).zeros == 3
    assert Facts.of(divisor=3, remainder=2).meet(Facts.of(divisor=4, remainder=1)).remainder == 5
    assert ANYTHING.allows(7)
