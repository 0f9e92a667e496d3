"""Damaged and planted caches of plans, binaries and measurements: right results, at most a warning, and nothing is run."""

from __future__ import annotations

import random
import shutil
import sqlite3
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat as eq
from eqsat.calibrate import _kept
from eqsat.extract import Measured
from eqsat.runtime import BINARIES, MEASUREMENTS, PLANS, DiskCache, digest, get_device
from eqsat.runtime.cache import CacheWarning
from eqsat.runtime.cache import sealed as seal_of
from tests.mutation import mutated
from tests.runtime.test_cache_trust import planted

CACHES = (PLANS, BINARIES, MEASUREMENTS)
WHOLE = 20  # every so many damages a program is compiled and run; the others are only read
TABLE = Measured("a device", {"ADD float32": 1e-9}, 1e-6)
ARRAY = np.arange(12, dtype=np.float32).reshape(3, 4)


def function(x: Any) -> Any:
    return eq.sum(eq.exp(x) * 2 + x, axis=1)


GRAPH = eq.trace(function, eq.spec((3, 4), eq.float32))


def results() -> tuple[Any, str]:
    """What a program computes and what was measured, each from the cache if it is there."""
    measured = _kept("measured", get_device(None), False, Measured.from_json, lambda _: TABLE)
    return eq.compile(GRAPH)(ARRAY), measured.to_json()


def close() -> None:
    for cache in CACHES:
        cache.close()


