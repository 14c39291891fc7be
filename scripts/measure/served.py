# SPDX-License-Identifier: Apache-2.0
"""Starts `keybound serve` with a new database, a user and four clients, signs the user in, and puts the server under load."""

import http.client
import json
import secrets
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlencode, urljoin, urlsplit

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "Tests/Interop"))
from form import Form  # noqa: E402
from server_process import ServerProcess, free_port, stop  # noqa: E402, F401

PATIENCE = 300
FIRST_PARTY = ["--first-party", "--allow-unattested-first-party"]
# All load comes from one address, and most of it from one client.
LIMITS_OFF = [
    part for limit in ["authorization-request", "token", "client-authorization-request", "client-token",
                       "public-client-authorization-request", "public-client-token"]
    for part in (f"--{limit}-limit", "off")
]


class ServedKeybound(ServerProcess):
    """A running server; use it in a `with` statement. It can be killed and started again on the same database."""

    name = "keybound"
    username = "alice"
    scope = "openid"
    service_scope = "api:read"
    public_client = "app"
    device_client = "tv"
    first_party_client = "own-app"
    redirect_uri = "https://app.example.com/callback"

    def __init__(self, program, directory, *options):
        super().__init__(Path(directory))
        self.program, self.options = program, options
        self.port = free_port()
        self.origin = f"http://127.0.0.1:{self.port}"
        self.authorize_path, self.token_path, self.userinfo_path = "/authorize", "/token", "/userinfo"
        self.password = secrets.token_urlsafe(12)

    def write_configuration(self):
        if (self.directory / "keybound.db").exists():
            return
        self.operator("user", "add", self.username, "--password-file", "-", text=self.password)
        self.operator("client", "add", "--id", self.public_client, "--redirect-uri", self.redirect_uri,
                      "--scope", self.scope, "--id-token-alg", "ES256")
        self.operator("client", "add", "--id", self.device_client, "--grant-type", "device_code",
                      "--grant-type", "refresh_token", "--scope", self.service_scope)
        self.add_first_party_client()
        added = self.operator("client", "add", "--id", "service", "--auth-method", "client_secret_basic",
                              "--grant-type", "client_credentials", "--scope", self.service_scope)
        self.service = ("service", added.split()[1])

    def add_first_party_client(self):
        self.operator("client", "add", "--id", self.first_party_client, "--first-party", "--redirect-uri", self.redirect_uri,
                      "--scope", self.scope, "--id-token-alg", "ES256")

    def operator(self, *arguments, text=None):
        return subprocess.run(
            [self.program, *arguments, "--quiet", "--data-directory", self.directory], input=text, text=True, check=True,
            stdout=subprocess.PIPE, timeout=PATIENCE,
        ).stdout

    def command(self):
        self.started = time.monotonic()
        return [
            self.program, "serve", "--issuer", self.origin, "--allow-insecure-loopback-issuer",
            "--listen", f"127.0.0.1:{self.port}", "--data-directory", self.directory, "--unencrypted-key-file",
            "--scope", self.scope, "--scope", self.service_scope, *LIMITS_OFF, *self.options,
        ]

    def is_ready(self):
        self.send("GET", "/jwks")
        return True

    def send(self, method, target, fields=(), body=None):
        """Status, fields and text of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, target, body, dict(fields))
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()

    def sign_in(self, address=None):
        """Somebody signs in and agrees once; the cookie of that browser, which gets codes at once from then on."""
        jar = {}
        self.walk(self.authorize_url(), jar, lambda _, target: target.startswith(self.redirect_uri), address)
        return self.cookie(jar)

    def login_form(self, address):
        """Where the form of a login page goes, its fields with a wrong password and no name, and the browser's cookie."""
        jar, pages = {}, []

        def is_login(page, _):
            pages.append(page)
            return page is not None and "password" in page.fields

        self.walk(self.authorize_url(), jar, is_login, address)
        filled = {name: value for name, value in pages[-1].fields.items() if name != "username"} | {"password": "wrong"}
        return self.path(urljoin(self.origin + self.authorize_path, pages[-1].action)), urlencode(filled), self.cookie(jar)

    def authorize_url(self):
        query = {
            "response_type": "code", "client_id": self.public_client, "redirect_uri": self.redirect_uri,
            "scope": self.scope, "state": "s", "nonce": "n", "code_challenge": "A" * 43, "code_challenge_method": "S256",
        }
        return f"{self.authorize_path}?{urlencode(query)}"

    def allow_device(self, cookie):
        """A device asks, and somebody who is signed in allows it; the device code."""
        fields = {"Content-Type": "application/x-www-form-urlencoded"}
        asked = self.send("POST", "/device_authorization", fields.items(),
                          urlencode({"client_id": self.device_client, "scope": self.service_scope}))
        answer = json.loads(asked[2])
        jar = dict(part.split("=", 1) for part in cookie.split("; "))
        self.walk(self.path(answer["verification_uri_complete"]), jar, lambda page, _: page is not None and page.action is None)
        return answer["device_code"]

    @staticmethod
    def cookie(jar):
        return "; ".join(f"{name}={value}" for name, value in jar.items())

    def walk(self, url, jar, is_there, address=None):
        """Follows pages in a browser, logs in and agrees, until a page (`None` for a redirect) or a target is the one."""
        form = None
        for _ in range(8):
            fields = {"Cookie": self.cookie(jar)}
            if address:
                fields["X-Forwarded-For"] = address
            if form is not None:
                fields |= {"Origin": self.origin, "Content-Type": "application/x-www-form-urlencoded"}
            status, answered, text = self.send("GET" if form is None else "POST", url, fields.items(), form)
            for cookie in answered.get_all("Set-Cookie", []):
                name, _, value = cookie.split(";")[0].partition("=")
                jar[name] = value
            target = answered.get("Location") or ""
            page = None if target else Form(text)
            if is_there(page, target):
                return
            if target:
                url, form = self.path(urljoin(self.origin + url, target)), None
                continue
            if page.action is None:
                break
            # The box that is not ticked remembers the consent.
            filled = {**page.fields, **page.unticked, **dict(button for button in page.buttons if button[1] == "allow")}
            if "password" in filled:
                filled |= {"username": self.username, "password": self.password}
            url, form = self.path(urljoin(self.origin + url, page.action)), urlencode(filled)
        raise SystemExit(f"keybound: the pages lead nowhere: {status}")

    @staticmethod
    def path(url):
        parts = urlsplit(url)
        return parts.path + (f"?{parts.query}" if parts.query else "")


def plan(server, cookie, rows, workers, seconds, suffix=""):
    """What `bench --load` reads."""
    return {
        "process": server.process.pid, "port": server.port, "origin": server.origin,
        "authorizePath": server.authorize_path, "tokenPath": server.token_path, "userInfoPath": server.userinfo_path, "pushPath": "/par",
        "scope": server.scope, "publicClient": server.public_client, "redirectURI": server.redirect_uri,
        "cookie": cookie, "authorizeSuffix": suffix, "confidentialClient": server.service[0],
        "secret": server.service[1], "serviceScope": server.service_scope, "rows": rows, "workers": workers,
        "milliseconds": int(seconds * 1000),
    }


def first_party_plan(server, rows, workers, seconds):
    """The same for an app that asks for the password itself; the server needs the options `FIRST_PARTY`."""
    return plan(server, "", rows, workers, seconds) | {
        "firstPartyClient": server.first_party_client, "username": server.username, "password": server.password,
    }


def load(program, folder, plan):
    """Puts a server under load; a list of what each row came to."""
    path = Path(folder) / "plan.json"
    path.touch(mode=0o600)
    path.write_text(json.dumps(plan))
    run = subprocess.run([program, "--load", path], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in run.stdout.splitlines()]
