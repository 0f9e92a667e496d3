"""Linear programs drawn at random: blocks, barriers, memories of each kind, gates, older and newer forms."""
