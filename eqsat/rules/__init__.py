"""Rewrite rules: how to declare them (`rule.py`, `pattern.py`), and one file of them per topic."""
