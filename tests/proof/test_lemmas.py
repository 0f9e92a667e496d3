"""What proofs take for granted is true."""

import random

import z3

from eqsat.proof.proving.integers import Integers


def test_facts_about_products_hold_for_all_divisions():
    """The variables are replaced by real quotients and remainders, of any sign."""
    encoding = Integers()
    x, y, c, d, e = (z3.Int(name) for name in "xycde")
    encoding.divide(x, c)
    encoding.divide(y, d)
    encoding.divide(c, d)
    encoding.divide(x * y, c)
    facts = [*encoding.hypotheses, *encoding.lemmas([c, d, e])]
    chance = random.Random(0)
    for _ in range(300):
        numbers = {name: chance.randint(-30, 30) or 1 for name in "xycde"}
        values = [(z3.Int(name), z3.IntVal(number)) for name, number in numbers.items()]
        for number, division in enumerate(encoding.divisions.values()):
            dividend, divisor = (
                z3.simplify(z3.substitute(term, *values)).as_long()
                for term in (division.dividend, division.divisor)
            )
            values.append((z3.Int(f"quotient {number}"), z3.IntVal(dividend // divisor)))
            values.append((z3.Int(f"remainder {number}"), z3.IntVal(dividend % divisor)))
        for fact in facts:
            assert z3.is_true(z3.simplify(z3.substitute(fact, *values))), (fact, numbers)
