"""Rules about arrays whose elements are moved, repeated or stored."""
