"""Rules about casts and bitcasts, and predicates that tell what a conversion preserves."""
