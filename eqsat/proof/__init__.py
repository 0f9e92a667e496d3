"""The machine check of rewrite rules: proofs by Z3 where arithmetic is integral, samples through the reference elsewhere.

`verify` takes rules and gives a `VerificationReport`. Each rule makes one *obligation* for each choice of dtypes. Those over single
fixed-width integers, indices and bools are stated in Z3 (`claim`, in one of two encodings: `bitvectors`, `integers`) and proved; the others are
drawn at random (`draw`), evaluated by the reference and compared (`agreement`). Either way a wrong rule gives a `Counterexample`.
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
