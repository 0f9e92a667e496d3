"""Bytes on disk, found by key: compiled binaries here, optimized plans in the pipeline.

A cache is a convenience, and its faults are no errors. An entry that fails verification is dropped and made again. A damaged file is
replaced. A directory that cannot be written, or that others can write, costs one warning and nothing else. Entries are rows of one SQLite
file (through diskcache), so processes share them, and a process that is interrupted or killed leaves either a whole entry or none.
Entries are data, never pickles. The digest of each entry detects accidental damage. Protection from other users comes from the directory,
which is private (`folder`, SECURITY.md).

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
LOCK_SECONDS = 5.0  # longest wait for another process that writes; after it, work goes on without the cache
DATABASE = "cache.db"
FILES = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", f"{DATABASE}-journal")  # all that SQLite makes
# SQLite's error codes for a full disk, or for a file that cannot be opened or written. A new file would not help.
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

# Only one thread at a time is inside SQLite, and none during a fork. Otherwise a child could wait for ever for a lock that SQLite held.
_BUSY = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_BUSY.acquire, after_in_parent=_BUSY.release, after_in_child=_BUSY.release)


class CacheWarning(UserWarning):
    """A cache cannot be used; work goes on without it."""


@dataclass(frozen=True, slots=True)
class CacheStatistics:
    """The size of a cache.

    Attributes:
        name: the cache's name.
        directory: the directory of its files; None where caches are off.
        entries: number of entries.
        size: size of its files, in bytes.
    """

    name: str
    directory: Path | None
    entries: int
    size: int


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

    @property
    def directory(self) -> Path | None:
        """The directory of the entries; None where caches are off."""
        root = self._root if self._root is not None else cache_directory()
        return None if root is None else root / self.name

    def get(self, key: str) -> bytes | None:
        """The value last put under `key`, or None; a damaged entry is dropped."""
        stored = self._attempt(lambda cache: cache.get(key, retry=False), None) if self._is_there() else None
        value = None if stored is None else unsealed(key, stored)
        if stored is not None and value is None:
            self.drop(key)
        return value

    def put(self, key: str, value: bytes) -> None:
        """Store `value` under `key`, either whole or not at all."""
        self._attempt(lambda cache: cache.set(key, sealed(key, value)), False)

    def drop(self, key: str) -> None:
        """Remove the entry under `key`, if there is one."""
        self._attempt(lambda cache: cache.delete(key), False)

    def clear(self) -> int:
        """Remove all entries. Returns how many there were."""
        return self._attempt(lambda cache: cache.clear(), 0)

    def statistics(self) -> CacheStatistics:
        """What the cache holds now."""
        entries, size = self._attempt(lambda cache: (len(cache), cache.volume()), (0, 0))
        return CacheStatistics(self.name, self.directory, entries, size)

    def close(self) -> None:
        """Close the files; the next use opens them again."""
        with _BUSY:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def _is_there(self) -> bool:
        """Whether the cache's file exists. If not, a read makes no file and imports no library."""
        directory = self.directory
        try:
            return directory is not None and (directory / DATABASE).exists()
        except OSError:  # opening the cache will fail, too, and warn
            return True

    def _attempt(self, act: Callable[[diskcache.Cache], Value], otherwise: Value) -> Value:
        """Returns the result of `act` on the open cache, or `otherwise` if there is none. After damage, `act` is tried again on new files."""
        import diskcache

        with _BUSY:
            directory = self.directory
            if directory is None or directory == self._unusable:
                return otherwise
            try:
                return act(self._open(directory))
            except diskcache.Timeout:
                return otherwise  # another process is writing: go on without the cache
            except UnsafeFolderError as reason:
                return self._do_without(directory, otherwise, reason)
            except Exception as damage:  # noqa: BLE001  (on a damaged file, diskcache may raise anything)
                if _is_of_surroundings(damage):
                    return self._do_without(directory, otherwise, damage)
                return self._start_over(directory, act, otherwise)

    def _open(self, directory: Path) -> diskcache.Cache:
        if self._opened is not None and (Path(self._opened.directory) != directory or not self._is_there()):
            self.close()  # an open file outlives its deletion, but no other process would find it
        if self._opened is None:
            self._opened = _opened(directory, self._size_limit)
            weakref.finalize(self, self._opened.close)
        return self._opened

    def _start_over(
        self, directory: Path, act: Callable[[diskcache.Cache], Value], otherwise: Value
    ) -> Value:
        """Removes the cache's files, but nothing that a user may have put beside them, and tries `act` again on new files."""
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
        if directory.parent not in _WARNED:
            _WARNED.add(directory.parent)
            text = (
                f"the cache in {directory.parent} cannot be used ({reason}); set {VARIABLE} to a directory that you alone can write, "
                f"or to 'off'"
            )
            warnings.warn(text, CacheWarning, stacklevel=4)
        return otherwise


_WARNED = set[Path]()  # directories that a warning has named; their caches mostly fail for the same reason


def _opened(directory: Path, size_limit: int) -> diskcache.Cache:
    """Opens the cache of a directory, which is made if it is missing. Only this user can access its files.

    Raises:
        UnsafeFolderError: another user can write the directory, or a file in it.
        OSError: the directory cannot be made.
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
        return getattr(error, "sqlite_errorcode", 0) & 0xFF in SURROUNDINGS  # the higher bits are details
    return isinstance(error, OSError)


BINARIES = DiskCache("binaries")  # compiled OpenCL programs
PLANS = DiskCache("plans")  # optimized graphs, stored by the pipeline
MEASUREMENTS = DiskCache("measurements")  # calibrated machines, and times of tuned kernels
GUARDED = DiskCache("guarded")  # kernels that a child process has run without a crash (`guard`)


def cache_directory() -> Path | None:
    """The root of all caches: `EQSAT_CACHE`, else the platform's place for caches; None where they are turned off."""
    chosen = os.environ.get(VARIABLE)
    if chosen is None:
        import platformdirs

        return Path(platformdirs.user_cache_dir("eqsat", appauthor=False))
    return None if chosen.strip().lower() in OFF else Path(chosen).expanduser()


def digest(*parts: str | bytes) -> str:
    """A key computed from everything that a value depends on. The boundaries between parts count, too.

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
    """A value with the format and a digest in front, which shows whether the key or a byte of the value was changed since."""
    return FORMAT + hashlib.sha256(key.encode() + value).digest() + value


def unsealed(key: str, stored: object) -> bytes | None:
    """The value inside a sealed entry; None if its bytes, its key or the format differ from those that were sealed."""
    if not isinstance(stored, bytes) or not stored.startswith(FORMAT):
        return None
    seal = stored[len(FORMAT) : len(FORMAT) + DIGEST_BYTES]
    value = stored[len(FORMAT) + DIGEST_BYTES :]
    return value if hashlib.sha256(key.encode() + value).digest() == seal else None
