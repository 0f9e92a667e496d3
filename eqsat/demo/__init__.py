"""The programs of `eqsat demo`, which run on real data and are checked against NumPy, and the named examples of `eqsat explain`."""
