"""Forks, spawned processes and threads: docs/faults.md, row by row."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runtime.faults.children import FEWER_RULES, run

pytestmark = pytest.mark.timeout(900)


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
        f"{FEWER_RULES}import eqsat as eq\n\ndef double(x):\n    return eq.jit(lambda x: x * 2)(x)\n"
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
