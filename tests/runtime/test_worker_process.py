"""Child processes for tasks."""

import math
import os
import pickle
import signal
import threading
import time

import pytest

from eqsat.runtime import worker_process
from eqsat.runtime.task import Failure, Task, packed
from eqsat.runtime.worker_process import Child


def test_close_waits_for_the_thread_that_sends_a_task(monkeypatch):
    sending, found = threading.Event(), []

    def send_late(request, stream):
        sending.set()
        time.sleep(0.3)
        pickle.Pickler(stream).dump(request)

    monkeypatch.setattr(worker_process.pickle, "dump", send_late)
    child = Child()
    task = Task.of(time.sleep, packed(20), (), 60.0)
    thread = threading.Thread(target=lambda: found.append(child.run(task)))
    thread.start()
    assert sending.wait(30)
    child.close()
    thread.join(10)
    assert [type(each) for each in found] == [Failure]
    assert child.run(task) == Failure("stopped")


@pytest.mark.parametrize("seconds", [1e10, 1e15, 2**63 - 1, 1e300, math.inf])
def test_time_limits_may_be_longer_than_timers(seconds, capfd):
    """A thread that waits for so long raised an OverflowError, which was printed."""
    child = Child()
    assert child.run(Task.of(abs, packed(-3), (), seconds)) == 3
    child.close()
    assert capfd.readouterr().err == ""


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals are POSIX's")
def test_ctrl_c_does_not_reach_a_process_that_starts(monkeypatch, capfd):
    """It comes while Python itself starts, before the first statement of the process."""
    receive = worker_process._receive

    def interrupted(process):
        if process not in seen:
            seen.append(process)
            for _ in range(20):
                os.kill(process.pid, signal.SIGINT)
                time.sleep(0.01)
        return receive(process)

    seen = []
    monkeypatch.setattr(worker_process, "_receive", interrupted)
    child = Child()
    assert child.run(Task.of(abs, packed(-3), (), 60.0)) == 3
    child.close()
    assert len(seen) == 1
    assert capfd.readouterr().err == ""
