"""The rules that come with eqsat, topic by topic."""

from __future__ import annotations

from eqsat.rules.bitcasts import bitcasts
from eqsat.rules.bits import bits
from eqsat.rules.booleans import booleans
from eqsat.rules.broadcast import broadcast
from eqsat.rules.casts import casts
from eqsat.rules.choices import choices
from eqsat.rules.comparisons import comparisons
from eqsat.rules.division import division
from eqsat.rules.extremes import extremes
from eqsat.rules.floats import contraction, floats
from eqsat.rules.functions import functions
from eqsat.rules.loads import loads
from eqsat.rules.materialization import materialization
from eqsat.rules.movement import movement
from eqsat.rules.ranges import ranges
from eqsat.rules.real_algebra import real_algebra
from eqsat.rules.reduce import reduction, reduction_algebra, reduction_order
from eqsat.rules.rule import RuleSet
from eqsat.rules.sums import sums
from eqsat.rules.tensor_algebra import tensor_algebra
from eqsat.rules.vectors import vectors

SCALAR_TOPICS = (sums, division, comparisons, booleans, choices, extremes, bits)
ARRAY_TOPICS = (
    broadcast,
    casts,
    bitcasts,
    floats,
    contraction,
    real_algebra,
    functions,
    movement,
    reduction,
    reduction_order,
    reduction_algebra,
    ranges,
    tensor_algebra,
    materialization,
)
KERNEL_TOPICS = (loads, vectors)

INDEX_LIBRARY = sum((topic.ruleset for topic in SCALAR_TOPICS), RuleSet())  # for index arithmetic alone
LIBRARY = sum((topic.ruleset for topic in (*ARRAY_TOPICS, *KERNEL_TOPICS)), INDEX_LIBRARY)
