"""Turns a model of a negated claim into a counterexample that the reference confirms."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import z3

from eqsat.proof.matches.agreement import compare
from eqsat.proof.matches.counterexample import Counterexample
from eqsat.proof.matches.match import Data, Match, match
from eqsat.proof.obligation import Obligation
from eqsat.proof.proving.claim import Claim
from eqsat.proof.proving.limited import limited
from eqsat.reference.number import hold
from eqsat.rules.language.instantiate import build
from eqsat.rules.language.scalar import Type
from eqsat.uop import UOp

SMALLER_MILLISECONDS = 200  # to look for a smaller model, each time
GREATEST_EXPONENT = 64  # powers of two below this exponent are tried as limits of magnitudes


def counterexample(stated: Claim, model: z3.ModelRef) -> Counterexample:
    """The counterexample from a model of the negated claim, or from a smaller model if one is found quickly.

    The reference must find a difference too. If it finds none, the encoding and the reference disagree about an operation.
    """
    model = _smaller_model(stated, model.ctx) or model
    numbers = dict(stated.constants)
    numbers |= {name: _number(stated, model, name) for name in stated.variables}
    found, data = _match(stated.obligation, numbers)
    comparison = compare(found, data)
    assert np.any(comparison.differs), f"the prover and the reference disagree on {found.left} for {numbers}"
    confirmed = Counterexample.of_values(found, data, comparison)
    assert confirmed is not None, "single values differ on their own"
    return confirmed


def _smaller_model(stated: Claim, context: z3.Context) -> z3.ModelRef | None:
    """A model in which the magnitudes of all variables are at most the least power of two that admits a model; None if none is found in time."""
    encoding, solver = stated.encoding, limited(z3.Solver(ctx=context), SMALLER_MILLISECONDS)
    solver.add(*stated.negation(context))
    terms = [encoding.scalar(term, dtype) for term, dtype in stated.variables.values() if not dtype.is_bool]
    for exponent in range(GREATEST_EXPONENT):
        low, high = encoding.number(-(1 << exponent)), encoding.number(1 << exponent)
        limits = [encoding.operate("<=", low, term) for term in terms]
        limits += [encoding.operate("<=", term, high) for term in terms]
        if solver.check(*(limit.translate(context) for limit in limits)) == z3.sat:
            return solver.model()
    return None


def _number(stated: Claim, model: z3.ModelRef, name: str) -> int:
    term, dtype = stated.variables[name]
    term = term.translate(model.ctx)
    if dtype.is_bool:
        return z3.is_true(model.eval(term, model_completion=True))
    return stated.encoding.model_value(model, term, dtype)


def _match(obligation: Obligation, numbers: Mapping[str, int]) -> tuple[Match, Data]:
    """The match of the rule with the values, constants and bounds of a model. A variable that the model lacks may have any value."""
    rule = obligation.rule
    values = [name for name in rule.variables if name in obligation.typing.value_types]
    slots = {name: UOp.param(slot, 1, obligation.values[name]) for slot, name in enumerate(values)}
    types = [name for name, variable in rule.variables.items() if isinstance(variable, Type)]
    bindings = (
        {name: numbers.get(name, 0) for name in obligation.constants}
        | {name: obligation.values[name] for name in types}
        | {name: slot.reshape(()) for name, slot in slots.items()}
    )
    bounds = {
        name: (numbers[f"lo({name})"], numbers[f"hi({name})"]) for name in slots if f"lo({name})" in numbers
    }
    found = match(obligation, bindings, bounds, slots, build(rule.left, bindings, obligation.dtype))
    assert found is not None, f"the prover and the reference disagree whether {rule} applies to {numbers}"
    data = {
        slot: hold(np.array([numbers.get(name, 0)], object), obligation.values[name])
        for name, slot in slots.items()
    }
    return found, data
