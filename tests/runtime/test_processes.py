"""What Ctrl-C may not interrupt: it is not lost, and comes at the end of the block."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator

import pytest

from eqsat.runtime.processes import interrupts_wait

pytestmark = pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="masks of signals are POSIX's")


@pytest.fixture(autouse=True)
def default_handler() -> Iterator[None]:
    """Python's own handler: a suite that a shell starts in the background inherits that SIGINT is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt() -> None:
    """Sends SIGINT to this process, and lets a thread that does not block it receive it."""
    receiver = threading.Thread(target=lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT}))
    os.kill(os.getpid(), signal.SIGINT)
    receiver.start()
    receiver.join()


def test_interrupt_comes_at_the_end() -> None:
    reached: list[str] = []

    def interrupted() -> None:
        with interrupts_wait():
            interrupt()
            reached.append("inside")

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert reached == ["inside"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_blocks_within_blocks_wait_for_the_outermost() -> None:
    reached: list[str] = []

    def interrupted() -> None:
        with interrupts_wait():
            with interrupts_wait():
                interrupt()
            reached.append("after the inner one")

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert reached == ["after the inner one"]


def test_error_inside_and_an_interrupt_are_both_told() -> None:
    def interrupted() -> None:
        with interrupts_wait():
            interrupt()
            raise ValueError("inside")

    with pytest.raises(KeyboardInterrupt) as told:
        interrupted()
    assert isinstance(told.value.__context__, ValueError)


def test_child_processes_are_not_interrupted() -> None:
    with interrupts_wait():
        child = subprocess.run(
            ["sh", "-c", "kill -INT $$; echo whole"], capture_output=True, text=True, check=True
        )
    assert child.stdout == "whole\n"


def test_other_threads_use_it_and_handlers_of_users_are_called() -> None:
    called: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: called.append(number))
    try:
        with interrupts_wait():
            interrupt()
            assert called == []
        assert called == [signal.SIGINT]
        failures: list[BaseException] = []

        def used() -> None:
            try:
                with interrupts_wait():
                    pass
            except BaseException as error:  # noqa: BLE001
                failures.append(error)

        thread = threading.Thread(target=used)
        thread.start()
        thread.join()
        assert failures == []
    finally:
        signal.signal(signal.SIGINT, before)


def test_ignored_signals_stay_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interrupts_wait():
            interrupt()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
