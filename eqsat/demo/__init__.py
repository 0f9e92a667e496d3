"""Three programs on real data, each checked against NumPy: what `eqsat demo` runs, and the named examples of `eqsat explain`."""
