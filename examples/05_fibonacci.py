"""A recursive function over a batch, as one kernel: each member takes its own path."""

import numpy as np

import eqsat as eq


@eq.autobatch.batch
def fibonacci(n: int) -> int:
    """As one writes it for one number."""
    if n <= 1:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


numbers = np.random.default_rng(0).integers(0, 13, 10_000).astype(np.int32)
print("the first members:", numbers[:8].tolist(), "->", fibonacci(numbers)[:8].tolist())

program = fibonacci.compiled(numbers)
print("stacks:", [name for name, how in program.lowered.var_alloc.items() if how.value == "full"])
program.run([numbers[:100]], machine="numpy")
assert program.statistics is not None
print("deepest:", max(program.statistics.depths.values()))
