"""Reads files of the public extraction-gym collection, and runs extractors on all of them."""
