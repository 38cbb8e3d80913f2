"""Data only: one folder per topology."""
