"""Rules about casts and bitcasts, and what a conversion preserves."""
