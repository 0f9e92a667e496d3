"""A disk cache returns what was put or nothing, whatever happens to its files and to the processes that share it."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eqsat.runtime.cache import FORMAT, VARIABLE, CacheWarning, DiskCache, cache_directory, digest

KEY = digest("key")


@pytest.fixture
def cache(tmp_path: Path):
    opened = DiskCache("test", tmp_path)
    yield opened
    opened.close()


def test_reading_what_was_never_kept_makes_nothing(cache: DiskCache, tmp_path: Path) -> None:
    assert cache.get(KEY) is None
    assert not list(tmp_path.iterdir())


def test_directory_of_too_long_a_name_warns_once(tmp_path: Path) -> None:
    with pytest.warns(CacheWarning, match="cannot be used"):
        assert DiskCache("test", tmp_path / ("x" * 300)).get(KEY) is None


@pytest.mark.parametrize("value", [b"", b"x", bytes(range(256)) * 4096])
def test_value_comes_back(cache: DiskCache, value: bytes) -> None:
    cache.put(KEY, value)
    assert cache.get(KEY) == value


def test_value_outlives_the_process_that_put_it(cache: DiskCache, tmp_path: Path) -> None:
    cache.put(KEY, b"kept")
    cache.close()
    assert DiskCache("test", tmp_path).get(KEY) == b"kept"


def test_caches_of_one_directory_are_apart(tmp_path: Path) -> None:
    one, other = DiskCache("one", tmp_path), DiskCache("other", tmp_path)
    one.put(KEY, b"1")
    assert other.get(KEY) is None
    assert other.clear() == 0
    assert one.get(KEY) == b"1"


def test_statistics_count(cache: DiskCache) -> None:
    cache.put(KEY, b"x")
    found = cache.statistics()
    assert found.entries == 1
    assert found.size > 0
    assert found.directory is not None
    assert found.directory.name == found.name == "test"


def test_clear_forgets_everything(cache: DiskCache) -> None:
    cache.put(KEY, b"x")
    assert cache.clear() == 1
    assert cache.get(KEY) is None


def test_size_is_limited(tmp_path: Path) -> None:
    small = DiskCache("small", tmp_path, size_limit=1 << 20)
    for number in range(64):
        small.put(digest(str(number)), bytes(100_000))
    assert small.statistics().size < 3 << 20


@pytest.mark.parametrize(
    "damage",
    [
        lambda sealed: sealed[:-1],
        lambda sealed: sealed[: len(FORMAT) + 3],
        lambda sealed: sealed[:-1] + bytes([sealed[-1] ^ 1]),
        lambda sealed: b"eqsat 0\n" + sealed[len(FORMAT) :],
        lambda sealed: b"",
        lambda sealed: 17,
        lambda sealed: {"a": "pickle"},
    ],
)
def test_damaged_entry_is_dropped(cache: DiskCache, tmp_path: Path, damage) -> None:
    import diskcache

    cache.put(KEY, b"value")
    with diskcache.Cache(str(tmp_path / "test")) as raw:
        raw[KEY] = damage(raw[KEY])
    assert cache.get(KEY) is None
    assert cache.statistics().entries == 0
    cache.put(KEY, b"value")
    assert cache.get(KEY) == b"value"


def test_entry_of_another_key_is_dropped(cache: DiskCache, tmp_path: Path) -> None:
    import diskcache

    cache.put(digest("other"), b"value")
    with diskcache.Cache(str(tmp_path / "test")) as raw:
        raw[KEY] = raw[digest("other")]
    assert cache.get(KEY) is None


@pytest.mark.parametrize("content", [b"", b"not a database, but long enough to look like one" * 100])
def test_damaged_file_is_replaced(tmp_path: Path, content: bytes) -> None:
    first = DiskCache("test", tmp_path)
    first.put(KEY, b"value")
    first.close()
    (tmp_path / "test" / "cache.db").write_bytes(content)
    second = DiskCache("test", tmp_path)
    assert second.get(KEY) is None
    second.put(KEY, b"again")
    assert second.get(KEY) == b"again"
    second.close()


def test_truncated_file_is_replaced(tmp_path: Path) -> None:
    first = DiskCache("test", tmp_path)
    first.put(KEY, bytes(1 << 20))
    first.close()
    file = tmp_path / "test" / "cache.db"
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    second = DiskCache("test", tmp_path)
    assert second.get(KEY) is None
    second.put(KEY, b"again")
    assert second.get(KEY) == b"again"
    second.close()


def test_directory_that_cannot_be_made_warns_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = DiskCache("test", tmp_path / "file")
    with pytest.warns(
        CacheWarning,
        match=rf"cannot be used .*; set {VARIABLE} to a directory that you alone can write, or to 'off'",
    ):
        cache.put(KEY, b"x")
    assert cache.get(KEY) is None
    assert cache.clear() == 0


def test_caches_of_one_directory_warn_once(tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name / "cache.db").mkdir(parents=True)
    with pytest.warns(CacheWarning, match="cannot be used") as told:
        found = [DiskCache(name, tmp_path).get(KEY) for name in ("first", "second")]
    assert found == [None, None]
    assert len(told) == 1


@pytest.mark.parametrize("off", ["off", "OFF", "0", "no", ""])
def test_off_turns_caches_off(monkeypatch: pytest.MonkeyPatch, off: str) -> None:
    monkeypatch.setenv(VARIABLE, off)
    cache = DiskCache("test")
    cache.put(KEY, b"x")
    assert cache.get(KEY) is None
    assert cache.directory is None
    assert cache.statistics().entries == 0


def test_variable_names_the_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert DiskCache("test").directory == tmp_path / "test"


def test_default_directory_is_the_platform_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    directory = cache_directory()
    assert directory is not None
    assert directory.name == "eqsat"


@given(st.lists(st.binary()), st.lists(st.binary()))
def test_digest_tells_parts_apart(a: list[bytes], b: list[bytes]) -> None:
    assert (digest(*a) == digest(*b)) == (a == b)


WRITE = """
import sys
from pathlib import Path
from eqsat.runtime.cache import DiskCache, digest
cache = DiskCache("test", Path(sys.argv[1]))
print("ready", flush=True)
for number in range(int(sys.argv[2])):
    key = digest(str(number))
    found = cache.get(key)
    assert found is None or found == bytes([number % 256]) * 50_000
    cache.put(key, bytes([number % 256]) * 50_000)
