"""Explanations: chains of named rules, found after the fact and replayed step by step.

egglog keeps no proofs. So the original term and the simplified term are put into a small congruence closure that remembers why terms are equal
(`congruence`). The same rules (`matching`, `search`) and the same theories (`theory_links`) are applied to it until both terms are in one class. The
path between them becomes a chain of steps (`derive`). `replay` checks the chain independently: it builds the sides of each rule and compares them,
evaluates guards with bounds of the terms at hand, and runs a short check for each theory step (`theory_checks`).
"""

from eqsat.explain.explanation import Explanation
from eqsat.explain.search import Limits
from eqsat.explain.simplification import explain_by_simplifying, explain_equality, explain_simplification
from eqsat.explain.steps import Lemma, Step, StepKind
from eqsat.explain.theory_checks import THEORIES

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
