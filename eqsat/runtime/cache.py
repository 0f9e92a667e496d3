"""Bytes on disk, found by key: compiled binaries here, optimized plans in the pipeline.

A cache is a convenience and behaves as one: an entry that does not verify is dropped and made again, a damaged file is
replaced, a directory that cannot be written, or that others can, costs one warning and nothing else. Entries are rows of one SQLite
file (through diskcache), so processes share them, and a process that is interrupted or killed leaves either a whole entry or none.
Entries are data, never pickles. The digest over each finds accidents; what protects from other people is that the directory is
private (`folder`, SECURITY.md).

`EQSAT_CACHE` names another directory than the platform's usual one; `EQSAT_CACHE=off` turns caches off.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
import warnings
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from eqsat.runtime.folder import PRIVATE_FILE, UnsafeFolderError, make_private, require_private

if TYPE_CHECKING:
    import diskcache

VARIABLE = "EQSAT_CACHE"
OFF = frozenset({"off", "0", "no", "none", ""})
FORMAT = b"eqsat 1\n"  # a new number makes every older entry a miss
SIZE_LIMIT = 512 << 20  # bytes per cache; the least recently stored entries go first
LOCK_SECONDS = 5.0  # to wait for another process before doing without
DATABASE = "cache.db"
FILES = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", f"{DATABASE}-journal")  # that SQLite keeps
# What SQLite says where the disk is full, or the file cannot be opened or written: nothing that a new file would mend.
SURROUNDINGS = frozenset(
    {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_AUTH,
    }
)
DIGEST_BYTES = hashlib.sha256().digest_size

Value = TypeVar("Value")

# One thread at a time is inside SQLite, and none during a fork: a child would wait for ever for a lock of SQLite's own.
_BUSY = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_BUSY.acquire, after_in_parent=_BUSY.release, after_in_child=_BUSY.release)


class CacheWarning(UserWarning):
    """A cache cannot be used; work goes on without it."""


@dataclass(frozen=True, slots=True)
class CacheStatistics:
    """What a cache holds and what it did in this process.

    Attributes:
        name: of the cache.
        directory: where it is, or None where caches are off.
        entries: that it holds.
        size: of its files, in bytes.
        hits: reads of this process that found an entry.
        misses: reads of this process that found none, or a damaged one.
    """

    name: str
    directory: Path | None
    entries: int
    size: int
    hits: int
    misses: int


class DiskCache:
    """One named cache. Opening it costs nothing until the first read or write.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     cache = DiskCache("example", Path(directory))
    ...     key = digest("square", "float32")
    ...     cache.put(key, b"x * x")
    ...     cache.get(key), cache.get(digest("cube"))
    ...     cache.close()
    (b'x * x', None)
    """

    def __init__(self, name: str, directory: Path | None = None, size_limit: int = SIZE_LIMIT) -> None:
        """`directory` is the root that holds one folder per cache; None asks `cache_directory` at the first use."""
        self.name = name
        self._root = directory
        self._size_limit = size_limit
        self._opened: diskcache.Cache | None = None
        self._unusable: Path | None = None
        self._hits = 0
        self._misses = 0

    @property
    def directory(self) -> Path | None:
        """Where the entries are, or None where caches are off."""
        root = self._root if self._root is not None else cache_directory()
        return None if root is None else root / self.name

    def get(self, key: str) -> bytes | None:
        """The value last put under `key`, or None; a damaged entry is dropped."""
        stored = self._attempt(lambda cache: cache.get(key, retry=False), None) if self._is_there() else None
        value = None if stored is None else unsealed(key, stored)
        if stored is not None and value is None:
            self.drop(key)
        if value is None:
            self._misses += 1
        else:
            self._hits += 1
        return value

    def put(self, key: str, value: bytes) -> None:
        """Keep `value` under `key`, whole or not at all."""
        self._attempt(lambda cache: cache.set(key, sealed(key, value)), False)

    def drop(self, key: str) -> None:
        """Forget what is under `key`, if anything."""
        self._attempt(lambda cache: cache.delete(key), False)

    def clear(self) -> int:
        """Forget everything; the number of entries that there were."""
        return self._attempt(lambda cache: cache.clear(), 0)

    def statistics(self) -> CacheStatistics:
        """What the cache holds now, and its hits and misses in this process."""
        entries, size = self._attempt(lambda cache: (len(cache), cache.volume()), (0, 0))
        return CacheStatistics(self.name, self.directory, entries, size, self._hits, self._misses)

    def close(self) -> None:
        """Close the files; the next use opens them again."""
        with _BUSY:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def _is_there(self) -> bool:
        """Whether anything was ever kept. To read what was not, nothing is made and no library is imported."""
        directory = self.directory
        try:
            return directory is not None and (directory / DATABASE).exists()
        except OSError:  # whoever opens it warns
            return True

    def _attempt(self, act: Callable[[diskcache.Cache], Value], otherwise: Value) -> Value:
        """The result of `act` on the open cache; on a damaged file once more on a new one; `otherwise` without a cache."""
        import diskcache

        with _BUSY:
            directory = self.directory
            if directory is None or directory == self._unusable:
                return otherwise
            try:
                return act(self._open(directory))
            except diskcache.Timeout:
                return otherwise  # another process is busy writing: do without, rather than wait
            except UnsafeFolderError as reason:
                return self._do_without(directory, otherwise, reason)
            except Exception as damage:  # noqa: BLE001  (a damaged file makes diskcache raise whatever its content leads to)
                if _is_of_surroundings(damage):
                    return self._do_without(directory, otherwise, damage)
                return self._start_over(directory, act, otherwise)

    def _open(self, directory: Path) -> diskcache.Cache:
        if self._opened is not None and Path(self._opened.directory) != directory:
            self.close()
        if self._opened is None:
            self._opened = _opened(directory, self._size_limit)
            weakref.finalize(self, self._opened.close)
        return self._opened

    def _start_over(
        self, directory: Path, act: Callable[[diskcache.Cache], Value], otherwise: Value
    ) -> Value:
        """On new files: those of the cache are removed, and nothing that a user may have put beside them."""
        try:
            self.close()
            for name in FILES:
                (directory / name).unlink(missing_ok=True)
            return act(self._open(directory))
        except Exception as damage:  # noqa: BLE001  (as above)
            return self._do_without(directory, otherwise, damage)

    def _do_without(self, directory: Path, otherwise: Value, reason: Exception) -> Value:
        self._unusable = directory
        with suppress(Exception):  # a cache that cannot be read may not even be closed
            self.close()
        self._opened = None
        text = (
            f"the cache in {directory.parent} cannot be used ({reason}); set {VARIABLE} to a directory that you alone can write, "
            f"or to 'off'"
        )
        if text not in _WARNED:
            _WARNED.add(text)
            warnings.warn(text, CacheWarning, stacklevel=4)
        return otherwise


_WARNED = set[str]()  # of: the caches of one directory share their trouble


def _opened(directory: Path, size_limit: int) -> diskcache.Cache:
    """The cache of a directory that is made if need be, with files that are this user's alone.

    Raises:
        UnsafeFolderError: another user can write the directory, or a file in it.
        OSError: it cannot be made.
    """
    import diskcache

    from eqsat.runtime.bytes_only import SETTINGS, BytesOnly

    make_private(directory)
    require_private(directory, FILES)
    os.close(os.open(directory / DATABASE, os.O_RDWR | os.O_CREAT, PRIVATE_FILE))
    settings = {**SETTINGS, "size_limit": size_limit}
    return diskcache.Cache(str(directory), timeout=LOCK_SECONDS, disk=BytesOnly, **settings)


def _is_of_surroundings(error: Exception) -> bool:
    """Whether the disk or its permissions are at fault, not the content of a file."""
    if isinstance(error, sqlite3.Error):
        return (
            getattr(error, "sqlite_errorcode", 0) & 0xFF in SURROUNDINGS
        )  # the rest of the code is a detail
    return isinstance(error, OSError)


BINARIES = DiskCache("binaries")  # compiled OpenCL programs
PLANS = DiskCache("plans")  # optimized graphs, kept by the pipeline
MEASUREMENTS = DiskCache("measurements")  # what devices were measured to take
GUARDED = DiskCache("guarded")  # kernels that a child process ran without ending (`guard`)
CACHES = (BINARIES, PLANS, MEASUREMENTS, GUARDED)


def cache_directory() -> Path | None:
    """The root of all caches: `EQSAT_CACHE`, else the platform's place for caches; None where they are turned off."""
    chosen = os.environ.get(VARIABLE)
    if chosen is None:
        import platformdirs

        return Path(platformdirs.user_cache_dir("eqsat", appauthor=False))
    return None if chosen.strip().lower() in OFF else Path(chosen).expanduser()


def digest(*parts: str | bytes) -> str:
    """A key for everything that a value depends on; where one part ends and the next begins matters.

    >>> digest("ab", "c") == digest("a", "bc")
    False
    """
    whole = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        whole.update(len(data).to_bytes(8, "little"))
        whole.update(data)
    return whole.hexdigest()


def sealed(key: str, value: bytes) -> bytes:
    """A value with what shows whether a byte of it was changed since."""
    return FORMAT + hashlib.sha256(key.encode() + value).digest() + value


def unsealed(key: str, stored: object) -> bytes | None:
    """The value inside a sealed entry, or None if a byte of it, its key or the format is another."""
    if not isinstance(stored, bytes) or not stored.startswith(FORMAT):
        return None
    seal = stored[len(FORMAT) : len(FORMAT) + DIGEST_BYTES]
    value = stored[len(FORMAT) + DIGEST_BYTES :]
    return value if hashlib.sha256(key.encode() + value).digest() == seal else None
