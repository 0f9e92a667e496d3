"""Each call compares the values that a function captures, however it reaches them, and what is inside of them."""

# ruff: noqa: PLW0108  in a lambda, names are read at each call

import array
import functools
import operator
import types
from collections import deque
from unittest.mock import patch

import numpy as np
import pytest

import eqsat as eq
from eqsat.pipeline.functions.captured import reads_of, unchanged_by
from tests.pipeline.test_direct_calls import DIRECT
from tests.pipeline.test_just_in_time import Model, X, count_programs


class Box:
    __slots__ = ("scale",)

    def __init__(self):
        self.scale = [1.0]


ELSEWHERE = {}  # the elements of foreign arrays, which are no attributes of theirs


class Foreign:
    """An array of another library, whose elements only its `__array__` has."""

    def __init__(self):
        ELSEWHERE[id(self)] = np.zeros(3)

    def __array__(self, dtype=None, copy=None):
        return ELSEWHERE[id(self)]


def object_array():
    made = np.empty(2, object)
    made[1] = [1.0]
    return made


CHANGES = {
    "a list in a tuple in a list": (lambda: [([1.0, 2.0],)], lambda held: held[0][0].append(3.0)),
    "an item by an equal one of another type": (lambda: [1, 2], lambda held: operator.setitem(held, 0, True)),
    "a zero by the negative one": (
        lambda: {"a": (0.0, [0.0])},
        lambda held: operator.setitem(held["a"][1], 0, -0.0),
    ),
    "a value of a dict": (lambda: {"a": 1}, lambda held: held.update(a=2)),
    "a key of a dict": (lambda: {"a": 1}, lambda held: held.update(b=held.pop("a"))),
    "the order of a dict": (lambda: {"a": 1, "b": 2}, lambda held: held.update(a=held.pop("a"))),
    "an attribute": (Model, lambda held: setattr(held, "offsets", [5.0])),
    "what an attribute holds": (Model, lambda held: held.offsets.append(5.0)),
    "all attributes": (Model, lambda held: setattr(held, "__dict__", {})),
    "a slot": (Box, lambda held: setattr(held, "scale", 3.0)),
    "what a slot holds": (Box, lambda held: held.scale.clear()),
    "a slot that is emptied": (Box, lambda held: delattr(held, "scale")),
    "a bound argument": (
        lambda: functools.partial(max, [1.0], key=[2]),
        lambda held: held.args[0].append(2.0),
    ),
    "a named argument": (lambda: functools.partial(max, key=[2]), lambda held: held.keywords["key"].pop()),
    "the object of a method": (lambda: Model().apply, lambda held: held.__self__.offsets.append(2.0)),
    "a set in a list": (lambda: [{1}], lambda held: held[0].add(2)),
    "an element of an array in a dict": (
        lambda: {"a": [np.zeros(2)]},
        lambda held: operator.setitem(held["a"][0], 0, 1.0),
    ),
    "an element of a large array": (lambda: np.zeros(1 << 18), lambda held: operator.setitem(held, 77, 1.0)),
    "the shape of an array": (lambda: np.zeros((2, 3)), lambda held: setattr(held, "shape", (3, 2))),
    "the dtype of an array": (lambda: np.zeros(3, np.int32), lambda held: setattr(held, "dtype", np.float32)),
    "an item of an array of objects": (object_array, lambda held: operator.setitem(held, 0, 5.0)),
    "what an array of objects holds": (object_array, lambda held: held[1].append(5.0)),
    "an item of a deque": (lambda: deque([1.0]), lambda held: held.append(2.0)),
    "a byte": (lambda: bytearray(b"a"), lambda held: operator.setitem(held, 0, 5)),
    "a byte of a view": (lambda: memoryview(bytearray(b"a")), lambda held: operator.setitem(held, 0, 5)),
    "an item of an array of Python's": (lambda: array.array("f", [1.0]), lambda held: held.append(2.0)),
    "an item of a read-only dict": (
        lambda: types.MappingProxyType({"a": [1.0]}),
        lambda held: held["a"].append(2.0),
    ),
    "an element of an array of another library": (
        Foreign,
        lambda held: operator.setitem(ELSEWHERE[id(held)], 1, 2.0),
    ),
    "one of many lists": (lambda: [[number] for number in range(300)], lambda held: held[250].append(1)),
}


