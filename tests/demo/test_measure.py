from time import sleep

from eqsat.demo.measure import interleaved_times


def test_rivals_take_turns_with_a_warm_up_each():
    calls = []
    interleaved_times({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, rounds=2)
    assert calls == ["a", "a", "b", "b", "a", "a", "b", "b"]


def test_the_slower_rival_has_the_larger_median():
    times = interleaved_times({"quick": lambda: None, "slow": lambda: sleep(0.002)}, rounds=5)
    assert times["quick"].median < times["slow"].median
    assert times["slow"].least <= times["slow"].median


def test_measuring_stops_when_its_time_is_spent():
    calls = []
    interleaved_times({"only": lambda: (calls.append(1), sleep(0.01))}, rounds=1000, seconds=0.05)
    assert 4 <= len(calls) < 20
