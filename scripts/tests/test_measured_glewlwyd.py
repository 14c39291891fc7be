# SPDX-License-Identifier: Apache-2.0
"""Tests how Glewlwyd is set up for measuring, with stand-ins for Glewlwyd itself and for `requests`."""

import contextlib
import sqlite3
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "measure"))


class Glewlwyd:
    """What Tests/Interop/glewlwyd.py has that is used."""

    client_id, username, scopes, level = "keybound-app", "alice", "openid", "DEBUG"
    password = "correct horse"

    def __init__(self, directory):
        self.directory, self.configuration = directory, directory / "glewlwyd.conf"

    def write_configuration(self):
        self.configuration.write_text(f'port = 1\nlog_level = "{self.level}"\ncookie_secure = 0\n')

    def make_database(self):
        with contextlib.closing(sqlite3.connect(self.directory / "glewlwyd.db")) as database:
            database.execute("CREATE TABLE a (b)")

    def configure(self):
        self.is_configured = True

    def add_confidential_client(self, method):
        return method, "secret"

    def api(self, path):
        return f"http://127.0.0.1/api/{path}"

    @staticmethod
    def expect(answer):
        assert answer == 200


class Browser:
    """A session of `requests` that is given two cookies."""

    def __init__(self):
        self.sent = []
        self.cookies = [types.SimpleNamespace(name="a", value="1"), types.SimpleNamespace(name="b", value="2")]

    def post(self, url, json, timeout):
        self.sent.append(("POST", url, json))
        return 200

    def put(self, url, json, timeout):
        self.sent.append(("PUT", url, json))
        return 200


class MeasuredGlewlwydTests(unittest.TestCase):
    def setUp(self):
        self.browser = Browser()
        stand_ins = {
            "glewlwyd": types.SimpleNamespace(Glewlwyd=Glewlwyd, PATIENCE=1),
            "requests": types.SimpleNamespace(Session=lambda: self.browser),
        }
        with mock.patch.dict(sys.modules, stand_ins):
            sys.modules.pop("measured_glewlwyd", None)
            from measured_glewlwyd import MeasuredGlewlwyd
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.server = MeasuredGlewlwyd(Path(folder.name))

    def test_only_errors_are_logged(self):
        self.server.write_configuration()
        self.assertEqual(self.server.configuration.read_text(), 'port = 1\nlog_level = "ERROR"\ncookie_secure = 0\n')

    def test_another_configuration_is_an_error(self):
        self.server.level = "INFO"
        with self.assertRaises(AssertionError):
            self.server.write_configuration()

    def test_the_database_has_a_log_ahead(self):
        self.server.make_database()
        with contextlib.closing(sqlite3.connect(self.server.directory / "glewlwyd.db")) as database:
            self.assertEqual(database.execute("PRAGMA journal_mode").fetchone(), ("wal",))
            self.assertEqual(database.execute("SELECT count(*) FROM a").fetchone(), (0,))

    def test_a_service_with_a_secret_is_added(self):
        self.server.configure()
        self.assertTrue(self.server.is_configured)
        self.assertEqual(self.server.service, ("client_secret_basic", "secret"))

    def test_a_sign_in_is_a_login_and_a_consent(self):
        self.assertEqual(self.server.sign_in(), "a=1; b=2")
        self.assertEqual(self.browser.sent, [
            ("POST", "http://127.0.0.1/api/auth/", {"username": "alice", "password": "correct horse"}),
            ("PUT", "http://127.0.0.1/api/auth/grant/keybound-app", {"scope": "openid"}),
        ])
