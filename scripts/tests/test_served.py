# SPDX-License-Identifier: Apache-2.0
"""Tests how a user signs in at a measured server, and the arguments that the server and its load start with."""

import email.message
import json
import sys
import tempfile
import types
import unittest
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "measure"))
from served import ServedKeybound, load, plan  # noqa: E402

LOGIN = '<form action="/login"><input name="csrf" value="1"><input name="username"><input name="password"></form>'
CONSENT = '<form action="consent"><input name="csrf" value="2"><input type="checkbox" name="remember" value="yes">' \
    '<button name="answer" value="deny">' \
    '<button name="answer" value="allow"></form>'
DONE = "<p>Done.</p>"


def page(text, *cookies, status=200, location=None):
    """An answer as `send` returns it."""
    fields = email.message.Message()
    for cookie in cookies:
        fields["Set-Cookie"] = cookie
    if location:
        fields["Location"] = location
    return status, fields, text


def redirect(location, *cookies):
    return page("", *cookies, status=303, location=location)


class Scripted(ServedKeybound):
    """A server that gives prepared answers, and keeps what it was asked."""

    def __init__(self, directory, *answers):
        super().__init__("keybound", directory, "--more")
        self.answers, self.asked = list(answers), []

    def send(self, method, target, fields=(), body=None):
        self.asked.append((method, target, dict(fields), body))
        return self.answers.pop(0)


class ServedTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def server(self, *answers):
        return Scripted(self.folder, *answers)

    def test_a_sign_in_logs_in_and_agrees(self):
        server = self.server(
            redirect("/login", "session=a; Path=/; HttpOnly"), page(LOGIN), redirect("/interaction/1", "session=b; Secure", "other=c"),
            page(CONSENT), redirect("https://app.example.com/callback?code=1"),
        )
        self.assertEqual(server.sign_in(), "session=b; other=c")
        self.assertFalse(server.answers)
        self.assertEqual(
            [(method, urlsplit(target).path) for method, target, _, _ in server.asked],
            [("GET", "/authorize"), ("GET", "/login"), ("POST", "/login"), ("GET", "/interaction/1"), ("POST", "/interaction/consent")],
        )
        query = parse_qs(urlsplit(server.asked[0][1]).query)
        self.assertEqual((query["client_id"], query["code_challenge_method"]), (["app"], ["S256"]))
        login, consent = server.asked[2], server.asked[4]
        self.assertEqual(parse_qs(login[3]), {"csrf": ["1"], "username": ["alice"], "password": [server.password]})
        self.assertEqual((login[2]["Cookie"], login[2]["Origin"]), ("session=a", server.origin))
        self.assertEqual(parse_qs(consent[3]), {"csrf": ["2"], "remember": ["yes"], "answer": ["allow"]})
        self.assertEqual(consent[2]["Cookie"], "session=b; other=c")

    def test_pages_that_lead_nowhere_are_an_error(self):
        with self.assertRaises(SystemExit):
            self.server(page(DONE)).sign_in()
        with self.assertRaises(SystemExit):
            self.server(*[redirect("/authorize")] * 8).sign_in()

    def test_a_device_is_allowed_by_somebody_who_is_signed_in(self):
        answer = {"device_code": "d", "verification_uri_complete": "http://127.0.0.1:1/device?user_code=X"}
        server = self.server(page(json.dumps(answer)), page(CONSENT), page(DONE))
        self.assertEqual(server.allow_device("session=a; other=c"), "d")
        self.assertEqual(parse_qs(server.asked[0][3]), {"client_id": ["tv"], "scope": ["api:read"]})
        self.assertEqual(server.asked[1][:2], ("GET", "/device?user_code=X"))
        self.assertEqual(server.asked[1][2], {"Cookie": "session=a; other=c"})
        self.assertEqual(parse_qs(server.asked[2][3]), {"csrf": ["2"], "remember": ["yes"], "answer": ["allow"]})

    def test_a_server_is_started_with_its_options(self):
        server = self.server()
        command = server.command()
        self.assertEqual((command[:4], command[-1]), (["keybound", "serve", "--issuer", server.origin], "--more"))
        self.assertEqual(command[command.index("--data-directory") + 1], self.folder)

    def test_a_new_database_gets_a_person_and_four_clients(self):
        log = self.folder / "log"
        program = self.program(f'printf "%s %s %s\\n" "$1" "$2" "$4" >>{log}; echo "service the-secret"')
        server = ServedKeybound(program, self.folder)
        server.write_configuration()
        self.assertEqual(server.service, ("service", "the-secret"))
        self.assertEqual(log.read_text(), "user add --password-file\nclient add app\nclient add tv\nclient add own-app\nclient add service\n")

    def test_a_database_that_is_there_stays(self):
        (self.folder / "keybound.db").touch()
        ServedKeybound(self.program("exit 1"), self.folder).write_configuration()

    def program(self, text):
        path = self.folder / "program"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o700)
        return path

    def test_a_plan_says_where_and_how_long(self):
        server = self.server()
        server.process, server.service = types.SimpleNamespace(pid=7), ("service", "the-secret")
        made = plan(server, "a=1", ["code"], 8, 0.25, "&x")
        self.assertEqual((made["process"], made["port"], made["origin"]), (7, server.port, server.origin))
        self.assertEqual((made["confidentialClient"], made["secret"]), ("service", "the-secret"))
        self.assertEqual((made["rows"], made["workers"], made["milliseconds"]), (["code"], 8, 250))
        self.assertEqual((made["cookie"], made["authorizeSuffix"]), ("a=1", "&x"))

    def test_load_is_put_on_with_a_plan_that_only_its_owner_reads(self):
        program = self.program("""[ "$1" = --load ] || exit 1; stat -c '{"mode": %a}' "$2"; cat "$2" """)
        self.assertEqual(load(program, self.folder, {"rows": ["code"]}), [{"mode": 600}, {"rows": ["code"]}])
