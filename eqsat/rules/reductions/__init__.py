"""Rules about sums, products and extremes over axes.

Several modules add rules to the topic `reduction_order`. They are imported here, so its rules have one order, whichever module is imported first.
"""

from eqsat.rules.reductions import joined as joined
from eqsat.rules.reductions import ranges as ranges
from eqsat.rules.reductions import reduce as reduce
from eqsat.rules.reductions import scans as scans
from eqsat.rules.reductions import scatters as scatters
