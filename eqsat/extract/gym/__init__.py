"""The public extraction-gym collection: reads its files and runs extractors on all of them."""
