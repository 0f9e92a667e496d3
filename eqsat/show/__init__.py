"""Shows an e-graph: a self-contained HTML page of an extraction, and a short summary for notebooks."""

from eqsat.show.page import page, write_page
from eqsat.show.prices import Price, find_prices
from eqsat.show.subject import Subject

__all__ = ["Price", "Subject", "find_prices", "page", "write_page"]
