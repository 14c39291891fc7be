# SPDX-License-Identifier: Apache-2.0
"""What `make` says where something cannot run."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


class OnAMac(unittest.TestCase):
    def test_demo_and_serve_name_the_container_in_one_line_and_install_nothing(self):
        for target in ("demo", "serve"):
            with self.subTest(target), tempfile.TemporaryDirectory() as directory:
                uname = Path(directory) / "uname"
                uname.write_text("#!/bin/sh\necho Darwin\n")
                uname.chmod(0o755)
                environment = {**os.environ, "PATH": f"{directory}:{os.environ['PATH']}"}
                run = subprocess.run(
                    ["make", "--no-print-directory", target], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
                )
                self.assertNotEqual(run.returncode, 0)
                self.assertEqual(run.stdout, "")
                said = [line for line in run.stderr.splitlines() if "***" not in line]
                self.assertEqual(len(said), 1)
                self.assertIn("docker run", said[0])
                # The image of Swift has no make; README.md has the same line.
                self.assertTrue(said[0].endswith(f'sh -c "apt-get -qq update && apt-get -qq install make && make {target}"'))
                if target == "demo":
                    self.assertIn(said[0][said[0].index("docker run"):] + "\n", (ROOT / "README.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
