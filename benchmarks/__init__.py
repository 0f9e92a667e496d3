"""Measurements, each run alone: `python -m benchmarks.NAME [--json] [--save]`. They print ratios and assert nothing.

- `kernels`: time to run, beside NumPy, JAX, torch, torch.compile and tinygrad, on 64 workloads.
- `autobatch`: functions with loops and recursion over a batch, beside numba, JAX and NumPy.
- `speed`: time to optimize, compile and run, beside NumPy.
- `optimize_time`: time from graph to rendered source, beside tinygrad's for the same operation.
- `symbolic`: simplification of scalar and index expressions, beside a peer's results in a file of cases.
- `ranking`: how well cost models rank variants of one function (other extractions, other schedules), compared with measured times.
- `gaps`: how far the chosen kernels may be above the best choice, at the same prices.
- `gym`: cost, bound, gap and time of extractors on a directory of extraction-gym files.
- `scaling`: time to source against the size of the graph, for chains and unrolled loops.
- `forms`: elementary functions in the forms that bounds allow, beside their full forms.
"""
