"""``%lango``: parse a line, call the lab, return an object."""
