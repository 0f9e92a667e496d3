"""Programs on several machines: the steps of each rank under `mpirun`, and the arrays that ranks send each other.

Every rank runs the same script, with the same arrays, and gets all results. It computes its own steps, and the steps that belong to no
rank. DEVICE `MPI:1` is the device that rank 1 uses by default.
"""

from __future__ import annotations

import atexit
import hashlib
import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from eqsat.distribution import Made
from eqsat.errors import DeviceError
from eqsat.extents import at
from eqsat.runtime.crew import Arrays, Step, Values, value_of

if TYPE_CHECKING:
    from mpi4py import MPI

_NAME = re.compile(r"MPI:(\d+)")
FAILURE, END, STAMP = range(3)  # tags of messages: why a rank failed, that its script ended, what it calls
_unfinished: list[MPI.Request] = []  # sends that perhaps no rank receives; each keeps its memory alive
SILENCE_SECONDS = 600.0  # a rank that is silent for longer counts as lost; it may have to compile first
# A rank that has waited for so long for another to begin leaves its core to others. It then looks again and again after a pause.
PATIENT_SECONDS, PAUSE_SECONDS = 0.01, 1e-4


@cache
def world() -> MPI.Intracomm:
    """The communicator of all ranks.

    Raises:
        DeviceError: mpi4py is not installed, or finds no MPI.
    """
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        raise DeviceError(
            f"programs of several ranks need mpi4py and an MPI ({error}); `pip install 'eqsat[mpi]'` brings both"
        ) from error
    atexit.register(_end, MPI.COMM_WORLD)
    return MPI.COMM_WORLD


def _others(comm: MPI.Intracomm) -> list[int]:
    return [rank for rank in range(comm.size) if rank != comm.rank]


def _tell_others(comm: MPI.Intracomm, tag: int, what: object) -> None:
    """Starts sending an object to all other ranks."""
    _unfinished.extend(comm.isend(what, rank, tag) for rank in _others(comm))


def _end(comm: MPI.Intracomm) -> None:
    """Tells all ranks that this script ends, and receives all messages until their scripts end: MPICH kills ranks that leave messages."""
    _tell_others(comm, END, None)
    going, end = set(_others(comm)), time.monotonic() + SILENCE_SECONDS
    while going and time.monotonic() < end:
        going -= {rank for rank in going if comm.Iprobe(rank, END)}
        time.sleep(0.001)
    from mpi4py import MPI

    status = MPI.Status()
    while comm.Iprobe(status=status):
        comm.Recv(np.empty(status.Get_count(MPI.BYTE), np.uint8), status.Get_source(), status.Get_tag())
    if not going:
        MPI.Request.Waitall(_unfinished)


