"""Specialization of graphs with dynamic extents: plain numbers take the place of extents that only calls know.

`specialize` rebuilds the graph for capacities, for values or for narrower bounds, and finds the values of a call. `capacities` chooses numbers
that can be told apart, so that extents can take their place again.
"""