@pytest.fixture
def filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an entry in each cache, and a second one of another key."""
    monkeypatch.setenv("EQSAT_CACHE", str(tmp_path / "original"))
    results()
    eq.compile(eq.trace(lambda x: eq.max(x, axis=0), eq.spec((3, 4), eq.float32)))(ARRAY)
    MEASUREMENTS.put(digest("another"), b"{}")
    close()
    for cache in CACHES:
        assert DiskCache(cache.name, tmp_path / "original").statistics().entries == 2
    return tmp_path / "original"


def contents(directory: Path, name: str) -> dict[str, bytes]:
    with sqlite3.connect(directory / name / "cache.db") as database:
        rows = dict(database.execute("SELECT key, value FROM Cache").fetchall())
    database.close()
    return rows


SETTINGS = ("get", "set", "disk_get", "sqlite_x", "sqlite_user_version", "timeout")
Damage = Callable[[Path, random.Random, Path], None]


def flip_bits(file: Path, drawn: random.Random, marker: Path) -> None:
    data = bytearray(file.read_bytes())
    for _ in range(drawn.choice((1, 1, 4, 64))):
        data[drawn.randrange(len(data))] ^= 1 << drawn.randrange(8)
    file.write_bytes(data)


def truncate(file: Path, drawn: random.Random, marker: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: drawn.choice((0, 1, 15, 100, 4096, drawn.randrange(len(data))))])


def overwrite(file: Path, drawn: random.Random, marker: Path) -> None:
    data = bytearray(file.read_bytes())
    place, length = drawn.randrange(len(data)), drawn.randrange(1, 5000)
    data[place : place + length] = drawn.choice((bytes(length), planted(marker), drawn.randbytes(length)))
    file.write_bytes(data)


def leave_journal(file: Path, drawn: random.Random, marker: Path) -> None:
    name = drawn.choice(("cache.db-wal", "cache.db-journal", "cache.db-shm"))
    (file.parent / name).write_bytes(
        drawn.choice((b"", drawn.randbytes(5000), planted(marker), file.read_bytes()))
    )


def damage_rows(file: Path, drawn: random.Random, marker: Path) -> None:
    """One statement on the rows: what someone who can write the file, but knows no key, would try; and planted pickles."""
    pickle = planted(marker, drawn.randrange(6))
    (file.parent / "planted.val").write_bytes(pickle)
    cut = f"substr(value, 1, {drawn.randrange(60)})"
    statement, values = drawn.choice((
        ("UPDATE Cache SET value = (SELECT value FROM Cache AS c WHERE c.key != Cache.key)", ()),  # swapped
        ("UPDATE Cache SET key = key || 'x'", ()),
        (f"UPDATE Cache SET value = {cut}", ()),
        ("UPDATE Cache SET value = value || ?", (drawn.randbytes(3),)),
        ("UPDATE Cache SET value = ?", (drawn.choice((None, 1, 2.5, "text", b"", pickle)),)),
        ("UPDATE Cache SET mode = ?, value = ?", (drawn.choice((1, 2, 3, 4, 5, "4")), pickle)),
        ("UPDATE Cache SET mode = ?, value = NULL, filename = 'planted.val'", (drawn.choice((1, 2, 3, 4)),)),
        ("UPDATE Cache SET raw = 0, key = ?", (pickle,)),
        ("UPDATE Cache SET expire_time = ?", (drawn.choice((0, -1, "x", pickle)),)),
        ("UPDATE Settings SET value = ?", (drawn.choice((None, -1, "x", pickle)),)),
        ("INSERT OR REPLACE INTO Settings VALUES (?, ?)", (drawn.choice(SETTINGS), pickle)),
        ("DROP TABLE Settings", ()),
        ("DROP TABLE Cache", ()),
        ("CREATE TRIGGER evil AFTER UPDATE ON Settings BEGIN DELETE FROM Cache; END", ()),
    ))  # fmt: skip
    with sqlite3.connect(file) as database:
        # A unique key can only be given to one row.
        database.execute(statement if "key = " not in statement else f"{statement} WHERE rowid = 1", values)
    database.close()


def seal_garbage(file: Path, drawn: random.Random, marker: Path) -> None:
    """Mutated documents under right digests. Not in the cache of binaries, which are programs: see SECURITY.md."""
    if file.parent.name == "binaries":
        return flip_bits(file, drawn, marker)
    with sqlite3.connect(file) as database:
        for key, value in database.execute("SELECT key, value FROM Cache").fetchall():
            document = value[len(seal_of(key, b"")) :]
            new = drawn.choice(
                (b"", b"null", b"[" * 5000, planted(marker), mutated(document, drawn)[: len(document) // 2])
            )
            database.execute("UPDATE Cache SET value = ? WHERE key = ?", (seal_of(key, new), key))
    database.close()
    return None


DAMAGES: tuple[Damage, ...] = (
    flip_bits,
    truncate,
    overwrite,
    leave_journal,
    damage_rows,
    damage_rows,
    damage_rows,
    seal_garbage,
)


def test_damaged_caches_are_harmless(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    drawn = random.Random(f"corruption {request.config.getoption('--seed')}")
    original = {cache.name: contents(filled, cache.name) for cache in CACHES}
    expected, table = results()
    close()
    marker = tmp_path / "marker"
    found_damaged = 0
    for number in range(request.config.getoption("--mutations")):
        directory = tmp_path / f"copy{number}"
        shutil.copytree(filled, directory)
        directory.chmod(0o700)
        damage = drawn.choice(DAMAGES)
        for cache in CACHES:
            damage(directory / cache.name / "cache.db", drawn, marker)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", CacheWarning)
            if number % WHOLE == 0:
                monkeypatch.setenv("EQSAT_CACHE", str(directory))
                values, measured = results()
                close()
                np.testing.assert_array_equal(values, expected)
                assert measured == table
            for name, rows in original.items():
                cache = DiskCache(name, directory)
                for key, stored in rows.items():
                    value = cache.get(key)
                    found_damaged += value is None
                    sealed = damage is seal_garbage and name != "binaries"
                    assert value is None or sealed or seal_of(key, value) == stored
                    cache.put(key, b"new")
                    assert cache.get(key) in (b"new", None)
                cache.statistics()
                cache.close()
        assert not marker.exists(), f"{damage.__name__} had something run"
        shutil.rmtree(directory)
    assert found_damaged > 0, "damages must matter"