"""


def _writer(directory: Path, count: int) -> subprocess.Popen[str]:
    arguments = [sys.executable, "-c", WRITE, str(directory), str(count)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_processes_share_a_cache(cache: DiskCache, tmp_path: Path) -> None:
    writers = [_writer(tmp_path, 100) for _ in range(2)]
    for writer in writers:
        _, errors = writer.communicate(timeout=60)
        assert writer.returncode == 0, errors
    assert cache.statistics().entries == 100
    assert all(cache.get(digest(str(number))) == bytes([number]) * 50_000 for number in range(100))


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGKILL])
def test_interrupted_process_leaves_whole_entries(tmp_path: Path, kind: signal.Signals) -> None:
    for delay in (0.002, 0.02, 0.05):
        writer = _writer(tmp_path, 1_000_000)
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        time.sleep(delay)
        writer.send_signal(kind)
        _, errors = writer.communicate(timeout=60)
        assert writer.returncode != 0
        assert kind is signal.SIGKILL or "KeyboardInterrupt" in errors
    cache = DiskCache("test", tmp_path)
    count = cache.statistics().entries
    assert sum(cache.get(digest(str(number))) is not None for number in range(count)) == count
    with sqlite3.connect(tmp_path / "test" / "cache.db") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()
    assert not list((tmp_path / "test").glob("**/*.val")), "no files apart from the database"
