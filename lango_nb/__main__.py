"""``python -m lango_nb``: the same as ``lango``."""

import sys

from lango_nb.commands.terminal.main import main

if __name__ == "__main__":
    sys.exit(main())
