"""Mutation testing: how many small changes of the table of operations, of `spec` and of code generation make a test fail."""
