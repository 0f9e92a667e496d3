"""Verifies rules: by proof where Z3 can state the rule, by samples elsewhere, with a cache of verdicts."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import Any

from eqsat.dtype import DType
from eqsat.errors import RuleError, brief
from eqsat.proof.fingerprint import rule_fingerprint, verifier_fingerprint
from eqsat.proof.obligation import Obligation, obligations
from eqsat.proof.proving.prover import prover_version
from eqsat.proof.report import Result, RuleReport, Status, VerificationReport
from eqsat.proof.sample import sample
from eqsat.rules.language.rule import Rule
from eqsat.rules.library import LIBRARY
from eqsat.runtime.cache import DiskCache, digest

PROOFS = DiskCache("proofs")  # results for rules
SECONDS = 2.0  # time limit of one proof
SAMPLES = 24  # matches that are sampled for one obligation
MANY_TYPES_SHARE = (
    3  # a rule with several free types has very many obligations, and a third of the matches for each
)


def verify(
    rules: Iterable[Rule] = LIBRARY,
    dtypes: Collection[DType] | None = None,
    *,
    seconds: float = SECONDS,
    samples: int = SAMPLES,
    cache: DiskCache | None = PROOFS,
    progress: Callable[[str], None] | None = None,
) -> VerificationReport:
    """Checks that rewrite rules hold in the arithmetic that really runs.

    Z3 proves claims about single integers (which wrap at their width), indices (which are unbounded) and bools. The reference checks claims
    about floats, movement and reductions on samples, and claims whose proof takes too long.

    Args:
        rules: the rules to check; by default the rules that come with eqsat.
        dtypes: the dtypes to check them on; by default all.
        seconds: the time limit of one proof.
        samples: the number of matches to draw for each choice of dtypes where there is no proof; of a rule with several free types, a third of it.
        cache: where results are stored; None stores none.
        progress: called with the name of each rule before it is checked.

    Raises:
        RuleError: `rules` contains something that is no rule, `dtypes` contains something that is no dtype, `seconds` is no number from 0, or
            `samples` is no integer from 1.

    >>> from eqsat.dtype import int8
    >>> from eqsat.rules.integers.division import division
    >>> verify(division.ruleset, [int8], cache=None).refuted
    0
    """
    started = time.perf_counter()
    rules = _require_rules(rules)
    _require_dtypes(dtypes)
    _require_amounts(seconds, samples)
    rows: list[RuleReport] = []
    cached = 0
    for rule in rules:
        if progress is not None:
            progress(rule.name)
        fingerprint = rule_fingerprint(rule)
        results: list[Result] = []
        for obligation in obligations([rule], dtypes):
            key = digest(fingerprint, verifier_fingerprint(), obligation.dtypes, str(samples))
            known = _recall(cache, key, seconds)
            cached += known is not None
            results.append(known or _check_and_keep(obligation, seconds, samples, cache, key))
        rows.append(RuleReport(rule, tuple(results)))
    return VerificationReport(tuple(rows), prover_version(), cached, time.perf_counter() - started)


def _require_amounts(seconds: Any, samples: Any) -> None:
    if not (isinstance(seconds, int | float) and seconds >= 0):
        raise RuleError(
            f"a proof takes a number of seconds from 0, not {brief(seconds)}; {SECONDS} are usual"
        )
    if not (isinstance(samples, int) and samples >= 1):
        raise RuleError(f"samples are an integer from 1, not {brief(samples)}; {SAMPLES} are usual")


def _require_rules(rules: Any) -> tuple[Rule, ...]:
    """The given rules, as a tuple.

    Raises:
        RuleError: something else is given, alone or among rules.
    """
    given: tuple[Any, ...] = tuple(rules) if isinstance(rules, Iterable) else (rules,)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    for each in given:
        if not isinstance(each, Rule):
            raise RuleError(
                f"verify takes rules, and {brief(each)} is none; give a topic's ruleset, or a list of rules"
            )
    return given


def _require_dtypes(dtypes: Any) -> None:
    """Checks that `dtypes` is a collection of dtypes, or None.

    Raises:
        RuleError: something else is given, alone or among dtypes.
    """
    if dtypes is None:
        return
    if not isinstance(dtypes, Collection) or not all(isinstance(each, DType) for each in dtypes):  # pyright: ignore[reportUnknownVariableType]
        raise RuleError(f"rules are verified on a list of dtypes, not on {brief(dtypes)}; try [eqsat.int32]")


def _recall(cache: DiskCache | None, key: str, seconds: float) -> Result | None:
    """The stored result of an obligation. None if there is none, or if a proof ran out of time and may now take longer."""
    stored = cache.get(key) if cache is not None else None
    if stored is None:
        return None
    try:
        result = Result.from_json(json.loads(stored))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None  # the entry is not ours, so the obligation is checked again
    return None if result.status is Status.TIMED_OUT and result.limit < seconds else result


def _check_and_keep(
    obligation: Obligation, seconds: float, samples: int, cache: DiskCache | None, key: str
) -> Result:
    result = check(obligation, seconds, samples)
    if cache is not None:
        cache.put(key, json.dumps(result.to_json()).encode())
    return result


def check(obligation: Obligation, seconds: float = SECONDS, samples: int = SAMPLES) -> Result:
    """Proves one obligation, or checks it on samples."""
    started = time.perf_counter()
    integral = obligation.is_pointwise and obligation.is_integral
    proved = _proved(obligation, seconds) if integral and prover_version() else None
    result = (
        proved
        if proved is not None and proved.status is not Status.TIMED_OUT
        else _sampled(obligation, samples)
    )
    if proved is not None and proved.status is Status.TIMED_OUT and result.status is Status.SAMPLED:
        result = replace(result, status=Status.TIMED_OUT)
    return replace(result, integral=integral, seconds=time.perf_counter() - started, limit=seconds)


def _proved(obligation: Obligation, seconds: float) -> Result | None:
    """The result of a proof by Z3; None if Z3 cannot express the obligation."""
    from eqsat.proof.proving.prove import Verdict, prove

    proof = prove(obligation, seconds)
    if proof.verdict is Verdict.UNSUPPORTED:
        return None
    status = {
        Verdict.PROVED: Status.PROVED,
        Verdict.REFUTED: Status.REFUTED,
        Verdict.VACUOUS: Status.UNMATCHED,
        Verdict.TIMED_OUT: Status.TIMED_OUT,
    }[proof.verdict]
    method = f"Z3, {proof.encoding}" if proof.encoding else "Z3"
    return Result(obligation.dtypes, status, method, cases=proof.cases, counterexample=proof.counterexample)


def _sampled(obligation: Obligation, samples: int) -> Result:
    found = sample(obligation, samples if len(obligation.types) == 1 else max(1, samples // MANY_TYPES_SHARE))
    status = (
        Status.REFUTED if found.counterexample else Status.SAMPLED if found.elements else Status.UNMATCHED
    )
    return Result(
        obligation.dtypes, status, "samples", elements=found.elements, counterexample=found.counterexample
    )