def rank_of(name: str) -> int | None:
    """The rank that a device name means; None if it means a device of this machine.

    Raises:
        DeviceError: there is no such rank, or no MPI.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    rank, size = int(match[1]), world().size
    if rank >= size:
        raise DeviceError(
            f"there is no rank {rank} among {size}; start the script with `mpirun -n {rank + 1}` or more"
        )
    return rank


@dataclass(frozen=True)
class RankStep(Step):
    """A step of one rank, or of every rank if `rank` is None. `results` has the shape and the dtype of each result."""

    rank: int | None
    results: tuple[tuple[tuple[int, ...], np.dtype[Any]], ...]


class Ranks:
    """Runs the steps of this rank. All ranks must make the same calls. If one rank fails, all fail, in this call and in later ones."""

    _failed: ClassVar[BaseException | None] = None  # a failure of any program; its messages may still come

    def __init__(self, steps: Sequence[RankStep], results: Iterable[Made], program: bytes) -> None:
        """`results` are those that every rank gets in the end. `program` identifies the program: it is the same on all ranks that have it."""
        self._comm = world()
        self._steps = steps
        self._results = tuple(dict.fromkeys(results))
        everyone = range(self._comm.size)
        readers: dict[Made, set[int]] = {each: set(everyone) for each in self._results}
        for step in steps:
            for source in step.sources:
                if isinstance(source, Made):
                    readers.setdefault(source, set()).update(everyone if step.rank is None else [step.rank])
        self._readers = {
            made: sorted(ranks - {steps[made.part].rank}) if steps[made.part].rank is not None else []
            for made, ranks in readers.items()
        }
        self._tags = {made: tag for tag, made in enumerate(self._readers, start=STAMP + 1)}
        self._program = hashlib.sha256(program).digest()
        self._sent: list[tuple[MPI.Request, int]] = []  # sends and their ranks; a request keeps its memory

    def __call__(self, given: Arrays, values: Values) -> list[dict[int, NDArray[Any]]]:
        """The results of each step that this rank computed or was sent.

        Raises:
            DeviceError: another rank failed or was lost, now or in an earlier call; or it calls another program, or with other extents.
            EqsatError: a step of this rank failed.
        """
        if Ranks._failed is not None:
            raise DeviceError(
                f"a rank failed in an earlier call ({Ranks._failed}), so ranks are out of step; start the script again"
            )
        made: list[dict[int, NDArray[Any]]] = [{} for _ in self._steps]
        try:
            self._agree(values)
            for number, step in enumerate(self._steps):
                if step.rank in (None, self._comm.rank):
                    arrays = [
                        value_of(source, given, lambda each: self._get(each, made, values), values)
                        for source in step.sources
                    ]
                    made[number] = dict(enumerate(step.run(arrays, values)))
                    self._send(number, made[number])
            for each in self._results:
                self._get(each, made, values)
            for request, reader in self._sent:
                self._wait(request, reader)
        except BaseException as error:
            Ranks._failed = error
            _unfinished.extend(request for request, _ in self._sent)
            _tell_others(self._comm, FAILURE, f"{type(error).__name__}: {error}")
            raise
        self._sent.clear()
        return made

    def _agree(self, values: Values) -> None:
        """Waits until all ranks call the same program with the same values. Otherwise a message could be taken for another one.

        Raises:
            DeviceError: a rank calls another program, or with other values.
        """
        text = self._program + repr(sorted(values.items())).encode()
        own = np.frombuffer(hashlib.sha256(text).digest(), np.uint8)
        others = _others(self._comm)
        self._sent += [(self._comm.Isend(own, rank, STAMP), rank) for rank in others]
        theirs = [self._received(np.empty_like(own), rank, STAMP, PAUSE_SECONDS) for rank in others]
        for rank, stamp in zip(others, theirs, strict=True):
            if not np.array_equal(stamp, own):
                raise DeviceError(
                    f"rank {rank} calls another program than rank {self._comm.rank}, or one of other shapes; every rank runs the same script, with "
                    f"the same arrays, and `eqsat.shard` gives each its part"
                )

    def _send(self, number: int, arrays: dict[int, NDArray[Any]]) -> None:
        """Starts sending the results of a step to the ranks that read them."""
        for place, array in arrays.items():
            made = Made(number, place)
            for reader in self._readers.get(made, ()):
                data = np.ascontiguousarray(array)
                self._sent.append((self._comm.Isend(_bytes(data), reader, self._tags[made]), reader))

    def _get(self, wanted: Made, made: list[dict[int, NDArray[Any]]], values: Values) -> NDArray[Any]:
        """An array that a step made on this rank, or received from another rank."""
        known = made[wanted.part]
        if wanted.number not in known:
            step = self._steps[wanted.part]
            assert step.rank is not None, "what every rank computes is known"
            shape, dtype = step.results[wanted.number]
            array = np.empty(tuple(at(extent, values) for extent in shape), dtype)
            known[wanted.number] = self._received(array, step.rank, self._tags[wanted])
        return known[wanted.number]

    def _received(self, array: NDArray[Any], rank: int, tag: int, pause: float = 0.0) -> NDArray[Any]:
        """Fills `array` with the elements that a rank sends, and returns it. `pause` is that of `_wait`."""
        request = self._comm.Irecv(_bytes(array), rank, tag)
        try:
            self._wait(request, rank, pause)
        except BaseException:
            request.Cancel()  # it may never be sent, and MPI kills a script that ends with a pending receive
            request.Wait()
            raise
        return array

    def _wait(self, request: MPI.Request, rank: int, pause: float = 0.0) -> None:
        """Waits for a message from or to `rank`, after a while with pauses. Long arrays move only while both ranks look, so they have none.

        Raises:
            DeviceError: some rank failed, or `rank` ended its script or was silent for too long.
        """
        from mpi4py import MPI

        begin, status = time.monotonic(), MPI.Status()
        while not request.Test():
            has_ended = self._comm.Iprobe(rank, END)  # if so, all its earlier messages are here, too
            if self._comm.Iprobe(MPI.ANY_SOURCE, FAILURE, status):
                reason = self._comm.recv(source=status.Get_source(), tag=FAILURE)
                raise DeviceError(
                    f"rank {status.Get_source()} failed: {reason}; nothing of this run was returned"
                )
            if has_ended and not request.Test():
                raise DeviceError(
                    f"the script of rank {rank} ended before that of rank {self._comm.rank}, which waits for it; every rank runs the same script"
                )
            waited = time.monotonic() - begin
            if waited > SILENCE_SECONDS:
                raise DeviceError(
                    f"rank {rank} was silent for {SILENCE_SECONDS:.0f} s and is held to be lost; start the script again"
                )
            # Without a pause it yields to a rank that shares this core.
            time.sleep(pause if waited > PATIENT_SECONDS else 0)


def _bytes(array: NDArray[Any]) -> NDArray[np.uint8]:
    return array.reshape(-1).view(np.uint8)
