"""What goes wrong around a program ends in the right result or a typed error, and never in a hang: docs/faults.md, row by row."""

from __future__ import annotations

import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyopencl as cl
import pytest

from eqsat.errors import DeviceError, MemoryExhaustedError
from eqsat.runtime import get_device
from eqsat.runtime.executable import Executable
from eqsat.runtime.record import VARIABLE as RECORD
from tests.runtime.programs import addition

SECONDS = 400  # after which something counts as a hang; a first call takes 2 on an idle machine
pytestmark = pytest.mark.timeout(900)
TABLE = Path(__file__).parents[2] / "docs" / "faults.md"

USE = """
import os, resource, sys, threading, warnings
import numpy as np
import eqsat as eq
from eqsat.runtime import CacheWarning

f = eq.jit(lambda x: eq.exp(x) * 2 + 1)

def use(size=5, function=f):
    result = function(np.zeros(size, np.float32))
    assert result.shape == (size,) and (result == 3).all(), result

def refused(kind, text, act=use):
    try:
        act()
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"no {kind.__name__}")

def status_of(child):
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)
"""


def run(code: str, cache: Path | str, without: tuple[str, ...] = (), **environment: str) -> str:
    """Run USE and `code` in a process of its own; what it wrote to standard error. It must end well, and in time."""
    variables = {name: value for name, value in around(cache).items() if name not in without}
    done = subprocess.run(
        [sys.executable, "-c", USE + code],
        env={**variables, **environment},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-2000:]}"
    return done.stderr


def around(cache: Path | str) -> dict[str, str]:
    """The environment of a process with this cache; its kernels are not recorded, since many never end."""
    inherited = {name: value for name, value in os.environ.items() if name not in (RECORD, "EQSAT_DEVICE")}
    return {**inherited, "PYTHONPATH": os.pathsep.join(sys.path), "EQSAT_CACHE": str(cache)}


def assert_whole(cache: Path) -> None:
    """Each database of a cache is sound, and a new process computes with them."""
    for database in cache.glob("*/cache.db"):
        connection = sqlite3.connect(database)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        connection.close()
    assert run("use()", cache) == ""


# processes and threads


def test_fork_before_the_first_call(tmp_path: Path) -> None:
    run(
        """
children = []
for number in range(2):
    child = os.fork()
    if child == 0:
        use(5 + number)
        sys.exit(0)
    children.append(child)
assert [status_of(child) for child in children] == [0, 0]
use()
""",
        tmp_path,
    )


def test_fork_after_the_first_call(tmp_path: Path) -> None:
    run(
        """
use()
child = os.fork()
if child == 0:
    refused(eq.ForkError, "spawn")  # the same program
    refused(eq.ForkError, "spawn", lambda: use(6))  # another one
    refused(eq.ForkError, "spawn", lambda: eq.compile(eq.trace(lambda x: x + 1, eq.spec((4,), eq.float32))))
    i = eq.variable("i", 0, 15)
    refused(eq.ForkError, "spawn", lambda: eq.simplify((i * 64 + 3) // 64))
    grandchild = os.fork()
    if grandchild == 0:
        refused(eq.ForkError, "spawn")
        sys.exit(0)
    sys.exit(status_of(grandchild))
assert status_of(child) == 0
use()
use(7)
""",
        tmp_path,
    )


def test_fork_while_other_threads_work(tmp_path: Path) -> None:
    run(
        """
use()
going = True

def work(first):
    size = first
    while going:
        use(size)
        eq.simplify(eq.variable("i", 0, size) * 2 // 2)
        size += 2

threads = [threading.Thread(target=work, args=(first,)) for first in (100, 101)]
for thread in threads:
    thread.start()
for _ in range(10):
    child = os.fork()
    if child == 0:
        refused(eq.ForkError, "spawn")
        eq.evaluate(eq.trace(lambda x: x + 1, eq.spec((4,), eq.float32)), {0: np.ones(4, np.float32)})
        sys.exit(0)
    assert status_of(child) == 0
going = False
for thread in threads:
    thread.join()
use()
""",
        tmp_path,
    )


