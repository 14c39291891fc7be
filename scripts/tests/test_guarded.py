# SPDX-License-Identifier: Apache-2.0
"""What is counted for guards of an API, and when a target is met."""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "scripts/measure"), str(ROOT / "Tests/Interop")]

import guarded  # noqa: E402

SPEED = """\
                              sign    verify    sign/s verify/s
 256 bits ecdsa (nistp256)   0.0000s   0.0001s  39000.5  12500.0
"""


def measured(proxy, gateway, failures=0):
    return {
        "processor": proxy + gateway, "processors": [proxy, gateway], "perSecond": 1000, "p50": 1, "p99": 2, "resident": 30,
        "failures": failures, "firstFailure": "503" if failures else None,
    }


class Guarded(unittest.TestCase):
    def test_the_time_of_a_verification(self):
        self.assertEqual(guarded.microseconds(SPEED), 80)

    def test_the_median_of_the_rounds_and_all_failures(self):
        one = guarded.summary([measured(10, 100), measured(30, 120, failures=2), measured(20, 110)])
        self.assertEqual((one["proxy"], one["gateway"], one["processor"]), (20, 110, 130))
        self.assertEqual((one["failures"], one["firstFailure"]), (2, "503"))

    def test_targets(self):
        rows = {
            ("nginx alone", 8): guarded.summary([measured(10, 0)]),
            ("remembered", 8): guarded.summary([measured(20, 120)]),
            ("not remembered", 8): guarded.summary([measured(20, 217)]),
            ("mod_oauth2", 8): guarded.summary([measured(0, 280)]),
        }
        met = [(round(ratio, 2), is_met) for _, _, ratio, _, is_met in guarded.verdicts(rows, 80)]
        self.assertEqual(met, [(1.5, True), (2.71, False), (2.0, True)])
        text = guarded.report(rows, 80, is_markdown=True)
        self.assertIn("| nginx alone | 8 | 10.0 µs | - |", text)
        self.assertIn("| mod_oauth2 beside nginx and gateway | 8 | 2.00 | >= 2.0 | met |", text)

    def test_the_unmeasured_way_is_a_plain_proxy(self):
        text = guarded.proxied(9000, 9100)
        self.assertIn("listen 127.0.0.1:9000;", text)
        self.assertIn("server 127.0.0.1:9100;", text)


if __name__ == "__main__":
    unittest.main()
