"""``lango``: the commands for a terminal."""
