"""Words every stage shares: errors, messages, events, ids, time."""
