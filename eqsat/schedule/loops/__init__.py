"""The loops of one kernel: how each range is split, ordered, unrolled and spread over lanes and work-items."""
