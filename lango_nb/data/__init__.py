"""Data only: prompts, bundled agents, sample tool tables."""
