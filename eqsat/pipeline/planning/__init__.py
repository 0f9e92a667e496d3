"""Plans of compilation, and the parts of it: where a program runs, its cheapest graph, its launches, and the cache of plans."""
