"""Theories: Python procedures that find equalities between two runs of egglog, where rules would need too many e-nodes."""
