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
    for path in sorted((ROOT / "Sources/SQLiteStorage").rglob("*Schema*.swift")):
        if match := re.search(rf'(CREATE TABLE {table} \(.*?)"""', path.read_text(), re.DOTALL):
            return match[1]
    raise AssertionError(f"no schema in SQLiteStorage makes the table {table}")


def changes(table):
    """What later versions of the schema add to a table, as far as it is one line."""
    for path in sorted((ROOT / "Sources/SQLiteStorage").rglob("*Schema*.swift")):
        yield from re.findall(rf'"(ALTER TABLE {table} ADD COLUMN [^"\\]+)"', path.read_text())


class StoredTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / "keybound.db"
        with contextlib.closing(sqlite3.connect(path)) as database:
            database.execute(statement("grants"))
            for change in changes("grants"):
                database.execute(change)
        stored.store_tokens(path, COUNT)
        self.database = sqlite3.connect(path)
        self.addCleanup(self.database.close)
        self.database.row_factory = sqlite3.Row

    def rows(self, query):
        return self.database.execute(query).fetchall()

    def test_each_grant_has_one_token(self):
        rows = self.rows("SELECT * FROM grants")
        self.assertEqual(len(rows), COUNT)
        for column in ("id", "refresh_hash", "family_hash"):
            self.assertEqual(len({row[column] for row in rows}), COUNT)

    def test_grants_were_made_within_the_last_month(self):
        now = time.time_ns() // 1_000_000
        times = [row["created_at"] for row in self.rows("SELECT created_at FROM grants ORDER BY created_at")]
        self.assertEqual(len(set(times)), COUNT)
        self.assertAlmostEqual(times[0], now - stored.MONTH, delta=60_000)
        self.assertLess(times[-1], now)

    def test_tokens_are_valid(self):
        now = time.time_ns() // 1_000_000
        for row in self.rows("SELECT * FROM grants"):
            self.assertGreater(row["refresh_ends"], now)
            self.assertGreater(row["expires_at"], row["refresh_ends"])
            self.assertEqual((len(row["refresh_hash"]), len(row["refresh_thumbprint"])), (32, 43))
            self.assertIsNone(row["previous_hash"])

    def test_identifiers_and_hashes_begin_with_the_time_and_the_shard(self):
        for row in self.rows("SELECT * FROM grants"):
            identifier = base64.urlsafe_b64decode(row["id"] + "==")
            self.assertEqual(len(identifier), 16)
            self.assertEqual(int.from_bytes(identifier[:6], "big"), row["created_at"])
            self.assertEqual(row["refresh_hash"][:7], identifier[:7])
