"""Speed beside other array libraries, on 64 workloads: `python -m benchmarks.kernels`.

Each library runs in a process of its own, with as many threads as it takes by itself. They take turns; a turn is a rest, a call to warm
up, and calls for 20 milliseconds. Results are compared with NumPy's in float64; a library that fails, is wrong or hangs has no time, and
the reason is told. `ratio` is the median time of the best other library over eqsat's, `least_ratio` the same of the least times.
`busy` is the processor time of a call divided by the number of cores, of eqsat and of the best other library. Times are in milliseconds.
`by_hand` runs kernels that were written for eight of the workloads; `over_by_hand` and `least_over_by_hand` are eqsat's median and least time
over theirs, and they never count as the best other library. The last columns are such kernels on two Zen 4 cores, by compiler.

`python -m benchmarks.kernels --drawn SEED --count 50` measures workloads that nobody chose instead: kinds that users of these libraries run
take turns, and the seed draws their extents, element types and axes.
"""
