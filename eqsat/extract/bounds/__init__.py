"""Lower bounds on the cost of all choices."""
