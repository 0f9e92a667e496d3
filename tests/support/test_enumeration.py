"""Enumerations that are read directly are what they were: only how their members are looked up differs."""

import copy
import pickle
from enum import Enum, IntEnum
from types import MappingProxyType

import pytest

from eqsat.ops import AxisType, Op
from eqsat.support.enumeration import direct


@direct
class Colour(Enum):
    RED = 1
    GREEN = 2


@direct
class Size(IntEnum):
    SMALL = 1
    LARGE = 2


def test_members_are_found_by_name_value_and_attribute():
    assert Colour["GREEN"] is Colour(2) is Colour.GREEN
    assert (Colour.GREEN.name, Colour.GREEN.value) == ("GREEN", 2)


def test_a_direct_enumeration_is_a_collection_of_its_members():
    assert [*Colour] == [Colour.RED, Colour.GREEN]
    assert [*reversed(Colour)] == [Colour.GREEN, Colour.RED]
    assert (len(Colour), bool(Colour)) == (2, True)
    assert Colour.RED in Colour
    assert isinstance(Colour.__members__, MappingProxyType)
    assert "GREEN" in dir(Colour)
    assert repr(Colour) == "<enum 'Colour'>"


def test_members_of_a_direct_enumeration_of_integers_are_ordered():
    assert Size.SMALL < Size.LARGE
    assert max(Size) == 2


@pytest.mark.parametrize("member", [Colour.RED, Op.ADD, AxisType.LOOP])
def test_members_stay_themselves_in_copies_and_pickles(member: Enum):
    assert pickle.loads(pickle.dumps(member)) is member
    assert copy.deepcopy(member) is member
    assert pickle.loads(pickle.dumps(type(member))) is type(member)


def test_a_direct_enumeration_cannot_be_changed_or_extended():
    with pytest.raises(AttributeError, match="RED"):
        Colour.RED = 3
    with pytest.raises(AttributeError, match="RED"):
        del Colour.RED
    with pytest.raises(TypeError, match="extend"):
        type("Shade", (Colour,), {})
    with pytest.raises(AttributeError, match="BLUE"):
        _ = Colour.BLUE
    with pytest.raises(ValueError, match="3"):
        Colour(3)
