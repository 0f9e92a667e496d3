"""A cache runs nothing that it finds, believes no folder that others can write, and removes no file but its own."""

from __future__ import annotations

import os
import pickle
import sqlite3
import stat
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from eqsat.runtime.cache import CacheWarning, DiskCache, digest
from eqsat.runtime.opencl import pocl

KEY = digest("key")
FILL = """
import sys
from pathlib import Path
from tests.runtime.test_cache_trust import filled
filled(Path(sys.argv[1]))
"""
POSIX = pytest.mark.skipif(not hasattr(os, "getuid"), reason="this system has no such permissions")


def planted(marker: Path, protocol: int = 5) -> bytes:
    """A pickle that makes `marker` when it is loaded."""

    class Plant:
        def __reduce__(self) -> Any:
            return Path.touch, (marker,)

    return pickle.dumps(Plant(), protocol=protocol)


def filled(directory: Path) -> None:
    """A cache with one entry under `KEY`, closed."""
    cache = DiskCache("test", directory)
    cache.put(KEY, b"value")
    cache.close()


def change(directory: Path, statement: str, *values: Any) -> None:
    with sqlite3.connect(directory / "test" / "cache.db") as database:
        database.execute(statement, values)
    database.close()


def value_in(directory: Path) -> bytes | None:
    """What is under `KEY`, and that the cache works afterwards."""
    cache = DiskCache("test", directory)
    found = cache.get(KEY)
    cache.put(KEY, b"again")
    assert cache.get(KEY) == b"again"
    cache.close()
    return found


def test_planted_pickle_would_run(tmp_path: Path) -> None:
    pickle.loads(planted(tmp_path / "marker"))
    assert (tmp_path / "marker").exists()


@pytest.mark.parametrize("mode", [0, 1, 2, 3, 4, 5, -1, "4", None])
@pytest.mark.parametrize("apart", [False, True])
def test_planted_pickle_does_not_run(tmp_path: Path, mode: Any, apart: bool) -> None:
    filled(tmp_path)
    marker, file = tmp_path / "marker", tmp_path / "test" / "planted.val"
    file.write_bytes(planted(marker))
    row = (mode, "planted.val", None) if apart else (mode, None, planted(marker))
    change(tmp_path, "UPDATE Cache SET mode = ?, filename = ?, value = ?", *row)
    assert value_in(tmp_path) is None
    assert not marker.exists()
    assert file.exists(), "a row cannot have a file removed"


def test_pickled_key_does_not_run(tmp_path: Path) -> None:
    filled(tmp_path)
    change(tmp_path, "UPDATE Cache SET raw = 0, key = ?", planted(tmp_path / "marker"))
    cache = DiskCache("test", tmp_path)
    assert cache.get(KEY) is None
    assert cache.statistics().entries == 1
    assert cache.clear() == 1
    cache.close()
    assert not (tmp_path / "marker").exists()


def test_row_cannot_have_a_file_read_or_removed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    for name in (str(outside), "../outside"):
        filled(tmp_path)
        outside.write_bytes(b"precious")
        change(tmp_path, "UPDATE Cache SET mode = 2, filename = ?, value = NULL", name)
        assert value_in(tmp_path) is None
        assert outside.read_bytes() == b"precious"


@pytest.mark.parametrize("value", [1, 1.5, "text", None, b"", b"eqsat 1\n" + bytes(31)])
def test_value_of_another_kind_is_no_entry(tmp_path: Path, value: Any) -> None:
    filled(tmp_path)
    change(tmp_path, "UPDATE Cache SET value = ?", value)
    assert value_in(tmp_path) is None


@pytest.mark.parametrize("key", ["get", "set", "_sql", "eviction_policy", "cull_limit", "size_limit", "statistics", "count",
                                 "disk_hash", "disk_fetch", "sqlite_journal_mode", "sqlite_nonsense; DROP TABLE Cache", "size"])  # fmt: skip
@pytest.mark.parametrize("value", [None, "x", -1, b"\0"])
def test_settings_in_the_file_are_not_believed(tmp_path: Path, key: str, value: Any) -> None:
    filled(tmp_path)
    change(tmp_path, "INSERT OR REPLACE INTO Settings VALUES (?, ?)", key, value)
    assert value_in(tmp_path) in (b"value", None)


