"""Measures the error of each elementary function in units in the last place, on the default device, in every float dtype.

float16 and bfloat16 functions of one operand get all 65,536 inputs. float32 functions get evenly spread bit patterns (`--sample`), or with
`--exhaustive` all 2³², in chunks. `--shard 2/8` takes every eighth chunk from the second on. `--state FILE` stores each finished chunk, so
that a run continues where another one ended. float64 functions, and functions of two operands, get draws (`--draws`): random bits, ordinary
numbers, neighbours of zeros, poles and thresholds. Exact values are those of the C library or SciPy in float64; for float64 functions, in the
platform's long double.
"""

from __future__ import annotations

import json
import os
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache, reduce
from hashlib import sha256
from operator import add
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from scipy import special

import eqsat as eq
from benchmarks.report import parser, publish
from eqsat.dtype import DType, bfloat16, float16, float32, float64, to_numpy
from eqsat.ops import ELEMENTARY, ELEMENTARY_BINARY, ELEMENTARY_UNARY, Op
from eqsat.reference.elementary import FUNCTIONS, elementary
from eqsat.uop import UOp

UNARY = (*ELEMENTARY_UNARY, Op.SQRT, Op.RECIP)
DTYPES = (float16, bfloat16, float32, float64)
CHUNK = 1 << 20  # inputs at a time
SMALL = 1 << 16  # inputs at a time if there are few
BLOCK = 1 << 15  # results judged at a time, so that they stay in the cache
PATTERNS = 1 << 32  # bit patterns of float32
STRIDE = 2_654_435_761  # odd, so that its multiples reach every pattern; any number of them is evenly spread
LIMITS = {op: 1.0 for op in (Op.EXP, Op.EXP2, Op.LOG, Op.LOG2, Op.SQRT, Op.RECIP, Op.SIN, Op.COS)}
LIMIT = 2.0  # units in the last place, for all functions that `LIMITS` lacks
# binary digits after the first, and the least and the greatest exponent
FORMATS = {
    "float16": (10, -14, 15),
    "bfloat16": (7, -126, 127),
    "float32": (23, -126, 127),
    "float64": (52, -1022, 1023),
}
EXPONENT = np.int64(0x7FF0000000000000)  # the bits of the exponent in a float64
# Hard places of functions: zeros, poles, ends of domains, and where results overflow, vanish or become 1.
PLACES = (
    0.0, 0.5, 1.0, 2.0, np.e, 10.0, np.log(2) / 2, np.log(2), 6.0, 8.3, 9.0, 14.0, 18.7, 20.0, 26.6, 36.7, 38.5, 40.0, 87.3, 88.72, 103.97, 126.0,
    128.0, 149.0, 708.4, 709.78, 745.13, 1022.0, 1024.0, 1074.0, 1e8, 1e22,
    *(np.pi / 2 * turns for turns in (*range(1, 40), 1000, 12345, 10**6, 10**9, 10**15)),
)  # fmt: skip


