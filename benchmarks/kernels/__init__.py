"""Measures speed beside other array libraries, on 64 workloads: `python -m benchmarks.kernels`.

Each library runs in a process of its own, with its default number of threads. They take turns. A turn is a rest, a call to warm up, and
calls for 20 milliseconds. Results are compared with NumPy's in float64. A library that fails, is wrong or hangs has no time, and the reason
is printed. `ratio` is the median time of the best other library over eqsat's; `least_ratio` is the same for the least times. `busy` and
`best_busy` are the processor time of a call divided by the number of cores, for eqsat and for the best other library. Times are in
milliseconds. `by_hand` runs kernels that were written by hand for eight of the workloads; it never counts as the best other library.
`over_by_hand` and `least_over_by_hand` are eqsat's median and least time over those of `by_hand`. The last columns are the times of such
kernels on two Zen 4 cores, by compiler.

`python -m benchmarks.kernels --drawn SEED --count 50` instead measures workloads that nobody chose. Kinds that users of these libraries run
take turns, and the seed draws their extents, element types and axes.
"""