@pytest.mark.parametrize(("make", "change"), CHANGES.values(), ids=CHANGES)
def test_what_is_inside_of_a_captured_value_is_looked_at(make, change):
    held = make()
    *reads, read = (each for each in reads_of(lambda: held) if each.value is held)
    assert not reads
    assert read.is_unchanged()
    change(held)
    assert not read.is_unchanged()


@pytest.mark.parametrize("needs_gradients", [False, True])
def test_changes_of_captured_tensors_are_noticed(needs_gradients):
    torch = pytest.importorskip("torch")
    held = torch.ones(3, requires_grad=needs_gradients)
    weigh = eq.jit(lambda x: eq.sum(x * eq.asarray(held.detach())))
    assert weigh(np.ones(3)) == 3
    held.data.mul_(2)
    assert weigh(np.ones(3)) == 6


def test_globals_that_are_read_by_their_names_are_noticed():
    scale = eq.jit(lambda x: x * globals()["value"])
    assert scale(np.ones(1)) == value
    with patch.dict(globals(), value=5.0):
        assert scale(np.ones(1)) == 5.0


def test_a_captured_value_that_equals_the_former_one_is_unchanged():
    held = ((slice(1, None, 2),), [1, "a"], {"b": 2.0})
    reads = reads_of(lambda: held)
    held = (held[0], [1, "a"], {"b": 2.0})
    assert all(read.is_unchanged() for read in reads)
    held = (held[0], [1, "a"], {"b": 2.5})
    assert not all(read.is_unchanged() for read in reads)


# how a value is reached, and how it changes

value = 2.0
config = types.ModuleType("config_of_a_user")


def used(x, held):
    if callable(held):
        return held(x)
    return x * (held[0] if isinstance(held, list | np.ndarray) else held)


def by_global(x):
    return used(x, value)


def set_global(held):
    globals()["value"] = held


class Base:
    scale = 1.0
    hidden = 1.0

    def of_class(self, x):
        return used(x, self.scale)

    def over(self, x):
        return by_global(x)

    def by_text(self, x):
        return used(x, getattr(self, "scale"))  # noqa: B009  also if it is named by a text


class Net(Base):
    hidden = 3.0

    class Inner:
        scale = 1.0

    def of_inner(self, x):
        return used(x, self.Inner.scale)

    def of_super(self, x):
        return used(x, super().hidden)

    def over(self, x):
        return super().over(x)

    @property
    def of_property(self):
        return value

    @functools.cached_property
    def once(self):
        return value

    @staticmethod
    def static(x):
        return by_global(x)

    @classmethod
    def of_classmethod(cls, x):
        return used(x, cls.scale)

    def __call__(self, x):
        return by_global(x)

    def __mul__(self, x):
        return by_global(x)

    def __getattr__(self, name):
        if name != "unknown":
            raise AttributeError(name)
        return value


class Hidden(Net):
    """What an instance has instead of its class."""

    def __init__(self):
        self.own = [self.__call__]


def with_attribute(x):
    return used(x, with_attribute.scale)


def wrapped(function):
    @functools.wraps(function)
    def calling(*arguments):
        return function(*arguments)

    return calling


def set_on(owner, name):
    return lambda held: setattr(owner, name, held)


net, hidden = Net(), Hidden()
in_list, in_dict = [by_global], {"a": {"b": by_global}}
bound = functools.partial(lambda function, x: function(x), by_global)
mapped, compiled = eq.vmap(by_global), eq.jit(by_global)
decorated = wrapped(by_global)

