"""Support for everything else, which knows nothing of graphs: Python's garbage collector, its forks and enumerations, and a union-find."""
