"""Results are kept under what they depend on, and only that."""

import json
import subprocess
import sys

import pytest

from eqsat.dtype import float32, int8, int64
from eqsat.proof import Result, Status, verify
from eqsat.proof.fingerprint import rule_fingerprint
from eqsat.rules.language.pattern import Value
from eqsat.rules.language.rule import INTS, Rewrite, rewrite
from eqsat.rules.language.scalar import Const, pure
from eqsat.rules.library import LIBRARY
from eqsat.runtime.cache import DiskCache
from tests.proof.declaring import FINITE, declared
from tests.rules.planted import WRONG


@pytest.fixture
def cache(tmp_path):
    made = DiskCache("proofs", tmp_path)
    yield made
    made.close()


def test_what_is_known_is_not_verified_again(cache):
    rules = [rule for rule in LIBRARY if rule.topic in ("bits", "booleans")]
    first = verify(rules, cache=cache)
    second = verify(rules, cache=cache)
    assert (first.cached, second.cached) == (0, first.obligations)
    assert [row.results for row in second.rows] == [row.results for row in first.rows]


def test_counterexamples_are_kept_whole(cache):
    rules = WRONG.rules[:1]
    first, second = (verify(rules, [float32], cache=cache) for _ in range(2))
    assert second.cached == 1
    assert second.rows[0].counterexample == first.rows[0].counterexample


def test_a_proof_that_took_too_long_is_tried_again_with_more_time(cache):
    rules = [rule for rule in LIBRARY if rule.name == "divide_remainder"]
    assert verify(rules, [int64], cache=cache, seconds=0).timed_out == 1
    assert verify(rules, [int64], cache=cache, seconds=0).cached == 1
    later = verify(rules, [int64], cache=cache, seconds=20.0)
    assert (later.cached, later.proved) == (0, 1)


def product_of_bits(x: Value, y: Value) -> Rewrite:
    """True, and no proof is found in seconds."""
    return rewrite((x & y) * (x | y) + (x & (x ^ y)) * (y & (x ^ y)), x * y)


INTERRUPTED = """
import signal, sys, threading
from pathlib import Path

from eqsat.dtype import int32
from eqsat.proof import verify
from eqsat.rules.language.rule import INTS
from eqsat.runtime.cache import DiskCache
from tests.proof.declaring import declared
from tests.proof.test_cache import product_of_bits

signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a process that a shell started in the background
rules, cache = [declared(product_of_bits, INTS)], DiskCache("proofs", Path(sys.argv[1]))
threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
try:
    verify(rules, [int32], cache=cache, seconds=1.5)
except KeyboardInterrupt:
    print("interrupted", verify(rules, [int32], cache=cache, seconds=0).cached)
"""


def test_an_interrupted_proof_is_not_kept_as_one_that_took_too_long(tmp_path):
    child = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert (child.returncode, child.stdout, child.stderr) == (0, "interrupted 0\n", "")


def scaled(factor):
    """A rule whose guard calls a function that reads `factor`."""

    @pure
    def is_multiple(value):
        return value % factor == 0

    def bits_stay(x: Value, c: Const) -> Rewrite:
        """A shift by nothing."""
        return rewrite((x + c) << 0, x + c, where=is_multiple(c))

    return declared(bits_stay, INTS)


def test_a_rule_is_known_by_its_equation_domain_class_and_functions():
    def zero(x: Value) -> Rewrite:
        """Zero adds nothing."""
        return rewrite(x + 0, x)

    def guarded(x: Value, c: Const) -> Rewrite:
        """Zero adds nothing."""
        return rewrite(x + c, x, where=c == 0)

    rules = [
        declared(zero),
        declared(zero, INTS),
        declared(zero, soundness=FINITE),
        declared(guarded),
        scaled(2),
        scaled(3),
    ]
    fingerprints = [rule_fingerprint(rule) for rule in rules]
    assert len(set(fingerprints)) == len(rules)
    assert rule_fingerprint(declared(zero)) == fingerprints[0]
    assert rule_fingerprint(scaled(2)) == fingerprints[4]


def test_a_result_is_read_back():
    result = Result("int8", Status.TIMED_OUT, "samples", integral=True, elements=3, seconds=0.5, limit=2.0)
    assert Result.from_json(json.loads(json.dumps(result.to_json()))) == result


def test_nothing_is_kept_without_a_cache():
    report = verify(WRONG.rules[-1:], [int8], cache=None)
    assert report.cached == 0
