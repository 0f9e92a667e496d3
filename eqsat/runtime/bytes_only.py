"""How diskcache stores and reads our entries: as bytes in the rows of its database, and in no other way.

diskcache pickles values that are not plain. When it reads a row of its database, it unpickles, opens or removes whatever the row asks
for. Here a row that eqsat did not write is not trusted: it reads as empty bytes, which never pass for an entry.
"""

from __future__ import annotations

from typing import Any

import diskcache
from diskcache.core import MODE_RAW, UNKNOWN

# All settings are given, so that none is taken from the file. Pages are checked when they are read. The file is not mapped into memory,
# since another process that shortens it would end this one.
SETTINGS: dict[str, Any] = {
    **diskcache.DEFAULT_SETTINGS,
    "sqlite_cell_size_check": 1,
    "sqlite_mmap_size": 0,
    "sqlite_trusted_schema": 0,
}


class BytesOnly(diskcache.Disk):
    """Stores strings as keys and bytes as values. There are no pickles, and no files apart from the database."""

    def __init__(self, directory: str, **settings: Any) -> None:
        super().__init__(directory)

    def put(self, key: Any) -> tuple[str, bool]:
        """The key, and whether it is stored as it is, which is always true."""
        if not isinstance(key, str):
            raise TypeError(f"a key is a string, not {type(key).__name__}")
        return key, True

    def get(self, key: Any, raw: Any) -> str:
        """The key of a row, for iteration."""
        return key if raw and isinstance(key, str) else ""

    def store(self, value: Any, read: bool, key: Any = UNKNOWN) -> tuple[int, int, None, bytes]:
        """The fields of a row: size of a file, mode, name of a file, value. There is no file."""
        if not isinstance(value, bytes):
            raise TypeError(f"a value is bytes, not {type(value).__name__}")
        return 0, MODE_RAW, None, value

    def fetch(self, mode: Any, filename: Any, value: Any, read: bool) -> bytes:
        """The value of a row; empty bytes if the row has another kind of value, such as a pickle or the name of a file."""
        return value if mode == MODE_RAW and filename is None and isinstance(value, bytes) else b""

    def remove(self, file_path: str) -> None:
        """Does nothing: we keep no files, so a row that names one was not written by us."""
