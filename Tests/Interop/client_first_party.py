# SPDX-License-Identifier: Apache-2.0
"""A client of its own, after the drafts, signs in without a browser at `keybound serve`, and tries attacks.

The client is first_party_client.py, which knows neither Keybound nor an OAuth library, so a misreading that client and server of this
project share shows here. The program is also the attester of its app: it signs attestations with a key that the server pins.

Run by Tests/Interop/run, or alone: `python3 Tests/Interop/client_first_party.py [path of keybound]`.
"""

import base64
import contextlib
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

from first_party_client import PATIENCE, Attester, Client, Key, exchange
from server_process import free_port, stop
from table import StepFailed, Table, require

GROUP = "first-party client in Python -> keybound serve"
PROGRAM = Path(__file__).resolve().parents[2] / ".build/debug/keybound"
PASSWORD = "correct horse battery staple"
CALLBACK = "com.example.notes:/callback"


@contextlib.contextmanager
def served(program, attester, *, unattested=False):
    """`keybound serve` with a user, an app of its own publisher, another such app, and one of somebody else."""
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        for name, secret in (("password", PASSWORD.encode()), ("credential", secrets.token_bytes(32))):
            (folder / name).touch(0o600)
            (folder / name).write_bytes(secret)
        (folder / "attester.json").write_text(json.dumps(attester.jwks))
        environment = {**os.environ, "XDG_STATE_HOME": directory, "HOME": directory}

        def keybound(*arguments):
            result = subprocess.run(
                [program, *arguments], cwd=directory, env=environment, capture_output=True, text=True, timeout=PATIENCE,
                check=False,
            )
            require(result.returncode == 0, f"keybound {' '.join(arguments[:2])}: {result.stderr.strip()}")

        keybound("user", "add", "ada", "--password-file", "password")
        method = [] if unattested else ["--auth-method", "attest_jwt_client_auth_dpop"]
        for client_id, kind in (
            ("notes", ["--first-party", *method]), ("shop", ["--first-party", *method]), ("third", method)
        ):
            keybound(
                "client", "add", "--id", client_id, "--redirect-uri", CALLBACK, "--scope", "notes:read", *kind
            )
        issuer = f"http://127.0.0.1:{free_port()}"
        options = [
            "serve", "--issuer", issuer, "--listen", issuer.removeprefix("http://"), "--allow-insecure-loopback-issuer",
            "--scope", "notes:read=read your notes", "--key-credential-file", "credential", "--first-party",
        ]
        if unattested:
            options.append("--allow-unattested-first-party")
        else:
            apps = {"jwks": str(folder / "attester.json"), "clients": ["notes", "shop", "third"]}
            options += ["--attester", f"own={json.dumps(apps)}"]
        with open(folder / "log", "wb") as log:
            process = subprocess.Popen(
                [program, *options], cwd=directory, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        try:
            wait_for(issuer, process, folder / "log")
            yield issuer
        finally:
            stop(process)


def wait_for(issuer, process, log):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError):
            if exchange("GET", issuer + "/.well-known/oauth-authorization-server")[0] == 200:
                return
        time.sleep(0.05)
    raise StepFailed(f"keybound serve does not answer: {log.read_text().strip()[-500:]}")


def expect(answer, status, error):
    got = (answer[0], answer[1].get("error"))
    require(got == (status, error), f"{got[0]} {got[1]} in place of {status} {error}: {answer[1].get('error_description')}")


def opened(answer):
    """The `auth_session` of an answer that asks for a step (FiPA section 5.2.2)."""
    expect(answer, 403, "insufficient_authorization")
    steps = [step["type"] for step in answer[1]["steps"]]
    require("password" in steps and steps[-1] == "redirect_to_web", f"steps {steps}")
    require(0 < answer[1]["auth_session_expires_in"] <= 300, "a sign-in takes five minutes at most")
    return answer[1]["auth_session"]


