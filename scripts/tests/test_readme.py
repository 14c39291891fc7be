# SPDX-License-Identifier: Apache-2.0
"""Tests that README.md lists every program and every folder of scripts, and none that does not exist."""

import re
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent.parent


class ReadmeTests(unittest.TestCase):
    def test_the_tables_list_what_is_there(self):
        listed = re.findall(r"^\| `([\w-]+/?)` \|", (SCRIPTS / "README.md").read_text(), re.MULTILINE)
        there = [path.name + "/" * path.is_dir() for path in sorted(SCRIPTS.iterdir()) if path.name[0] not in "._"]
        self.assertEqual(sorted(listed), sorted(name for name in there if "." not in name))
