"""Specialization of graphs with dynamic extents: plain numbers take the place of extents that only calls know.

`dynamic_extents` finds the extents of a graph, and `binding` their values in the shapes of a call's arrays. `specialize` rebuilds the graph for
capacities, for values or for narrower bounds. `capacities` chooses numbers that can be told apart, so that extents can take their place again.
"""