def test_schema_of_the_file_is_not_believed(tmp_path: Path) -> None:
    filled(tmp_path)
    change(tmp_path, "DROP TABLE Cache")
    change(tmp_path, "CREATE VIEW Cache AS SELECT 1 AS rowid, 'key' AS key")
    assert value_in(tmp_path) is None


def test_files_that_are_not_the_cache_s_outlive_damage(tmp_path: Path) -> None:
    filled(tmp_path)
    (tmp_path / "test" / "cache.db").write_bytes(b"not a database, but long enough to look like one" * 100)
    (tmp_path / "test" / "thesis.tex").write_text("five years of work")
    assert value_in(tmp_path) is None
    assert (tmp_path / "test" / "thesis.tex").read_text() == "five years of work"


@POSIX
@pytest.mark.parametrize("umask", [0, 0o022, 0o077])
def test_new_folders_and_files_are_private(tmp_path: Path, umask: int) -> None:
    code = f"import os; os.umask({umask}); {FILL}"
    root = tmp_path / "deep" / "root"
    tmp_path.chmod(0o700)
    subprocess.run([sys.executable, "-c", code, str(root)], check=True, cwd=Path(__file__).parents[2])
    for folder in (root.parent, root, root / "test"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    files = [file for file in (root / "test").iterdir() if file.is_file()]
    assert files
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in files)


@POSIX
@pytest.mark.parametrize("mode", [0o770, 0o777, 0o720, 0o702, 0o775])
@pytest.mark.parametrize("where", ["", "test", "test/cache.db"])
def test_folder_that_others_can_write_is_not_used(tmp_path: Path, where: str, mode: int) -> None:
    root = tmp_path / "root"
    filled(root)
    (root / where).chmod(mode)
    with pytest.warns(CacheWarning, match=r"other users can write .*chmod go-w|other users can write .*`rm"):
        assert DiskCache("test", root).get(KEY) is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        unused = DiskCache("test", root)  # of which no more is said
        unused.put(KEY, b"x")
        assert unused.get(KEY) is None
    (root / where).chmod(0o700)
    assert DiskCache("test", root).get(KEY) == b"value", "nothing was changed"


@POSIX
def test_folder_in_one_that_others_can_write_is_not_used(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    filled(shared / "root")
    shared.chmod(0o777)
    with pytest.warns(CacheWarning, match=f"can write {shared}, and so replace"):
        assert DiskCache("test", shared / "root").get(KEY) is None
    shared.chmod(0o1777)  # where each may rename and remove his own only
    assert DiskCache("test", shared / "root").get(KEY) == b"value"


@POSIX
def test_link_is_judged_by_where_it_leads(tmp_path: Path) -> None:
    root, link = tmp_path / "root", tmp_path / "link"
    filled(root)
    link.symlink_to(root)
    assert DiskCache("test", link).get(KEY) == b"value"
    root.chmod(0o777)
    with pytest.warns(CacheWarning, match="other users can write"):
        assert DiskCache("test", link).get(KEY) is None


@POSIX
def test_database_that_is_a_link_is_not_used(tmp_path: Path) -> None:
    filled(tmp_path / "root")
    filled(tmp_path / "other")
    (tmp_path / "root" / "test" / "cache.db").unlink()
    (tmp_path / "root" / "test" / "cache.db").symlink_to(tmp_path / "other" / "test" / "cache.db")
    with pytest.warns(CacheWarning, match="no plain file"):
        assert DiskCache("test", tmp_path / "root").get(KEY) is None


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a file away")
@pytest.mark.parametrize("where", ["", "test", "test/cache.db"])
def test_folder_of_another_user_is_not_used(tmp_path: Path, where: str) -> None:
    root = tmp_path / "root"
    filled(root)
    os.chown(root / where, 12345, 12345)
    with pytest.warns(CacheWarning, match=r"belongs to another user \(number 12345\)"):
        assert DiskCache("test", root).get(KEY) is None


@POSIX
def test_compiler_does_not_work_where_others_can_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(pocl.FILES_VARIABLE, raising=False)
    (tmp_path / "pocl").mkdir(mode=0o700)
    with pocl.private_files(tmp_path):
        assert Path(os.environ[pocl.FILES_VARIABLE]).parent == tmp_path / "pocl"
    (tmp_path / "pocl").chmod(0o777)
    with pocl.private_files(tmp_path):
        chosen = Path(os.environ[pocl.FILES_VARIABLE])
    assert tmp_path not in chosen.parents
    assert stat.S_IMODE(chosen.stat().st_mode) == 0o700
