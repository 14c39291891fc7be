# SPDX-License-Identifier: Apache-2.0
"""Tests of what is said about the errors of a cluster, and of its configuration."""

import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "measure"))
import cluster  # noqa: E402


def error(end, kind="503"):
    return {"error": kind, "from": end - 1, "to": end, "purpose": "refresh"}


class JudgeTests(unittest.TestCase):
    spans = [("failover", 10, 12), ("upgrade", 30, 50)]

    def test_errors_until_five_seconds_after_a_fault_are_allowed(self):
        self.assertEqual(cluster.judge([error(11), error(16.5), {"outage": 3, "from": 10, "to": 13}], self.spans), ([], 4.5))

    def test_later_errors_are_not(self):
        failures, longest = cluster.judge([error(18)], self.spans)
        self.assertEqual((len(failures), longest), (1, 6))
        self.assertIn("failover: 503 (refresh) 6.0 s after its end", failures[0])

    def test_nothing_may_fail_before_the_first_fault_or_in_an_upgrade(self):
        failures, _ = cluster.judge([error(5), error(31, "cut")], self.spans)
        self.assertEqual(failures, ["before the first fault: 503 (refresh)", "upgrade: cut (refresh)"])

    def test_violations_are_failures(self):
        failures, _ = cluster.judge([{"violation": "double", "at": 1, "text": "a proof"}], self.spans)
        self.assertEqual(failures, ["double: a proof"])


class DocumentTests(unittest.TestCase):
    """The cluster is set up from docs/cluster.md: what is taken from there must be there."""

    def test_the_load_balancer_and_the_rights(self):
        text = cluster.DOCUMENT.read_text()
        balancer = re.search(r"```\n(defaults.*?)```", text, re.DOTALL)[1]
        for number in range(1, cluster.NODES + 1):
            self.assertIn(f"10.0.0.1{number}:8080", balancer)
        self.assertIn("bind :443 ", balancer)
        self.assertIn("keybound_server", re.search(r"```sql\n(GRANT USAGE.*?)```", text, re.DOTALL)[1])


if __name__ == "__main__":
    unittest.main()
