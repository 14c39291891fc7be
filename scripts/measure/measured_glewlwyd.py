# SPDX-License-Identifier: Apache-2.0
"""Starts Glewlwyd for scripts/bench-server as Tests/Interop does, but set up for speed: it logs only errors."""

import sqlite3

import requests

from glewlwyd import PATIENCE, Glewlwyd


class MeasuredGlewlwyd(Glewlwyd):
    public_client = Glewlwyd.client_id
    scope = service_scope = Glewlwyd.scopes
    providers = ("plain",)
    authorize_path, token_path, userinfo_path = (f"/api/plain/{name}" for name in ("auth", "token", "userinfo"))

    def write_configuration(self):
        super().write_configuration()
        text = self.configuration.read_text()
        assert 'log_level = "DEBUG"' in text
        self.configuration.write_text(text.replace('log_level = "DEBUG"', 'log_level = "ERROR"'))

    def make_database(self):
        super().make_database()
        # What costs it least and is still on disk before it answers: one sync for a change, in place of several.
        with sqlite3.connect(self.directory / "glewlwyd.db") as database:
            database.execute("PRAGMA journal_mode = WAL")

    def configure(self):
        super().configure()
        self.service = self.add_confidential_client("client_secret_basic")

    def sign_in(self):
        browser = requests.Session()
        login = {"username": self.username, "password": self.password}
        self.expect(browser.post(self.api("auth/"), json=login, timeout=PATIENCE))
        grant = {"scope": self.scopes}
        self.expect(browser.put(self.api(f"auth/grant/{self.client_id}"), json=grant, timeout=PATIENCE))
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in browser.cookies)
