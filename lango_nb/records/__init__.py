"""What is kept of a session: messages, turns, traces, decisions."""
