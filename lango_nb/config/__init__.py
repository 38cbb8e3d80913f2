"""Settings: their keys, defaults and files."""
