"""Auto-batched functions beside numba's guvectorize, JAX's vmap, TensorFlow Probability's auto-batching and our machine in NumPy.

Each library runs in a process of its own; they take turns. numba and JAX may be installed elsewhere: `--python` names the interpreter that has them.
"""
