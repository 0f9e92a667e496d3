"""The rules that come with eqsat, topic by topic."""

from __future__ import annotations

from eqsat.rules.conversions.bitcasts import bitcasts
from eqsat.rules.conversions.casts import casts
from eqsat.rules.integers.bits import bits
from eqsat.rules.integers.booleans import booleans
from eqsat.rules.integers.choices import choices
from eqsat.rules.integers.comparisons import comparisons
from eqsat.rules.integers.division import division
from eqsat.rules.integers.extremes import extremes
from eqsat.rules.integers.sums import sums
from eqsat.rules.kernels.loads import loads
from eqsat.rules.kernels.vectors import vectors
from eqsat.rules.language.rule import RuleSet
from eqsat.rules.movements.broadcast import broadcast
from eqsat.rules.movements.materialization import materialization
from eqsat.rules.movements.movement import movement
from eqsat.rules.reals.floats import contraction, floats
from eqsat.rules.reals.functions import functions
from eqsat.rules.reals.real_algebra import real_algebra
from eqsat.rules.reductions.byte_products import byte_products
from eqsat.rules.reductions.joined import joined
from eqsat.rules.reductions.narrow_sums import narrow_sums
from eqsat.rules.reductions.pairs import reduction_pairs
from eqsat.rules.reductions.ranges import ranges
from eqsat.rules.reductions.reduce import reduction, reduction_algebra, reduction_order
from eqsat.rules.reductions.scans import scans
from eqsat.rules.reductions.scatters import scatters
from eqsat.rules.reductions.softmax import softmax_products
from eqsat.rules.reductions.tensor_algebra import tensor_algebra

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
    reduction_pairs,
    softmax_products,
    byte_products,
    narrow_sums,
    ranges,
    joined,
    scans,
    scatters,
    tensor_algebra,
    materialization,
)
KERNEL_TOPICS = (loads, vectors)

INDEX_LIBRARY = sum((topic.ruleset for topic in SCALAR_TOPICS), RuleSet())  # for index arithmetic alone
LIBRARY = sum((topic.ruleset for topic in (*ARRAY_TOPICS, *KERNEL_TOPICS)), INDEX_LIBRARY)
