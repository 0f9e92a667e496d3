"""Caches that cannot be used, missing directories, full disks: docs/faults.md, row by row."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runtime.faults.children import FEWER_RULES, USE, assert_whole, run

pytestmark = pytest.mark.timeout(900)


def test_cache_directory_cannot_be_made() -> None:
    assert "the cache in /proc/eqsat cannot be used" in run("use()", "/proc/eqsat")


def test_cache_directory_is_read_only() -> None:
    assert "the cache in /sys/kernel cannot be used" in run("use()", "/sys/kernel")


def test_cache_directory_is_a_file(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("not a directory")
    assert f"the cache in {file} cannot be used" in run("use()", file)
    assert file.read_text() == "not a directory"


def test_there_is_no_home(tmp_path: Path) -> None:
    """Neither for a first call nor for what is imported before it."""
    homes = ("HOME", "XDG_CACHE_HOME")
    imported = f"import subprocess; subprocess.run([sys.executable, '-c', {FEWER_RULES + USE + 'use()'!r}], check=True)"
    assert run(imported, tmp_path, without=homes) == ""
    assert run(imported, "off", HOME="/proc/none", XDG_CACHE_HOME="/proc/none") == ""
    warned = run(
        "use()",
        "",
        without=("EQSAT_CACHE",),
        HOME="/proc/none",
        XDG_CACHE_HOME="/proc/none",
        EQSAT_CACHE="~/c",
    )
    assert "cannot be used" in warned


def test_no_directory_can_be_written() -> None:
    run(
        """
import tempfile
from eqsat.runtime.opencl import pocl
tempfile.gettempdir = lambda: "/proc/none"
pocl.MEMORY_FILES = pocl.Path("/proc/none")
warnings.simplefilter("ignore")
refused(eq.DeviceError, "let TMPDIR or EQSAT_CACHE name one that can")
""",
        "/proc/eqsat",
        HOME="/proc/none",
        XDG_CACHE_HOME="/proc/none",
    )


def test_disk_is_full_at_the_start(tmp_path: Path) -> None:
    run(
        """
warnings.simplefilter("ignore", CacheWarning)
before = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))
refused(eq.DeviceError, "has no room for")
resource.setrlimit(resource.RLIMIT_FSIZE, before)
use()
""",
        tmp_path,
    )
    assert_whole(tmp_path)


def test_disk_fills_up_later(tmp_path: Path) -> None:
    run(
        """
warnings.simplefilter("ignore", CacheWarning)
use()
before = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))
use()  # compiled already
refused(eq.DeviceError, "has no room for", lambda: use(6))
resource.setrlimit(resource.RLIMIT_FSIZE, before)
use(6)
""",
        tmp_path,
    )
    assert_whole(tmp_path)


def test_cache_directory_is_deleted_later(tmp_path: Path) -> None:
    """Programs compile as before, and the caches are made again."""
    warned = run(
        """
import shutil
from eqsat.runtime.cache import BINARIES, PLANS
use()
shutil.rmtree(os.environ["EQSAT_CACHE"])
use()  # compiled already
use(6)
assert [cache.statistics().entries for cache in (BINARIES, PLANS)] == [1, 1]
assert (BINARIES.directory / "cache.db").exists() and (PLANS.directory / "cache.db").exists()
""",
        tmp_path / "cache",
    )
    assert warned == ""
    assert_whole(tmp_path / "cache")


def test_disk_of_the_cache_is_full() -> None:
    """/dev/full takes no byte; where the cache has no room, PoCL's files go elsewhere."""
    warned = run(
        """
import errno
from eqsat.runtime import cache, limits
fallocate = os.posix_fallocate

def full(descriptor, *rest):
    if os.readlink(f"/proc/self/fd/{descriptor}").startswith(os.environ["EQSAT_CACHE"]):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    fallocate(descriptor, *rest)

def no_room(directory, limit):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

os.posix_fallocate = full
cache._opened = no_room
use()
use(6)
""",
        Path("/dev/shm/eqsat-full") if Path("/dev/shm").is_dir() else "/tmp/eqsat-full",
    )
    assert "No space left on device" in warned
