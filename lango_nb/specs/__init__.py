"""Agents and topologies as data, the files they are written in, and the registry that holds them."""
