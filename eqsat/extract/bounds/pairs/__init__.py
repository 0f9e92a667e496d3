"""Bounds and solves problems that are maximum-cut problems: each root chooses one of two nodes, and at most two choices share a leaf."""
