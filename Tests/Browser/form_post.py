# SPDX-License-Identifier: Apache-2.0
"""Signs in with a real browser at a server that answers with a form (`response_mode=form_post`).

The server is one of another kind than ours (see run for that), as small as can be. Its pages are https and at another host than
the app, as they are in real life: a browser that kept forms of such pages from a loopback address would be seen here.
"""

import base64
import hashlib
import html
import json
import re
import secrets
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

from playwright.sync_api import sync_playwright

from page_checks import PATIENCE

CHROMIUM = "/usr/bin/chromium"


class FormPostServer:
    """Metadata and tokens on http://127.0.0.1, which the client is told to accept; the pages on https://localhost."""

    def __init__(self, directory):
        self.codes = {}
        self.problems = []
        self.back = ThreadingHTTPServer(("127.0.0.1", 0), handler(self))
        self.front = ThreadingHTTPServer(("127.0.0.1", 0), handler(self))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate(Path(directory)))
        self.front.socket = context.wrap_socket(self.front.socket, server_side=True)
        self.issuer = f"http://127.0.0.1:{self.back.server_port}"
        self.pages = f"https://localhost:{self.front.server_port}"

    def __enter__(self):
        for server in (self.back, self.front):
            threading.Thread(target=server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        for server in (self.back, self.front):
            server.shutdown()
            server.server_close()

    def metadata(self):
        return {
            "issuer": self.issuer, "authorization_endpoint": self.pages + "/authorize",
            "token_endpoint": self.issuer + "/token", "response_modes_supported": ["form_post"],
            "authorization_response_iss_parameter_supported": True,
        }

    def page(self, asked, is_automatic):
        """The form of the specification's appendix; without a script the user presses its button."""
        if asked.get("response_mode") != "form_post":
            self.problems.append("response_mode is not form_post")
        code = "code " + secrets.token_urlsafe(16) + "+&="
        self.codes[code] = asked
        answer = {"code": code, "state": asked["state"], "iss": self.issuer}
        fields = "".join(f'<input type="hidden" name="{name}" value="{html.escape(value)}">' for name, value in answer.items())
        submit = ' onload="document.forms[0].submit()"' if is_automatic else ""
        action = html.escape(asked["redirect_uri"])
        return (
            f'<!doctype html><title>Back to the app</title><body{submit}><form method="post" action="{action}">'
            f"{fields}<button>Continue</button></form>"
        )

    def token(self, form, proof):
        asked = self.codes.pop(form.get("code"), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if asked is None or asked["code_challenge"] != challenge or proof is None:
            self.problems.append("the token request is not that of the sign-in")
            return 400, {"error": "invalid_grant"}
        return 200, {"access_token": secrets.token_urlsafe(32), "token_type": "DPoP", "expires_in": 300}


def handler(owner):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            target = urlsplit(self.path)
            if target.path == "/.well-known/oauth-authorization-server":
                self.answer(200, "application/json", json.dumps(owner.metadata()))
            elif target.path == "/authorize":
                asked = {name: values[0] for name, values in parse_qs(target.query).items()}
                self.answer(200, "text/html", owner.page(asked, "is_slow" not in asked))
            else:
                self.answer(404, "text/plain", "")

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            status, answer = owner.token(form, self.headers["DPoP"])
            self.answer(status, "application/json", json.dumps(answer))

        def answer(self, status, kind, text):
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    return Handler


def certificate(directory):
    """A certificate for localhost that nobody vouches for, and its key."""
    paths = directory / "certificate.pem", directory / "key.pem"
    subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
            "-subj", "/CN=localhost", "-out", str(paths[0]), "-keyout", str(paths[1]),
        ],
        check=True, capture_output=True,
    )
    return paths


def walk(url, has_scripts):
    """Opens the URL, presses the button where no script does, and returns the last page's address and text."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, headless=True, args=["--disable-dev-shm-usage", "--disable-gpu"]
        )
        try:
            context = browser.new_context(java_script_enabled=has_scripts, ignore_https_errors=True)
            page = context.new_page()
            page.set_default_timeout(PATIENCE * 1000)
            page.goto(url)
            if not has_scripts:
                page.get_by_role("button", name="Continue").click()
            page.wait_for_url(re.compile(r"^http://127\.0\.0\.1:\d+/done$"))
            return page.url, page.inner_text("main")
        finally:
            browser.close()


def run(keybound, environment, directory):
    """Two sign-ins, with scripts and without; what went wrong, or nothing."""
    with FormPostServer(directory) as server:
        for has_scripts in (True, False):
            login = subprocess.Popen(
                [
                    str(keybound), "login", server.issuer, "--client-id", "app", "--scope", "a", "--response-mode",
                    "form_post", "--account", "scripts" if has_scripts else "button", "--allow-insecure-loopback",
                    "--unencrypted-key-file", "--show-url",
                ],
                stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment,
            )
            try:
                url = next(filter(None, (re.search(r"https://\S+/authorize\?\S+", line) for line in login.stderr)))[0]
                slow = "" if has_scripts else "&" + urlencode({"is_slow": 1})
                _, text = walk(url + slow, has_scripts)
                if "close this window" not in text:
                    server.problems.append(f"the last page says {text!r}")
                if login.wait(timeout=PATIENCE) != 0:
                    server.problems.append("keybound login did not end well: " + login.stderr.read())
            finally:
                login.kill()
        return server.problems