@dataclass(frozen=True)
class Found:
    """The errors of one chunk, or of several.

    Attributes:
        worst: the greatest error in units in the last place; infinite if a NaN or the sign of a zero is wrong.
        at: the operands with the greatest error.
        total: the sum of all finite errors.
        inputs: the number of inputs.
    """

    worst: float
    at: tuple[float, ...]
    total: float
    inputs: int

    def __add__(self, other: Found) -> Found:
        worse = self if self.worst >= other.worst else other
        return Found(worse.worst, worse.at, self.total + other.total, self.inputs + other.inputs)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the functions named on the command line, or all of them."""
    command = parser(__doc__)
    command.add_argument(
        "functions", nargs="*", help="names of operations, as in `exp erf`; all if none is named"
    )
    command.add_argument(
        "--dtype", action="append", choices=[dtype.name for dtype in DTYPES], help="only these"
    )
    command.add_argument(
        "--sample", type=int, default=CHUNK, help="float32 inputs of a function (default: %(default)s)"
    )
    command.add_argument(
        "--exhaustive", action="store_true", help="all 2³² float32 inputs of each function of one operand"
    )
    command.add_argument(
        "--draws",
        type=int,
        default=CHUNK,
        help="draws where inputs cannot all be taken (default: %(default)s)",
    )
    command.add_argument(
        "--shard",
        type=shard_of,
        default=(1, 1),
        metavar="K/N",
        help="every n-th chunk from the k-th on (default: 1/1)",
    )
    command.add_argument(
        "--function-error", type=float, help="of the plan: relaxed forms are taken up to this error"
    )
    command.add_argument("--state", type=Path, help="file of finished chunks, which are not computed again")
    parsed = command.parse_args(arguments)
    functions = {op.name.lower(): op for op in (*UNARY, *ELEMENTARY_BINARY)}
    unknown = [name for name in parsed.functions if name.lower() not in functions]
    if unknown:
        command.error(f"there is no function {unknown[0]!r} to measure; name some of: {', '.join(functions)}")
    wanted = [functions[name.lower()] for name in parsed.functions] or list(functions.values())
    dtypes = [dtype for dtype in DTYPES if not parsed.dtype or dtype.name in parsed.dtype]
    try:
        rows = [row for op in wanted for dtype in dtypes if (row := measure(op, dtype, parsed)) is not None]
    except StateError as error:
        command.error(str(error))
    publish("accuracy", rows, parsed)


def measure(op: Op, dtype: DType, arguments: Any) -> dict[str, Any] | None:
    """One row of the table; None if another shard has all chunks."""
    number, shards = arguments.shard
    kind, chunks = inputs_of(op, dtype, arguments)
    done = finished(arguments.state)
    found: Found | None = None
    for position, make in enumerate(chunks):
        if position % shards != number - 1 and arguments.state is None:
            continue
        key = f"{op.name} {dtype.name} {kind} {position} {_code(op, dtype, arguments.function_error)}"
        if position % shards != number - 1 and key not in done:
            continue
        if key not in done:
            done[key] = errors_of(op, dtype, *make(), error=arguments.function_error)
            _keep(arguments.state, key, done[key])
        found = done[key] if found is None else found + done[key]
    if found is None:
        return None
    return {
        "function": op.name.lower(),
        "dtype": dtype.name,
        "max_ulp": round(found.worst, 4),
        "at": ", ".join(f"{value!r}" for value in found.at),
        "mean_ulp": round(found.total / max(1, found.inputs), 4),
        "inputs": found.inputs,
        "kind": kind,
    }


@cache
def _code(op: Op, dtype: DType, error: float | None) -> str:
    """A digest of the kernels' source, so that chunks which other code computed are not used again."""
    sources = [kernel.source for kernel in program(op, dtype, SMALL, error).kernels]
    return sha256("".join(sources).encode()).hexdigest()[:16]


def shard_of(text: str) -> tuple[int, int]:
    """k and n of `k/n`."""
    try:
        number, shards = map(int, text.split("/"))
    except ValueError:
        number = shards = 0
    if not 1 <= number <= shards:
        raise ArgumentTypeError(f"{text!r} is not k/n with 1 <= k <= n, as in 2/8")
    return number, shards


Chunk = Callable[[], tuple[np.ndarray, ...]]


def inputs_of(op: Op, dtype: DType, arguments: Any) -> tuple[str, Iterator[Chunk]]:
    """How the inputs are chosen, in words, and functions that make each chunk of them."""
    if op in ELEMENTARY_BINARY:
        return f"{arguments.draws} draws", _draws(op, dtype, arguments.draws, 2)
    if dtype.bits == 16:
        patterns = np.arange(1 << 16, dtype=np.uint32)
        return "all", iter([lambda: (_from_patterns(patterns, dtype),)])
    if dtype == float64:
        return f"{arguments.draws} draws", _draws(op, dtype, arguments.draws, 1)
    if arguments.exhaustive:
        return "all, spread evenly", (
            lambda start=start: (_singles(start, CHUNK, STRIDE),) for start in range(0, PATTERNS, CHUNK)
        )
    starts = range(0, arguments.sample, CHUNK)
    sample = arguments.sample
    return f"{sample} spread evenly", (
        lambda start=start: (_singles(start, min(CHUNK, sample - start), STRIDE),) for start in starts
    )


