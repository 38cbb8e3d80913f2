"""Where things happen: steps, turns, hand-overs, approvals."""
