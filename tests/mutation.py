"""Mutated documents: what a hostile or a broken writer could make of a valid JSON file.

Structural mutations put another value in some place of the document, copy, drop or swap parts, or nest them; byte-level ones
change the text. The same random state gives the same mutation.
"""

from __future__ import annotations

import copy
import json
import random
from typing import Any

TEXTS = ("", "x", "nan", "\n", "0}; system(", "*/ __kernel", "𝔄\u202e\0", "a" * 5000, "__class__", "{0.__class__.__mro__}", "../../x",
         "<script>alert(1)</script>", "float32x2147483648", "float32*global[99999999999999999999]", "int²", "if", "get_global_id")  # fmt: skip
NUMBERS = (0, 1, -1, 2, 3, 255, 1 << 31, (1 << 31) - 1, 1 << 32, 10**9, 1 << 53, 10**18, (1 << 63) - 1, 1 << 63, 1 << 64, -(1 << 63),
           10**100, 10**4000, -(10**4000), 0.0, -0.0, 0.5, -1.5, 1e18, 1e300, -1e300, 5e-324, 1e308)  # fmt: skip
OTHERS = (None, True, False, [], {}, [[]], [0], [-1], [1, 2, 3], {"nan": "7ff8000000000001"}, {"nan": "7"}, {"nan": "3ff0000000000000"},
          {"float": "inf"}, {"float": "0x1p99999"}, {"float": "1e999"}, {"op": "ADD"}, {"op": "__class__"}, {"axis": "LOOP"}, {"dtype": "x"},
          {"kernel": 5}, {"kernel": "a b"}, {"view": [[2], [1], 0, None]}, {"view": []}, {"bytes": "zz"}, {"a": 1, "b": 2},
          [10**18, 10**18, 10**18], [10**9, "a"], [True, True], [[10**18, 10**18]], [0] * 1000)  # fmt: skip
BYTES = (
    b"1e999",
    b"NaN",
    b"-Infinity",
    b"9" * 5000,
    b"[" * 3000,
    b'{"a":' * 2000,
    b"\0",
    b"\xff",
    b"0x1",
    b"00",
)
CODE_OPS = ("CUSTOM", "CUSTOMI", "SOURCE", "PROGRAM_BINARY", "CUSTOM_FUNCTION")


def mutated(document: bytes, drawn: random.Random) -> bytes:
    """A mutation of a JSON document: two times in three of its structure, else of its bytes."""
    if drawn.random() < 0.33:
        return changed_bytes(document, drawn)
    value = json.loads(document)
    for _ in range(drawn.choice((1, 1, 1, 2, 3, 8))):
        value = changed_structure(value, drawn)
    return json.dumps(value, ensure_ascii=drawn.random() < 0.5).encode("utf-8", "surrogatepass")


def changed_bytes(document: bytes, drawn: random.Random) -> bytes:
    """One change of the text."""
    data = bytearray(document)
    place = drawn.randrange(len(data))
    match drawn.randrange(7):
        case 0:
            data[place] ^= 1 << drawn.randrange(8)
        case 1:
            del data[place:]
        case 2:
            data[place:place] = bytes(drawn.randrange(256) for _ in range(drawn.randrange(1, 9)))
        case 3:
            del data[place : place + drawn.randrange(1, 40)]
        case 4:
            data[place:place] = drawn.choice(BYTES)
        case 5:
            data = bytearray(b"[" * 100_000 + data)
        case _:
            other = drawn.randrange(len(data))
            length = drawn.randrange(1, 200)
            data[place : place + length] = document[other : other + length]
    return bytes(data)


def changed_structure(document: Any, drawn: random.Random) -> Any:
    """One change of one place."""
    places = _places(document) if isinstance(document, dict | list) else []
    if not places:
        return piece(drawn)
    # Half of the places are those of few kinds: roots, version, names of the outermost level.
    holder, key = drawn.choice(places[:20] if drawn.random() < 0.3 else places)
    match drawn.randrange(8):
        case 0 | 1 | 2:
            holder[key] = piece(drawn)
        case 3:
            holder[key] = _nudged(holder[key], drawn)
        case 4:
            del holder[key]
        case 5:
            other, where = drawn.choice(places)
            holder[key] = copy.deepcopy(other[where] if _has(other, where) else None)
        case 6:
            if isinstance(holder, list):
                holder.insert(key, copy.deepcopy(holder[key]))
            else:
                holder[drawn.choice(TEXTS)] = holder[key]
        case _:
            deep: Any = holder[key]
            for _ in range(drawn.choice((1, 10, 200))):
                deep = [deep]
            holder[key] = deep
    return document


def piece(drawn: random.Random) -> Any:
    """A value that stands somewhere unexpectedly."""
    return copy.deepcopy(drawn.choice(drawn.choice((TEXTS, NUMBERS, OTHERS, CODE_OPS))))


def _nudged(value: Any, drawn: random.Random) -> Any:
    """A value like this one: what a checker that only looks at types would let pass."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return drawn.choice((value + 1, value - 1, -value, value * 2, value * 10**9))
    if isinstance(value, str):
        return drawn.choice((value + "x", value[1:], value.upper(), value * 100, f"{value}\n"))
    if isinstance(value, list):
        return drawn.choice((value[::-1], value[1:], value + value, value[:1] * 300))
    return piece(drawn)


def _has(holder: Any, key: Any) -> bool:
    return key in holder if isinstance(holder, dict) else key < len(holder)


def _places(document: Any) -> list[tuple[Any, Any]]:
    """Every place inside a document, as a container and its key, the outer ones first."""
    found: list[tuple[Any, Any]] = []
    pending = [document]
    for container in pending:
        for key, value in container.items() if isinstance(container, dict) else enumerate(container):
            found.append((container, key))
            if isinstance(value, dict | list):
                pending.append(value)
    return found
