"""Finds rules: equations between small terms that hold, and that the library does not derive yet.

`Search` enumerates the terms of a domain (`grammar`, `terms`, `enumeration`), pairs those that behave alike on samples (`candidate`), drops
the pairs that the rules derive (`derivation`), and has the others proved (`eqsat.proof`). A suggestion joins the rules, so that no later
suggestion follows from it. `declaration` prints a rule as the code that declares it.

The idea is that of Ruler (Nandi et al., Rewrite Rule Inference Using Equality Saturation, OOPSLA 2021).
"""

from eqsat.suggest.declaration import declaration, domain_name
from eqsat.suggest.grammar import GRAMMARS
from eqsat.suggest.search import Search, Suggestion

__all__ = ["GRAMMARS", "Search", "Suggestion", "declaration", "domain_name"]
