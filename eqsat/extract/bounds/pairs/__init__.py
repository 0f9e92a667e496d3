"""Bounds and solves problems that amount to maximum cut: each root chooses one of two nodes, and at most two choices share a leaf."""