# how the value is reached: a function, its further arguments, and what sets the value
WAYS = {
    "a class attribute": (lambda x: net.of_class(x), (), set_on(Net, "scale")),
    "an inherited one": (lambda x: net.of_class(x), (), set_on(Base, "scale")),
    "one of an argument": (lambda x, given: given.of_class(x), (net,), set_on(Base, "scale")),
    "one named by a text": (lambda x: net.by_text(x), (), set_on(Base, "scale")),
    "one that another hides": (lambda x: net.of_super(x), (), set_on(Base, "hidden")),
    "an inner class": (lambda x: net.of_inner(x), (), set_on(Net.Inner, "scale")),
    "a class as a namespace": (lambda x: used(x, Net.scale), (), set_on(Net, "scale")),
    "a class that is given": (lambda x, kind: used(x, kind.scale), (Net,), set_on(Net, "scale")),
    "a method": (lambda x: net.over(x), (), set_global),
    "a property": (lambda x: used(x, net.of_property), (), set_global),
    "a new object": (lambda x: used(x, Net().once), (), set_global),
    "a static method": (lambda x: net.static(x), (), set_global),
    "a method of a class": (lambda x: Net.of_classmethod(x), (), set_on(Net, "scale")),
    "a call of an object": (lambda x: net(x), (), set_global),
    "an operator": (lambda x: net * x, (), set_global),
    "a missing attribute": (lambda x: used(x, net.unknown), (), set_global),
    "an attribute of a function": (with_attribute, (), set_on(with_attribute, "scale")),
    "an attribute of a module": (lambda x: used(x, config.scale), (), set_on(config, "scale")),
    "a function in a list": (lambda x: in_list[0](x), (), set_global),
    "a function in a dict": (lambda x: in_dict["a"]["b"](x), (), set_global),
    "a method in an attribute": (lambda x: hidden.own[0](x), (), set_global),
    "a function that is given": (lambda x, function: function(x), (by_global,), set_global),
    "functions that are given": (lambda x, functions: functions[0]["f"](x), (({"f": by_global},),), set_global),
    "a bound function": (lambda x: bound(x), (), set_global),
    "a decorated function": (decorated, (), set_global),
    "a mapped function": (lambda x: mapped(x), (), set_global),
    "a compiled function": (lambda x: compiled(x), (), set_global),
}  # fmt: skip


class Factor:
    scale = 5.0

    def __call__(self, x):
        return x * self.scale


SETTINGS = {
    "another number": (lambda: 2.0, lambda held, assign: assign(10.0)),
    "another type": (lambda: 1, lambda held, assign: assign(True)),
    "an item of a list": (lambda: [2.0], lambda held, assign: operator.setitem(held, 0, 10.0)),
    "an element of an array": (
        lambda: np.full(1, 2, np.float32),
        lambda held, assign: operator.setitem(held, 0, 10.0),
    ),
    "another function": (lambda: lambda x: x * 2, lambda held, assign: assign(lambda x: x * 3)),
    "what a function reads": (Factor, lambda held, assign: setattr(Factor, "scale", held.scale + 1)),
}  # fmt: skip


@pytest.fixture(autouse=True)
def restored():
    """Attributes and globals as they were."""
    owners = [Base, Net, Net.Inner, with_attribute, config, Factor]
    before = [dict(vars(owner)) for owner in owners]
    yield
    set_global(2.0)
    for owner, held in zip(owners, before, strict=True):
        for name in [name for name in vars(owner) if name not in held]:
            delattr(owner, name)
        for name in ("scale", "hidden"):
            if name in held:
                setattr(owner, name, held[name])


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("way", WAYS)
def test_a_change_of_what_is_reached_is_noticed(way, setting):
    function, arguments, assign = WAYS[way]
    make, change = SETTINGS[setting]
    held = make()
    assign(held)
    reads = reads_of(function, arguments)
    assert unchanged_by(reads) == reads
    change(held, assign)
    assert unchanged_by(reads) != reads


