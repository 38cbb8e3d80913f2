"""What surrounds a tool call: one visible list of hooks, before it and after it."""
