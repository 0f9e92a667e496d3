"""Plausible rules that are wrong: what a verification of rules is worth shows in how many of these it refutes."""

from tests.rules.planted.arrays import wrong_arrays
from tests.rules.planted.kernels import wrong_kernels
from tests.rules.planted.scalars import wrong_scalars

WRONG = wrong_scalars.ruleset + wrong_arrays.ruleset + wrong_kernels.ruleset
