"""Random numbers from explicit keys, by the counter-based generator Philox4x32-10.

A key is a uint64. Functions take one key or an array of keys. Every function is pure: the same key gives the same numbers in every order and
batch and on every device. So use a key once, and split it for further use. A draw from keys of shape S has shape S + `shape`; each key gives
the same numbers as alone. A longer draw begins with the numbers of a shorter one.

>>> import eqsat as eq
>>> key = eq.random.key(42)
>>> eq.random.bits(key, 4).numpy()
array([2632642643, 2012563771,  314527917, 1463989207], dtype=uint32)
>>> keys = eq.random.split(key, 3)
>>> keys.shape, eq.random.uniform(keys, (2,)).shape
((3,), (3, 2))

Source: J. K. Salmon et al., Parallel random numbers: as easy as 1, 2, 3 (SC'11).
"""

from eqsat.array.random.continuous import exponential, normal, uniform
from eqsat.array.random.discrete import bernoulli, bits, categorical, randint
from eqsat.array.random.keys import fold_in, key, split

__all__ = [
    "bernoulli",
    "bits",
    "categorical",
    "exponential",
    "fold_in",
    "key",
    "normal",
    "randint",
    "split",
    "uniform",
]
