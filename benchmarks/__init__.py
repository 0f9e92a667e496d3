"""Measurements, each run alone: `python -m benchmarks.NAME [--json] [--save]`. They print ratios and assert nothing.

- `kernels`: time to run, beside NumPy, JAX, torch, torch.compile and tinygrad, on 64 workloads.
- `autobatch`: functions with loops and recursion over a batch, beside numba, JAX and NumPy.
- `speed`: time to optimize, compile and run, beside NumPy.
- `optimize_time`: time from graph to rendered source, beside tinygrad's for the same operation.
- `symbolic`: scalar and index expressions simplified, beside a peer's results in a file of cases.
- `ranking`: how well cost models rank variants of one function (other extractions, other schedules), beside measured times.
- `gaps`: how far chosen kernels can be from the best choice, under the same prices.
- `gym`: cost, bound, gap and time of extractors on a directory of extraction-gym files.
- `scaling`: time to source against the size of the graph, chains and unrolled loops.
- `forms`: elementary functions in the forms that bounds allow, beside their full forms.
"""
