"""Analyses of programs: the types of variables, and where they are defined and live."""
