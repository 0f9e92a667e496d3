"""How diskcache keeps and reads our entries: bytes in the rows of its database, and nothing else.

diskcache pickles what is no plain value, and unpickles, opens and removes whatever a row of its database asks for. A row
that we did not write is not believed here: it reads as no bytes at all, which verify as no entry.
"""

from __future__ import annotations

from typing import Any

import diskcache
from diskcache.core import MODE_RAW, UNKNOWN

# All of them, so that none is taken from the file. Pages are checked when they are read; a file that another process shortens while
# it is mapped into memory would end this one.
SETTINGS: dict[str, Any] = {
    **diskcache.DEFAULT_SETTINGS,
    "sqlite_cell_size_check": 1,
    "sqlite_mmap_size": 0,
    "sqlite_trusted_schema": 0,
}


class BytesOnly(diskcache.Disk):
    """Keys are strings and values are bytes; there are no pickles and no files apart from the database."""

    def __init__(self, directory: str, **settings: Any) -> None:
        super().__init__(directory)

    def put(self, key: Any) -> tuple[str, bool]:
        """The key and whether it is stored as it is."""
        if not isinstance(key, str):
            raise TypeError(f"a key is a string, not {type(key).__name__}")
        return key, True

    def get(self, key: Any, raw: Any) -> str:
        """The key of a row, for iteration."""
        return key if raw and isinstance(key, str) else ""

    def store(self, value: Any, read: bool, key: Any = UNKNOWN) -> tuple[int, int, None, bytes]:
        """Size of a file, mode, name of a file and value for a row."""
        if not isinstance(value, bytes):
            raise TypeError(f"a value is bytes, not {type(value).__name__}")
        return 0, MODE_RAW, None, value

    def fetch(self, mode: Any, filename: Any, value: Any, read: bool) -> bytes:
        """The value of a row; no bytes where it is of another kind, whatever it asks to be done to get at it."""
        return value if mode == MODE_RAW and filename is None and isinstance(value, bytes) else b""

    def remove(self, file_path: str) -> None:
        """Does nothing: we keep no files, so a row that names one was not written by us."""
