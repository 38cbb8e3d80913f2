"""``lango settings`` shows every setting, where it comes from, and refuses what is none."""

import json
from pathlib import Path

import pytest

from lango_nb.config.keys import setting_infos

from .conftest import Lango
