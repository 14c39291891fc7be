# SPDX-License-Identifier: Apache-2.0
"""Tests that a part of the package, which `scripts/test --filter` builds, needs no other package."""

import json
import os
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def dependencies(targets):
    """The packages that a part of this package needs, by their URLs."""
    environment = os.environ | {"KEYBOUND_ONLY": targets}
    output = subprocess.run(
        ["swift", "package", "dump-package"], cwd=ROOT, env=environment, check=True, capture_output=True
    ).stdout
    return [remote["urlString"] for one in json.loads(output)["dependencies"] for remote in one["sourceControl"][0]["location"]["remote"]]


class ManifestTests(unittest.TestCase):
    def test_targets_without_a_trait_need_no_package(self):
        self.assertEqual(dependencies("PKCETests,EndToEndTests"), [])

    def test_targets_with_traits_keep_their_packages(self):
        self.assertIn("https://github.com/vapor/vapor.git", dependencies("OAuthMiddleware"))


if __name__ == "__main__":
    unittest.main()
