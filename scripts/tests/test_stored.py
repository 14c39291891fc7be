# SPDX-License-Identifier: Apache-2.0
"""Tests that a filled database has what the server would have stored, in the tables that the server creates."""

import base64
import contextlib
import re
import sqlite3
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts/measure"))
import stored  # noqa: E402

COUNT = 10


def statement(table):
    """How the server makes a table: the SQL is in a string of several lines."""
    for path in sorted((ROOT / "Sources").rglob("*Schema*.swift")):
        if match := re.search(rf'(CREATE TABLE {table} \(.*?)"""', path.read_text(), re.DOTALL):
            return match[1]
    raise AssertionError(f"no schema in Sources makes the table {table}")


class StoredTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / "keybound.db"
        with contextlib.closing(sqlite3.connect(path)) as database:
            for table in ("grants", "refresh_tokens"):
                database.execute(statement(table))
        stored.store_tokens(path, COUNT)
        self.database = sqlite3.connect(path)
        self.addCleanup(self.database.close)
        self.database.row_factory = sqlite3.Row

    def rows(self, query):
        return self.database.execute(query).fetchall()

    def test_each_grant_has_one_token(self):
        pairs = self.rows("SELECT * FROM grants JOIN refresh_tokens ON grant_id = id")
        self.assertEqual(len(pairs), COUNT)
        self.assertEqual(len({row["id"] for row in pairs}), COUNT)
        self.assertEqual(len({row["token_hash"] for row in pairs}), COUNT)
        self.assertEqual(len(self.rows("SELECT * FROM refresh_tokens")), COUNT)

    def test_grants_were_made_within_the_last_month(self):
        now = time.time_ns() // 1_000_000
        times = [row["created_at"] for row in self.rows("SELECT created_at FROM grants ORDER BY created_at")]
        self.assertEqual(len(set(times)), COUNT)
        self.assertAlmostEqual(times[0], now - stored.MONTH, delta=60_000)
        self.assertLess(times[-1], now)

    def test_tokens_are_valid(self):
        now = time.time_ns() // 1_000_000
        for row in self.rows("SELECT * FROM refresh_tokens"):
            self.assertGreater(row["expires_at"], now)
            self.assertEqual((len(row["token_hash"]), len(row["dpop_thumbprint"])), (32, 43))
            self.assertIsNone(row["spent_at"])

    def test_identifiers_and_hashes_begin_with_the_time(self):
        for row in self.rows("SELECT * FROM grants JOIN refresh_tokens ON grant_id = id"):
            octets = base64.urlsafe_b64decode(row["id"] + "==")
            self.assertEqual(len(octets), 16)
            self.assertEqual(int.from_bytes(octets[:6], "big"), row["created_at"])
            self.assertEqual(int.from_bytes(row["token_hash"][:4], "big"), row["created_at"] // 1000)