def test_fork_while_other_threads_write_a_cache(tmp_path: Path) -> None:
    """SQLite has locks of its own, which a child would find held for ever: about one fork in twenty fell into that."""
    run(
        """
from itertools import count
from eqsat.runtime.cache import PLANS, digest

def write(thread):
    for number in count():
        PLANS.put(digest(str(thread), str(number)), bytes(1000))

PLANS.put(digest("given"), b"given")
for thread in range(2):
    threading.Thread(target=write, args=(thread,), daemon=True).start()
for _ in range(20):
    child = os.fork()
    if child == 0:
        assert PLANS.get(digest("given")) == b"given"
        sys.exit(0)
    assert status_of(child) == 0
""",
        tmp_path,
    )


def test_spawn_after_the_first_call(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text(
        "import eqsat as eq\n\ndef double(x):\n    return eq.jit(lambda x: x * 2)(x)\n"
    )
    run(
        f"""
sys.path.insert(0, {str(tmp_path)!r})
from job import double
from multiprocessing import get_context
use()
with get_context("spawn").Pool(2) as pool:
    for result in pool.map(double, [np.ones(3), np.ones(4)]):
        assert (result == 2).all()
""",
        tmp_path / "cache",
    )


def test_first_calls_in_several_threads(tmp_path: Path) -> None:
    run(
        """
barrier, failed = threading.Barrier(6), []

def work(size):
    barrier.wait()
    try:
        for _ in range(3):
            use(size)
    except BaseException as error:
        failed.append(error)

threads = [threading.Thread(target=work, args=(5 + number // 2,)) for number in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not failed, failed
""",
        tmp_path,
    )


# caches and files


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
    homes = ("HOME", "XDG_CACHE_HOME")
    assert run("use()", tmp_path, without=homes) == ""
    assert run("use()", "off", HOME="/proc/none", XDG_CACHE_HOME="/proc/none") == ""
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


# what the system gives


def test_file_descriptors_are_exhausted(tmp_path: Path) -> None:
    run(
        """
def exhaust():
    taken = []
    while True:
        try:
            taken.append(os.open(os.devnull, os.O_RDONLY))
        except OSError:
            return taken

resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))
taken = exhaust()
for _ in range(8):  # enough for imports
    os.close(taken.pop())
refused(eq.DeviceError, "file descriptors were left for loading OpenCL drivers")
for descriptor in taken:
    os.close(descriptor)
use()
taken = exhaust()
use()  # compiled already
for _ in range(8):
    os.close(taken.pop())
refused(eq.DeviceError, "file descriptors were left for compiling", lambda: use(6))
for descriptor in taken:
    os.close(descriptor)
use(6)
""",
        tmp_path,
    )
    assert_whole(tmp_path)


def test_address_space_is_exhausted(tmp_path: Path) -> None:
    run(
        """
def limited(extra, act):
    size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (size + (extra << 20), before[1]))
    try:
        act()
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)

eq.trace(lambda x: x + 1, eq.spec((4,), eq.float32))
limited(400, lambda: refused(eq.MemoryExhaustedError, "address space were left for loading OpenCL drivers"))
use()
limited(100, use)  # compiled already
limited(200, lambda: refused(eq.MemoryExhaustedError, "address space were left for compiling", lambda: use(6)))
use(6)
""",
        tmp_path,
    )
    assert_whole(tmp_path)


def test_array_is_larger_than_memory(tmp_path: Path) -> None:
    run(
        """
for size in (1 << 36, 1 << 45):
    huge = eq.jit(lambda: eq.zeros(size, dtype=eq.uint8))
    refused(eq.MemoryExhaustedError, "smaller pieces", huge)
use()
""",
        tmp_path,
    )


@pytest.mark.parametrize("code", [-4, -6, -61])
def test_device_has_no_memory(code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    executable, a = Executable(get_device("pocl"), *addition(4)), np.ones(4, np.float32)
    with monkeypatch.context() as patch:
        patch.setattr(get_device("pocl"), "wrap", _raiser(code))
        with pytest.raises(
            MemoryExhaustedError, match="had no memory for a buffer while running add .*smaller"
        ):
            executable(a, a)
    assert (executable(a, a)[0] == 2).all()


@pytest.mark.parametrize("code", [-2, -5, -36])
@pytest.mark.parametrize("call", ["enqueue_nd_range_kernel", "enqueue_map_buffer"])
def test_device_is_lost(code: int, call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    executable, a = Executable(get_device("pocl"), *addition(4)), np.ones(4, np.float32)
    with monkeypatch.context() as patch:
        patch.setattr(f"eqsat.runtime.opencl.lazy.cl.{call}", _raiser(code))
        with pytest.raises(
            DeviceError, match="lost or is out of resources while running add .*nothing of this run"
        ):
            executable(a, a)
    assert (a == 1).all()
    assert (executable(a, a)[0] == 2).all()


def _raiser(code: int):
    def refuse(*_: object, **__: object) -> None:
        raise cl.RuntimeError(cl._cl._ErrorRecord(msg="injected", code=code, routine="clInjected"))

    return refuse


def test_there_is_no_device(tmp_path: Path) -> None:
    run(
        'refused(eq.DeviceError, "no OpenCL platform with a device was found; install one")',
        tmp_path,
        OCL_ICD_VENDORS=str(tmp_path / "nowhere"),
    )


def test_device_of_that_name_is_not_there(tmp_path: Path) -> None:
    run(
        "refused(eq.DeviceError, \"no device is named 'toaster'; there are 0: \")",
        tmp_path,
        EQSAT_DEVICE="toaster",
    )


def test_linker_is_missing(tmp_path: Path) -> None:
    run('refused(eq.DeviceError, "install it (`apt install binutils`)")', tmp_path, PATH=str(tmp_path))


def test_driver_cannot_build(tmp_path: Path) -> None:
    """A linker that fails makes PoCL 3.0 end its process; a guarded one does so in a child."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "ld").write_text("#!/bin/sh\nexit 1\n")
    (tools / "ld").chmod(0o755)
    run(
        'refused(eq.ExecutionError, "ended its process (SIGABRT) while running")',
        tmp_path / "cache",
        PATH=f"{tools}:/usr/bin:/bin",
        EQSAT_GUARD="1",
    )


# Ctrl-C

INTERRUPTED = """
size, interrupted = 10, 0
while interrupted < ROUNDS:
    try:
        print("ready", flush=True)
        while True:
            use(size)
            size += 1
    except KeyboardInterrupt:
        interrupted += 1
use()
use(9)
print("right", flush=True)
"""


def test_interrupts_while_compiling(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """As a terminal sends them, at random moments: to the process, and to the linker that PoCL has started."""
    rounds, moments = 12, random.Random(request.config.getoption("--seed"))
    process = subprocess.Popen(
        [sys.executable, "-c", USE + INTERRUPTED.replace("ROUNDS", str(rounds))],
        env=around(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        signal.signal(signal.SIGALRM, lambda *_: process.kill())
        for _ in range(rounds):
            signal.alarm(240)
            answer = process.stdout.readline()
            assert answer == "ready\n", process.communicate(timeout=SECONDS)[1][-2000:]
            signal.alarm(0)
            time.sleep(moments.uniform(0, 4))
            os.killpg(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=SECONDS)
    finally:
        signal.alarm(0)
        process.kill()
    assert (output, process.returncode) == ("right\n", 0), errors[-2000:]
    assert_whole(tmp_path)


RUNNING = """
from eqsat.runtime import get_device
from eqsat.runtime.executable import Executable
from eqsat.schedule.kernel import Role
from tests.runtime.programs import argument, buffer, rendered, schedule
body = "float x = 0; for (long k = 0; k < 1000000000; k++) x = x * 1.0001f + 1; o[i] = x;"
kernel = rendered("spin", body, [argument(0, 1, written=True)], 1)
spin = Executable(get_device("pocl"), schedule([("spin", (0,))], [buffer(1, Role.OUTPUT, 0)]), [kernel])
spin()
use()
print("ready", flush=True)
try:
    while True:
        spin()
except KeyboardInterrupt:
    use()
    use(6)
    print("right")
"""


def test_interrupt_while_running(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", USE + RUNNING],
        env=around(tmp_path),
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGINT)
        output, _ = process.communicate(timeout=SECONDS)
    finally:
        process.kill()
    assert (output, process.returncode) == ("right\n", 0)


# the table


def test_every_row_of_the_table_has_a_test_and_the_other_way_round() -> None:
    named = set(re.findall(r"`(test_\w+)`", TABLE.read_text(encoding="utf-8")))
    here = {name for name in globals() if name.startswith("test_")} - {
        "test_every_row_of_the_table_has_a_test_and_the_other_way_round"
    }
    assert named == here