def errors_of(op: Op, dtype: DType, *operands: np.ndarray, error: float | None = None) -> Found:
    """The errors of what the device computes, against exact values."""
    size = operands[0].size
    length = SMALL if size <= SMALL else CHUNK
    padded = [np.concatenate([each, np.ones(length - size, each.dtype)]) for each in operands]
    result = np.asarray(program(op, dtype, length, error)(*padded))[:size].astype(
        operands[0].dtype, copy=False
    )
    blocks = (slice(start, start + BLOCK) for start in range(0, size, BLOCK))
    return reduce(
        add, (_judge(op, dtype, result[block], [each[block] for each in operands]) for block in blocks)
    )


def _judge(op: Op, dtype: DType, result: np.ndarray, operands: Sequence[np.ndarray]) -> Found:
    with np.errstate(all="ignore"):
        off = units_off(result, exact_values(op, operands), dtype)
    worst = int(np.argmax(off))
    at = tuple(float(each[worst]) for each in operands)
    finite = off if np.isfinite(off[worst]) else off[np.isfinite(off)]
    return Found(float(off[worst]), at, float(finite.sum()), result.size)


@cache
def program(op: Op, dtype: DType, size: int, error: float | None = None) -> eq.Program:
    """The function on arrays of one size, compiled as users' programs are."""
    operands = [UOp.param(slot, size, dtype) for slot in range(2 if op in ELEMENTARY_BINARY else 1)]
    return eq.compile(UOp.sink(operands[0].alu(op, *operands[1:])), eq.Plan(function_error=error))


def exact_values(op: Op, operands: Sequence[np.ndarray]) -> np.ndarray:
    """The values of a function, with more digits than the operands have."""
    wide = np.longdouble if operands[0].dtype == np.float64 else np.float64
    values = [each.astype(wide) for each in operands]
    match op:
        case Op.SQRT:
            return np.sqrt(values[0])
        case Op.RECIP:
            return 1 / values[0]
        case Op.FMOD:
            return elementary(op, "", *operands).astype(wide)
        case Op.ERF | Op.ERFC if wide is np.float64:
            return (special.erf if op is Op.ERF else special.erfc)(values[0])
        case Op.GELU if wide is np.float64:
            gelu = values[0] / 2 * special.erfc(-values[0] * np.sqrt(0.5))
            return np.where(values[0] == -np.inf, -0.0, gelu)
        case _:
            assert op in ELEMENTARY
            return np.asarray(FUNCTIONS[op](*values))


def units_off(result: np.ndarray, exact: np.ndarray, dtype: DType) -> np.ndarray:
    """Errors in units in the last place of `dtype`: infinite where a NaN, or the sign of a zero, is wrong.

    An infinity counts as the power of two that would follow the largest number.
    """
    if exact.dtype != np.float64:
        return _units_off(result, exact, dtype)
    digits, least, greatest = FORMATS[dtype.name]
    # The greatest power of two that is no greater; infinite for infinities
    power = (exact.view(np.int64) & EXPONENT).view(np.float64)
    off = np.abs(result - exact)
    off *= 2.0**digits
    off /= np.maximum(power, 2.0**least)
    others = np.flatnonzero(~(off < np.inf) | (power > 2.0**greatest) | (result == 0))
    off[others] = _units_off(result[others], exact[others], dtype)
    return off


def _units_off(result: np.ndarray, exact: np.ndarray, dtype: DType) -> np.ndarray:
    """The same for any values, five times as slow."""
    digits, least, greatest = FORMATS[dtype.name]
    limit = np.ldexp(exact.dtype.type(1), greatest + 1)
    meant = np.clip(exact, -limit, limit)
    got = np.clip(result.astype(exact.dtype), -limit, limit)
    exponent = np.where(meant == 0, least, np.clip(np.frexp(meant)[1] - 1, least, greatest))
    off = np.ldexp(np.abs(got - meant), digits - exponent)
    wrong = np.isnan(result) != np.isnan(exact)
    wrong |= (result == 0) & (exact == 0) & (np.signbit(result) != np.signbit(exact))
    off = np.where(np.isnan(exact) & np.isnan(result), 0, off)
    return np.where(wrong, np.inf, off).astype(np.float64)


def limit_of(op: Op) -> float:
    """The allowed error of a function in units in the last place."""
    return 0.0 if op is Op.FMOD else LIMITS.get(op, LIMIT)


def _singles(start: int, count: int, stride: int) -> np.ndarray:
    numbers = np.arange(start, start + count, dtype=np.uint64) * np.uint64(stride)
    return numbers.astype(np.uint32).view(np.float32)


