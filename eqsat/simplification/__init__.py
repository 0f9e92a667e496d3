"""Simplifies scalar expressions: finds equal expressions with as few operations as possible."""
