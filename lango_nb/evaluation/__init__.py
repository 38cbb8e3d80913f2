"""Labelled requests through a router or an engine: how often it is right, and what goes wrong."""
