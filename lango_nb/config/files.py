"""Names of the files that say what is allowed."""

FILE = "lango.json"
"""Settings, of a folder or a home."""
PROJECT_FILE = "pyproject.toml"
"""Settings of a folder, in its table ``tool.lango``."""
TRUST_FILE = "trust.json"
"""Which folders are trusted, in a home."""
