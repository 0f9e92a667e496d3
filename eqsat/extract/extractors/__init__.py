"""Algorithms that choose one e-node for each e-class."""