def run(table, program=PROGRAM):
    attester = Attester()
    for unattested in (False, True):
        title = f"{GROUP}, {'without' if unattested else 'with'} attestation"
        with table.group(title), contextlib.ExitStack() as stack:
            with table.step(title, "keybound serve has the endpoint on"):
                issuer = stack.enter_context(served(program, attester, unattested=unattested))
            scene = Scene(table, title, issuer, None if unattested else attester)
            scene.signs_in()
            scene.is_attacked()
            if not unattested:
                scene.attestation_is_attacked()


class Scene:
    """One server, one app, and what is tried with them."""

    def __init__(self, table, title, issuer, attester):
        self.table, self.title, self.issuer, self.attester = table, title, issuer, attester
        self.app = self.client()
        self.endpoint = None

    def client(self, client_id="notes", key=None):
        return Client(self.issuer, client_id, self.attester, key)

    def step(self, name):
        return self.table.step(self.title, name)

    def open(self, client=None, **changes):
        return opened((client or self.app).first(self.endpoint, **changes))

    def right(self, auth_session, client=None, **changes):
        answer = (client or self.app).answer(
            self.endpoint, auth_session, **{"username": "ada", "password": PASSWORD, **changes}
        )
        return answer

    def code(self, client=None):
        status, body = self.right(self.open(client), client)
        require(status == 200 and "error" not in body, f"{status} {body.get('error')}")
        return body["authorization_code"], body["auth_session"]

    def signs_in(self):
        with self.step("metadata names the authorization challenge endpoint (FiPA 8)"):
            metadata = self.app.metadata()
            self.endpoint = metadata["authorization_challenge_endpoint"]
            require(urlsplit(self.endpoint).netloc == urlsplit(self.issuer).netloc, "another server")
            require("password" in metadata["keybound_sign_in_steps_supported"], "no password step")
        with self.step("a wrong password is asked for again, a right one gives a code (FiPA 5.2, 5.3)"):
            first = self.open(redirect_uri=CALLBACK)
            wrong = self.right(first, password="guess")
            second = opened(wrong)
            require(wrong[1]["problem"] == "wrong_answer" and second != first, "the value is the old one")
            status, body = self.right(second)
            require(status == 200, f"{status} {body.get('error')}")
        with self.step("the code gives tokens that are bound to the key (FiPA 6, RFC 9449 5)") as note:
            status, tokens = self.app.redeem(body["authorization_code"], redirect_uri=CALLBACK)
            require(status == 200 and tokens["token_type"] == "DPoP", f"{status} {tokens.get('error')}")
            payload = tokens["access_token"].split(".")[1]
            claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
            require(claims["cnf"]["jkt"] == self.app.key.thumbprint, "another key")
            note(f"scope {tokens['scope']}")
        with self.step("the refresh token works with the same key, and with no other"):
            form = {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"], "client_id": "notes"}
            thief = self.client()
            expect(thief.post(self.issuer + "/token", form), 400, "invalid_grant")
            require(self.app.post(self.issuer + "/token", form)[0] == 200, "the refresh token was used up")
        with self.step("a finished sign-in does for the next request, with its own PKCE (FiPA 5.3.1, 7)"):
            status, again = self.app.first(self.endpoint, auth_session=body["auth_session"])
            require(status == 200 and again["authorization_code"], f"{status} {again.get('error')}")
            require(self.app.redeem(again["authorization_code"])[0] == 200, "the code is not redeemable")
        with self.step("redirect_to_web has a request_uri of PAR, and ends the sign-in (FiPA 5.2.2.1.1)"):
            session = self.open(redirect_uri=CALLBACK)
            answer = self.app.answer(self.endpoint, session, step="redirect_to_web")
            expect(answer, 403, "redirect_to_web")
            require(answer[1]["request_uri"].startswith("urn:ietf:params:oauth:request_uri:"), "no reference")
            expect(self.right(session), 400, "invalid_session")

    def is_attacked(self):
        with self.step("attacks 201 and 202: without PKCE, with plain, with a challenge of 42 characters"):
            for changes in (
                {"code_challenge": None}, {"code_challenge": None, "code_challenge_method": None},
                {"code_challenge_method": "plain"}, {"code_challenge_method": None}, {"code_challenge": "a" * 42},
            ):
                expect(self.app.first(self.endpoint, **changes), 400, "invalid_request")
        with self.step("attack 204: without a proof, and with the thumbprint of another key"):
            expect(self.app.first(self.endpoint, sending={"without": ("DPoP",)}), 400, "invalid_dpop_proof")
            expect(self.app.first(self.endpoint, dpop_jkt=Key().thumbprint), 400, "invalid_dpop_proof")
        with self.step("attack 205: an app that is not first-party"):
            expect(self.client("third").first(self.endpoint), 400, "unauthorized_client")
        with self.step("attack 206: parameters of a request in an answer, and the other way round"):
            session = self.open()
            for name in ("scope", "resource", "code_challenge", "redirect_uri", "acr_values", "state", "request"):
                expect(self.right(session, **{name: "notes:read"}), 400, "invalid_request")
            expect(self.right(session, response_type="token"), 400, "invalid_request")
            expect(self.app.first(self.endpoint, step="password", password=PASSWORD), 400, "invalid_request")
            expect(self.app.first(self.endpoint, request_uri="urn:x"), 400, "invalid_request")
            require(self.right(session)[0] == 200, "the session was used up")
        with self.step("attack 207: a stolen auth_session, with another key"):
            session = self.open()
            expect(self.right(session, self.client()), 400, "invalid_session")
            require(self.right(session)[0] == 200, "the session was used up")
        with self.step("attack 208: an old proof, a proof for another address, none"):
            session = self.open()
            recorded = self.app.proof(self.endpoint)
            expect(self.right(session, password="guess", sending={"proof": recorded}), 403, "insufficient_authorization")
            session = self.open()
            for proof in (
                recorded, self.app.proof(self.issuer + "/token"), self.app.proof(self.endpoint, htm="GET"),
            ):
                expect(self.right(session, sending={"proof": proof}), 400, "invalid_dpop_proof")
            expect(self.right(session, sending={"without": ("DPoP",)}), 400, "invalid_dpop_proof")
            require(self.right(session)[0] == 200, "the session was used up")
        with self.step("attack 209: the session of one app in another one, with the same key"):
            session = self.open()
            expect(
                self.right(session, self.client("shop", self.app.key), client_id="shop"), 400, "invalid_session"
            )
            require(self.right(session)[0] == 200, "the session was used up")
        with self.step("attack 210: an old value, after it was replaced"):
            first = self.open()
            second = opened(self.right(first, password="guess"))
            expect(self.right(first), 400, "invalid_session")
            status, body = self.right(second)
            require(status == 200, "the session was used up")
            expect(self.right(second), 400, "invalid_session")
        with self.step("attack 212: values that cannot be one"):
            session = self.open()
            texts = set()
            for value in (session[:-1], session + "A", session[:-4] + "AAAA", "kbf_" + "A" * 64, "x"):
                status, answer = self.right(value)
                require(status == 400 and answer["error"] in ("invalid_session", "invalid_request"), f"{status}")
                if answer["error"] == "invalid_session":
                    texts.add(answer["error_description"])
            require(len(texts) == 1, f"texts {texts}")
            require(self.right(session)[0] == 200, "the session was used up")
        with self.step("attack 213: a code as auth_session, an auth_session as code"):
            code, finished = self.code()
            expect(self.right(code), 400, "invalid_session")
            expect(self.app.redeem(finished), 400, "invalid_grant")
        with self.step("attack 216: a step that was not offered, two steps, none"):
            session = self.open()
            expect(self.app.answer(self.endpoint, session, step="totp", code="123456"), 400, "invalid_request")
            expect(self.app.answer(self.endpoint, session, step="redirect_to_web2"), 400, "invalid_request")
            require(self.right(session)[0] == 200, "the session was used up")
        with self.step("attack 219: the code with another key"):
            code, _ = self.code()
            thief = self.client()
            thief.verifier = self.app.verifier
            expect(thief.redeem(code), 400, "invalid_grant")
            require(self.app.redeem(code)[0] == 200, "the code was used up")
        with self.step("attack 220: the code with another verifier, with a redirect URI that no request had"):
            code, _ = self.code()
            expect(self.app.redeem(code, code_verifier=secrets.token_urlsafe(48)), 400, "invalid_grant")
            expect(self.app.redeem(code, redirect_uri=CALLBACK), 400, "invalid_grant")
            require(self.app.redeem(code)[0] == 200, "the code was used up")
        with self.step("attack 221: the answer to an unknown name is that to a wrong password"):
            shapes = set()
            for username in ("ada", "nobody"):
                status, body = self.right(self.open(), username=username, password="guess")
                body = {**body, "auth_session": len(body["auth_session"]), "auth_session_expires_in": 0}
                shapes.add((status, json.dumps(body)))
            require(len(shapes) == 1, f"{shapes}")
        with self.step("attack 224: the fifth wrong answer ends a sign-in"):
            session = self.open()
            for _ in range(4):
                session = opened(self.right(session, username="mallory", password="guess"))
            expect(self.right(session, username="mallory", password="guess"), 400, "access_denied")
            expect(self.right(session), 400, "invalid_session")
        with self.step("attack 245: a page in a browser"):
            expect(
                self.app.first(self.endpoint, sending={"fields": {"Origin": "https://evil.example"}}), 403, "access_denied"
            )
        with self.step("attack 246: other methods and other bodies"):
            status, fields, _ = exchange("GET", self.endpoint + "?auth_session=x")
            require((status, fields.get("allow")) == (405, "POST"), f"GET {status}")
            status, _ = self.app.first(self.endpoint, sending={"fields": {"Content-Type": "application/json"}})
            require(status == 415, f"JSON {status}")
        with self.step("attack 247: names and passwords that are too long, or none"):
            session = self.open()
            for changes in ({"password": ""}, {"password": "a" * 1025}, {"username": "a" * 257}, {"username": ""}):
                expect(self.right(session, **changes), 400, "invalid_request")
            require(self.right(session)[0] == 200, "the session was used up")

    def attestation_is_attacked(self):
        def refused(attestation, name, key=None):
            client = self.client(key=key)
            client.attestation = attestation
            expect(client.first(self.endpoint), 400, name)

        key, other = Key(), Key()
        with self.step("attack 233: the attestation is cut out"):
            refused(None, "invalid_client_attestation", key)
        with self.step("attacks 234 and 235: another algorithm, another type"):
            for header in ({"alg": "none"}, {"alg": "HS256"}, {"typ": "JWT"}, {"typ": "dpop+jwt"}):
                refused(self.attester.attest("notes", key, header=header), "invalid_client_attestation", key)
        with self.step("attack 236: an attestation that is over"):
            past = int(time.time()) - 120
            refused(self.attester.attest("notes", key, exp=past), "use_fresh_attestation", key)
        with self.step("attack 237: an attester that the server does not know"):
            stranger = Attester()
            stranger.kid = self.attester.kid
            refused(stranger.attest("notes", key), "invalid_client_attestation", key)
            refused(self.attester.attest("notes", key, header={"kid": "x"}), "invalid_client_attestation", key)
        with self.step("attack 238: an attestation of another app"):
            refused(self.attester.attest("shop", key), "invalid_client_attestation", key)
        with self.step("attack 239: an attestation of another key"):
            refused(self.attester.attest("notes", other), "invalid_client_attestation", key)
        with self.step("attack 244: a refresh without the attestation does not use the refresh token up"):
            code, _ = self.code()
            _, tokens = self.app.redeem(code)
            form = {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"], "client_id": "notes"}
            bare = {"without": ("OAuth-Client-Attestation",)}
            expect(self.app.post(self.issuer + "/token", form, **bare), 400, "invalid_client_attestation")
            require(self.app.post(self.issuer + "/token", form)[0] == 200, "the refresh token was used up")


def main():
    table = Table({})
    run(table, Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else PROGRAM)
    table.summary()
    return 1 if table.failures or not table.rows else 0


if __name__ == "__main__":
    sys.exit(main())
