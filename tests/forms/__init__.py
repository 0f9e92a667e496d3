"""Every form in which the seeds show an operation, as a graph that runs or that `spec` refuses with the legal form."""
