"""Measures auto-batched functions beside numba's guvectorize, JAX's vmap, TensorFlow Probability's auto-batching and eqsat's NumPy machine.

Each library runs in a process of its own; they take turns. The peers may be installed elsewhere: `--python` names the interpreter that has them.
`--nuts` compares samplers instead: see `benchmarks.autobatch.nuts`.
"""
