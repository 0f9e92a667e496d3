"""The congruence closure of an explanation: its classes, its tables of e-nodes, and the terms that represent classes."""
