"""Verifies rewrite rules: proves them with Z3 where the arithmetic is integral, and tests them on samples elsewhere.

`verify` takes rules and returns a `VerificationReport`. A rule has one *obligation* for each choice of dtypes. Obligations about single
fixed-width integers, indices and bools are encoded in Z3 and proved (`proving`). For all others, random matches are drawn, and the reference
evaluates and compares both sides (`matches`). Both ways, a wrong rule gives a `Counterexample`.
"""

from eqsat.proof.matches.agreement import has_value
from eqsat.proof.matches.counterexample import Counterexample
from eqsat.proof.report import Result, RuleReport, Status, VerificationReport
from eqsat.proof.verification import PROOFS, verify
from eqsat.rules.language.notation import equation

__all__ = [
    "PROOFS",
    "Counterexample",
    "Result",
    "RuleReport",
    "Status",
    "VerificationReport",
    "equation",
    "has_value",
    "verify",
]
