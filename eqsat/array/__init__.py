"""Lazy arrays with the names of the Python array API standard.

An `Array` holds a graph of UOps. Functions follow NumPy's broadcasting, promotion and edge cases; `data`
turns the graphs of arrays into programs with numbered arguments. Each module lists its public functions in its `__all__`.
"""

from math import e, inf, nan, pi

from eqsat.array import (
    conversion,
    core,
    creation,
    custom,
    elementwise,
    indexing,
    linalg,
    mathematics,
    movement,
    nans,
    neural,
    quantiles,
    random,
    reduction,
    sharding,
    signals,
    sorting,
    statistics,
    vectors,
    windows,
)
from eqsat.array.conversion import *
from eqsat.array.core import *
from eqsat.array.creation import *
from eqsat.array.custom import *
from eqsat.array.elementwise import *
from eqsat.array.indexing import *
from eqsat.array.linalg import *
from eqsat.array.mathematics import *
from eqsat.array.movement import *
from eqsat.array.nans import *
from eqsat.array.neural import *
from eqsat.array.quantiles import *
from eqsat.array.reduction import *
from eqsat.array.sharding import *
from eqsat.array.signals import *
from eqsat.array.sorting import *
from eqsat.array.statistics import *
from eqsat.array.vectors import *
from eqsat.array.windows import *

newaxis = None  # a subscript that adds an axis

__all__ = ["e", "inf", "nan", "newaxis", "pi", "random"]
__all__ += conversion.__all__
__all__ += core.__all__
__all__ += creation.__all__
__all__ += custom.__all__
__all__ += elementwise.__all__
__all__ += indexing.__all__
__all__ += linalg.__all__
__all__ += mathematics.__all__
__all__ += movement.__all__
__all__ += nans.__all__
__all__ += neural.__all__
__all__ += quantiles.__all__
__all__ += reduction.__all__
__all__ += sharding.__all__
__all__ += signals.__all__
__all__ += sorting.__all__
__all__ += statistics.__all__
__all__ += vectors.__all__
__all__ += windows.__all__
