"""Lowering: replaces calls by pushes, jumps and pops in one graph of blocks."""

from __future__ import annotations

from eqsat.autobatch.lowering.lower import lower

__all__ = ["lower"]
