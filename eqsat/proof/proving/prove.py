"""Proves an obligation with Z3: if its negation has no model, it holds; a model of the negation is a counterexample."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

import z3

from eqsat.ops import DIVISIONS, SHIFTS, Op
from eqsat.proof.matches.counterexample import Counterexample
from eqsat.proof.obligation import Obligation
from eqsat.proof.proving.bitvectors import BitVectors
from eqsat.proof.proving.cases import cases_of
from eqsat.proof.proving.claim import Claim, claim
from eqsat.proof.proving.encoding import Encoding, UnsupportedError
from eqsat.proof.proving.integers import Integers
from eqsat.proof.proving.refute import counterexample
from eqsat.rules.language.walking import nodes_of

VACUITY_MILLISECONDS = 200  # to find values that satisfy the hypotheses

_PRODUCTS = DIVISIONS | {Op.MUL, Op.MULACC}
_BITWISE = SHIFTS | {Op.AND, Op.OR, Op.XOR}


@dataclass(frozen=True, slots=True)
class Attempt:
    """One way to prove a claim: an encoding, a solver, and the share of the remaining time that it may take."""

    encoding: type[Encoding]
    solver: Callable[[z3.Context], z3.Solver]
    share: float


def _solver(ctx: z3.Context) -> z3.Solver:
    """The default solver of Z3, which chooses a strategy itself."""
    return z3.Solver(ctx=ctx)


def _eliminating_solver(ctx: z3.Context) -> z3.Solver:
    """Solves equations for variables first, then runs the plain solver of Z3. It is quick on the division law."""
    steps = (z3.Tactic(name, ctx) for name in ("simplify", "propagate-values", "solve-eqs", "smt"))
    return z3.Then(*steps).solver()


BY_INTEGERS = (
    Attempt(Integers, _eliminating_solver, 0.6),
    Attempt(Integers, _solver, 0.5),
    Attempt(Integers, _eliminating_solver, 0.6),
    Attempt(BitVectors, _solver, 1.0),
)
BY_BITS = (Attempt(BitVectors, _solver, 0.6), Attempt(Integers, _eliminating_solver, 1.0))


class Verdict(Enum):
    """The outcome of an attempt at a proof."""

    PROVED = "proved"
    REFUTED = "refuted"
    VACUOUS = "vacuous"  # nothing satisfies the hypotheses
    TIMED_OUT = "timed out"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True, slots=True)
class Proof:
    """The result of an attempt.

    Attributes:
        verdict: the outcome.
        encoding: the name of the encoding that succeeded, or that failed last.
        cases: the number of constants that were tried one by one; 1 if there was no case distinction.
        counterexample: shows that the rule is wrong; None if it is not refuted.
    """

    verdict: Verdict
    encoding: str = ""
    cases: int = 1
    counterexample: Counterexample | None = None


def prove(obligation: Obligation, seconds: float) -> Proof:
    """Tries to prove a pointwise, integral obligation within about `seconds`; if these are 0, no proof is tried."""
    cases = cases_of(obligation)
    if cases is None:
        return Proof(Verdict.UNSUPPORTED)
    deadline = time.perf_counter() + seconds
    proofs: list[Proof] = []
    for constants in cases.choices:
        proofs.append(_prove_case(obligation, constants, deadline))
        if proofs[-1].verdict not in (Verdict.PROVED, Verdict.VACUOUS):
            return proofs[-1]
    proved = [proof for proof in proofs if proof.verdict is Verdict.PROVED]
    if not proved:
        return Proof(Verdict.VACUOUS)
    return Proof(Verdict.PROVED if cases.complete else Verdict.UNSUPPORTED, proved[0].encoding, len(proved))


def _prove_case(obligation: Obligation, constants: Mapping[str, int], deadline: float) -> Proof:
    """Tries one attempt after the other on one case."""
    last = Proof(Verdict.UNSUPPORTED)
    for seed, attempt in enumerate(_attempts(obligation)):
        try:
            stated = claim(obligation, attempt.encoding(), constants)
        except UnsupportedError:
            continue
        remaining = deadline - time.perf_counter()
        if remaining <= 0:
            return Proof(Verdict.TIMED_OUT, stated.encoding.name)
        context = z3.Context()  # a new one, so that no proof depends on those before
        for facts in stated.cases(context):
            solver = attempt.solver(context)
            solver.set("random_seed", seed)
            solver.set("timeout", max(1, int(attempt.share * remaining * 1000)))
            solver.add(*facts)
            last = _conclude(stated, solver)
            if last.verdict is not Verdict.PROVED:
                break
        if last.verdict is not Verdict.TIMED_OUT:
            break
    return last


def _attempts(obligation: Obligation) -> tuple[Attempt, ...]:
    """The attempts that suit the rule's operations."""
    operations = {node.op for node in nodes_of(obligation.rule.left, obligation.rule.right)}
    return BY_INTEGERS if operations & _PRODUCTS and not operations & _BITWISE else BY_BITS


def _conclude(stated: Claim, solver: z3.Solver) -> Proof:
    """Runs a solver on the negated claim."""
    name = stated.encoding.name
    result = solver.check()
    if result == z3.unsat:
        return Proof(Verdict.VACUOUS if _is_vacuous(stated) else Verdict.PROVED, name)
    if result == z3.sat:
        return Proof(Verdict.REFUTED, name, counterexample=counterexample(stated, solver.model()))
    return Proof(Verdict.TIMED_OUT, name)


def _is_vacuous(stated: Claim) -> bool:
    solver = z3.Solver()
    solver.set("timeout", VACUITY_MILLISECONDS)
    solver.add(*stated.hypotheses)
    return solver.check() == z3.unsat
