"""A tight lower bound, and the optimum, for problems that reduce to maximum cut: each class has two nodes, and pairs of nodes share leaves."""
