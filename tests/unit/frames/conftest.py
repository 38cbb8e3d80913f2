"""Let tests of this folder import the sample records as ``tests.unit.viz.samples``, however pytest was started."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
