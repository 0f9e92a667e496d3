"""Lowers array nodes to the plain loops of one kernel."""
