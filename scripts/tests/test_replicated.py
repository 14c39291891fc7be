# SPDX-License-Identifier: Apache-2.0
"""Tests of how the standby for a promotion is chosen; PostgreSQL itself is not started."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "measure"))
import replicated  # noqa: E402


class FakeDatabase:
    def __init__(self, name, log):
        self.name, self.log, self.directory, self.calls = name, log, Path("/sockets") / name, []

    def received(self):
        return self.log

    def promote(self):
        self.calls.append("promote")

    def follow(self, primary):
        self.calls.append(f"follow {primary.name}")


class FailOverTests(unittest.TestCase):
    def test_the_standby_with_more_of_the_log_is_promoted(self):
        databases = replicated.Replicated()
        databases.databases = [FakeDatabase("d0", 0), FakeDatabase("d1", 5), FakeDatabase("d2", 7)]
        databases.primary = databases.databases[0]
        self.assertEqual(databases.fail_over().name, "d0")
        self.assertEqual(databases.primary.name, "d2")
        self.assertEqual([database.calls for database in databases.databases], [[], ["follow d2"], ["promote"]])
        self.assertEqual([database.name for database in databases.standbys()], ["d0", "d1"])

    def test_the_address_names_all_servers(self):
        databases = replicated.Replicated()
        databases.databases = [FakeDatabase("d0", 0), FakeDatabase("d1", 0)]
        databases.primary = databases.databases[0]
        self.assertEqual(
            databases.address("keybound", "app"), "postgresql://app@/keybound?host=/sockets/d0,/sockets/d1"
        )

    def test_waiting_ends(self):
        answers = iter([False, True])
        replicated.wait_for(lambda: next(answers), "it")


if __name__ == "__main__":
    unittest.main()