@pytest.mark.parametrize("way", WAYS)
def test_the_first_call_after_a_change_gives_the_new_value(way):
    function, arguments, assign = WAYS[way]
    assign(2.0)
    jitted = eq.jit(function)

    def call(times=1):
        for _ in range(times):
            np.testing.assert_array_equal(jitted(X, *arguments), X * number)

    for number in (2.0, 10.0, 2.0):
        assign(number)
        call()
        assign(7 * number)
        number = 7 * number
        call(DIRECT)
        assign(number + 1)
        number += 1
        call()
    assert count_programs(jitted) == 6


def test_an_attribute_of_a_class_that_one_of_an_object_hid():
    network = Net()
    jitted = eq.jit(lambda x: network.of_class(x))
    Net.scale = 2.0
    assert jitted(X)[0] == 2
    network.scale = 3.0
    assert jitted(X)[0] == 3
    Net.scale = 10.0
    del network.scale
    assert jitted(X)[0] == 10


def test_attributes_that_hide_others_are_noticed_where_they_appear_and_go():
    jitted = eq.jit(lambda x: net.of_class(x))
    assert jitted(X)[0] == 1
    Net.scale = 5.0
    assert jitted(X)[0] == 5
    del Net.scale
    assert jitted(X)[0] == 1
    assert count_programs(jitted) == 2


UNRELATED = {
    "an attribute that nothing names": lambda: setattr(Net, "others", 1.0),
    "an attribute of another class": lambda: setattr(Factor, "scale", 1.0),
    "a global that nothing names": lambda: globals().update(other=1.0),
    "another instance": lambda: setattr(Net(), "scale", 4.0),
    "a call of an inner function": lambda: compiled(X[:2]),
    "an attribute of another function": lambda: setattr(with_attribute, "others", 1.0),
}


@pytest.mark.parametrize("change", UNRELATED.values(), ids=UNRELATED)
def test_unrelated_changes_compile_nothing(change):
    traced = []

    @eq.jit
    def function(x, network):
        traced.append(x)
        return network.of_class(x) + network(x) + compiled(x)

    for _ in range(2):
        function(X, net)
    change()
    for _ in range(DIRECT):
        function(X, net)
    assert len(traced) == 1


def test_of_an_object_that_tracing_changes_the_other_attributes_are_compared():
    class Counter:
        def __init__(self):
            self.count, self.inner = 0, Factor()

        def apply(self, x):
            self.count += 1
            self.inner.count = self.count
            return x * self.inner.factor

    counter = Counter()
    counter.inner.factor = 2.0
    jitted = eq.jit(lambda x: counter.apply(x))
    assert [jitted(X)[0] for _ in range(DIRECT)] == [2] * DIRECT
    assert counter.count == 1
    counter.inner.factor = 3.0
    assert jitted(X)[0] == 3


# batched functions


def scaled_by_class(x):
    return x * Net.scale


def scaled_by_inherited(x):
    return net.of_class(x)


def scaled_by_attribute(x):
    return x * with_attribute.scale


def scaled_in_list(x):
    return in_list[0](x)


def scaled_by_module(x):
    return x * config.scale


BATCHED = {
    "a class attribute": (scaled_by_class, set_on(Net, "scale")),
    "an inherited one": (scaled_by_inherited, set_on(Base, "scale")),
    "an attribute of a function": (scaled_by_attribute, set_on(with_attribute, "scale")),
    "an attribute of a module": (scaled_by_module, set_on(config, "scale")),
    "a function in a list": (scaled_in_list, set_global),
}


@pytest.mark.parametrize(("function", "assign"), BATCHED.values(), ids=BATCHED)
def test_batched_functions_notice_changes(function, assign):
    batched = eq.autobatch.batch(function)
    for number in (2.0, 10.0):
        assign(number)
        for _ in range(2):
            np.testing.assert_array_equal(batched(X), X * number)
    before = batched.compiled(X)
    Factor.scale = 8.0
    assert batched.compiled(X) is before
