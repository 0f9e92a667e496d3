"""Cost models of kernels: they predict the time of a kernel under given loops, and rank its schedules."""
