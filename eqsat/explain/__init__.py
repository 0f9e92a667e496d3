"""Explanations: chains of named rules, found after the fact and replayed step by step.

egglog keeps no proofs. So both ends of a result, what was written and what was found, are put into a small congruence closure that remembers why
terms are equal (`forest`), and the same rules are applied to it (`matching`, `search`) until the ends meet; what the e-graph does beside the rules is
done by the same code (`claims`). The path between the ends becomes a chain (`derive`). `replay` checks it with means of its own: sides of rules
are built and compared, guards are evaluated with bounds of the terms at hand (`bounds`), and each theory step has a short check (`theories`).
"""

from eqsat.explain.chain import Explanation, Lemma, Step, StepKind
from eqsat.explain.search import Limits
from eqsat.explain.simplification import explain_by_simplifying, explain_equality, explain_simplification
from eqsat.explain.theories import THEORIES

__all__ = [
    "THEORIES",
    "Explanation",
    "Lemma",
    "Limits",
    "Step",
    "StepKind",
    "explain_by_simplifying",
    "explain_equality",
    "explain_simplification",
]
