"""Rules about sums, products and extremes over axes."""
