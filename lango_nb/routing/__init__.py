"""Partition, tree, table, prompts, router, diff: pure functions over frozen data, no clock, no disk."""