def _from_patterns(patterns: np.ndarray, dtype: DType) -> np.ndarray:
    """Values by their bits; a bfloat16 is held in a float32, as NumPy has none."""
    if dtype == bfloat16:
        return (patterns.astype(np.uint32) << 16).view(np.float32)
    return patterns.astype(f"u{dtype.itemsize}").view(to_numpy(dtype))


def _draws(op: Op, dtype: DType, count: int, operands: int) -> Iterator[Chunk]:
    for number, start in enumerate(range(0, count, CHUNK)):
        size = min(CHUNK, count - start)
        yield lambda number=number, size=size: draw(op, dtype, size, operands, number)


def draw(op: Op, dtype: DType, size: int, operands: int, seed: int) -> tuple[np.ndarray, ...]:
    """Random bits, ordinary numbers, and neighbours of hard places, for each operand; some pairs of operands are close to each other."""
    random = np.random.default_rng([seed, op.value])
    columns = [_column(dtype, size, random) for _ in range(operands)]
    if operands == 2:
        close = random.random(size) < 0.1
        with np.errstate(all="ignore"):
            columns[1] = np.where(close, columns[0] * columns[0].dtype.type(1.25), columns[1])
            if op is Op.LOGADDEXP:  # where terms cancel: log(1 - e^y) and its neighbours
                cancelling = np.log1p(-np.exp(-np.abs(columns[1], dtype=np.float64)))
                cancelling *= 1 + random.choice([-1, 0, 1], size) * 2.0 ** random.integers(-52, 0, size)
                chosen = random.random(size) < 0.05
                columns = [
                    np.where(chosen, cancelling, columns[0]),
                    np.where(chosen, -np.abs(columns[1]), columns[1]),
                ]
        columns = [_rounded(column, dtype) for column in columns]
    return tuple(np.where(np.isnan(column), column.dtype.type(np.nan), column) for column in columns)


def _column(dtype: DType, size: int, random: np.random.Generator) -> np.ndarray:
    bits = random.integers(0, 1 << dtype.bits, size, np.uint64)
    places = np.array(PLACES) * random.choice([-1.0, 1.0], len(PLACES))
    steps = random.standard_normal(size) * 2.0 ** random.integers(0, 24, size)
    with np.errstate(all="ignore"):
        near = random.choice(places, size) * (
            1 + steps * 2.0 ** -min(52, {16: 10, 32: 23, 64: 52}[dtype.bits])
        )
        ordinary = random.uniform(-40, 40, size) * 10.0 ** random.uniform(-3, 1.5, size)
        drawn = np.choose(random.integers(0, 2, size), [near, ordinary])
        values = _rounded(drawn, dtype)
    return np.where(random.random(size) < 1 / 3, _from_patterns(bits, dtype), values)


def _rounded(values: np.ndarray, dtype: DType) -> np.ndarray:
    with np.errstate(all="ignore"):
        if dtype != bfloat16:
            return values.astype(to_numpy(dtype))
        return (values.astype(np.float32).view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)


class StateError(ValueError):
    """A file of finished chunks contains something that this benchmark did not write."""


def finished(state: Path | None) -> dict[str, Found]:
    """The finished chunks in a file. A last line without an end was left by a killed run, and is cut off.

    Raises:
        StateError: any other line is damaged.
    """
    if state is None or not state.exists():
        return {}
    *lines, unfinished = state.read_bytes().split(b"\n")
    if unfinished:
        os.truncate(state, state.stat().st_size - len(unfinished))
    found: dict[str, Found] = {}
    for number, line in enumerate(lines, 1):
        check, _, text = line.partition(b" ")
        if check != _check(text):
            raise StateError(
                f"line {number} of {state} is damaged: delete it, and its chunk is computed anew, or name another file"
            )
        chunk = json.loads(text)
        key, at = chunk.pop("key"), tuple(chunk.pop("at"))
        found[key] = Found(at=at, **chunk)
    return found


def _keep(state: Path | None, key: str, found: Found) -> None:
    if state is not None:
        text = json.dumps({"key": key, **asdict(found)}).encode()
        with state.open("ab", buffering=0) as file:  # one write: shards may share the file
            file.write(_check(text) + b" " + text + b"\n")


def _check(text: bytes) -> bytes:
    return b"%08x" % crc32(text)


if __name__ == "__main__":
    main()
