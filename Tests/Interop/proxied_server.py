# SPDX-License-Identifier: Apache-2.0
"""`keybound serve` behind nginx and behind Caddy as docs/operations.md has it: TLS, the public address, and who is believed to be whom.

Clients come from loopback addresses of their own, since the proxy speaks to the server from 127.0.0.1, the one trusted proxy.
"""

import base64
import contextlib
import hashlib
import http.client
import json
import os
import re
import secrets
import signal
import socket
import ssl
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import requests
from joserfc import jwt
from joserfc.jwk import ECKey

import browser
from caddy import Caddy
from certificates import Certificates
from nginx import Nginx
from server_process import free_port
from table import require

PATIENCE = 300
ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / ".build/debug/keybound"
CALLBACK = "http://127.0.0.1/callback"
PASSWORD = "correct horse battery staple"
LIMIT = 12
MADE_UP = "198.51.100.9"


def documented(language, names):
    """A configuration of the document, with the names of this run: `names` has pairs of what stands there and what stands here."""
    text = (ROOT / "docs/operations.md").read_text()
    block = re.search(rf"```{language}\n(.*?)```", text, re.DOTALL).group(1)
    for there, here in names:
        require(there in block, f"the document has no '{there}'")
        block = block.replace(there, here)
    return block


def nginx(directory, listen, behind):
    servers = documented("nginx", (
        ("listen 443 ssl", f"listen 127.0.0.1:{listen} ssl"), ("server_name auth.example.com;", ""),
        ("/etc/ssl/auth.example.com", f"{directory}/server"), ("127.0.0.1:8080", f"127.0.0.1:{behind}"),
    ))
    return Nginx(directory, servers, listen)


def caddy(directory, listen, behind):
    """With a certificate of this run, since none can be had from a public authority for a loopback address."""
    site = f"https://127.0.0.1:{listen} {{\n    bind 127.0.0.1\n    tls {directory}/server.crt {directory}/server.key"
    configuration = documented("caddyfile", (
        ("{\n    servers {", "{\n    admin off\n    auto_https off\n    servers {"),
        ("auth.example.com {", site), ("127.0.0.1:8080", f"127.0.0.1:{behind}"),
    ))
    return Caddy(directory, configuration, listen)


PROXIES = {"nginx": nginx, "Caddy": caddy}

# What no two programs may read differently. These are refused by every proxy.
REFUSED = {
    "NUL and LF": b"GET /jwks HTTP/1.1\r\nHost: 127.0.0.1\r\nX: y\0\nConnection: close\r\n\r\n",
    "NUL": b"GET /jwks HTTP/1.1\r\nHost: 127.0.0.1\r\nX: y\0z\r\nConnection: close\r\n\r\n",
    "NUL in a name": b"GET /jwks HTTP/1.1\r\nHost: 127.0.0.1\r\nX\0Y: z\r\nConnection: close\r\n\r\n",
    "two lengths": b"POST /jwks HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "two hosts": b"GET /jwks HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: b\r\nConnection: close\r\n\r\n",
}
# These are refused, or read in one way and written anew: the server answers none of them as they stand here.
REFUSED_OR_WRITTEN_ANEW = {
    "folded": b"GET /jwks HTTP/1.1\r\nHost: 127.0.0.1\r\nX: y\r\n X-Forwarded-For: %b\r\nConnection: close\r\n\r\n",
    "bare LF": b"GET /jwks HTTP/1.1\nHost: 127.0.0.1\nX: y\nX-Forwarded-For: %b\nForwarded: for=%b\nConnection: close\n\n",
    "length and chunks": (
        b"GET /jwks HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: %b\r\nConnection: close\r\n"
        b"Content-Length: 48\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /userinfo HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    ),
}


class ServedKeybound:
    """A running server; use it in a `with` statement."""

    def __init__(self, directory, issuer, port):
        self.directory = Path(directory)
        self.arguments = [
            "serve", "--issuer", issuer, "--listen", f"127.0.0.1:{port}", "--data-directory", directory,
            "--unencrypted-key-file", "--scope", "notes:read", "--trusted-proxy", "127.0.0.1",
            "--authorization-request-limit", f"{LIMIT}/1h", "--log-format", "json", "--log-level", "info",
        ]

    def operator(self, *arguments, text=None):
        subprocess.run(
            [PROGRAM, *arguments, "--data-directory", self.directory], input=text, text=True, check=True,
            capture_output=True, timeout=PATIENCE,
        )

    def __enter__(self):
        self.operator("client", "add", "--id", "app", "--redirect-uri", CALLBACK, "--scope", "notes:read")
        self.operator("user", "add", "ada", "--password-file", "-", text=PASSWORD)
        self.errors = open(self.directory / "log", "w+")
        self.process = subprocess.Popen([PROGRAM, *self.arguments], stdout=subprocess.PIPE, stderr=self.errors, text=True)
        for line in self.process.stdout:
            if line.startswith("protected"):
                return self
        raise AssertionError("the server did not start")

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=PATIENCE)
        self.errors.close()

    def logged(self, message):
        """What the log says under a name."""
        lines = [json.loads(line) for line in (self.directory / "log").read_text().splitlines()]
        return [line for line in lines if line["message"] == message]

    def requests(self, path):
        """What the log says of the requests for a path."""
        return [line for line in self.logged("request") if line["path"] == path]


class Client:
    """Speaks to the proxy from an address."""

    def __init__(self, port, authority, address):
        self.port, self.address = port, address
        self.context = ssl.create_default_context(cafile=authority)

    def send(self, method, path, body=None, fields=()):
        connection = http.client.HTTPSConnection(
            "127.0.0.1", self.port, timeout=PATIENCE, context=self.context, source_address=(self.address, 0)
        )
        with contextlib.closing(connection):
            connection.request(method, path, body, dict(fields))
            response = connection.getresponse()
            return response.status, response.headers, response.read()

    def post(self, path, form, **fields):
        """Posts a form, which is answered in JSON."""
        fields = {"Content-Type": "application/x-www-form-urlencoded", **fields}
        status, headers, body = self.send("POST", path, urlencode(form), fields.items())
        return status, headers, json.loads(body)

    def push(self, verifier="v" * 43, **fields):
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        return self.post("/par", {
            "client_id": "app", "response_type": "code", "redirect_uri": CALLBACK, "scope": "notes:read",
            "state": "s", "code_challenge_method": "S256", "code_challenge": challenge,
        }, **fields)

    def raw(self, head):
        """The status of the answer to a head, byte by byte; 0 when the connection is closed without one."""
        connection = socket.create_connection(("127.0.0.1", self.port), PATIENCE, (self.address, 0))
        with self.context.wrap_socket(connection, server_hostname="127.0.0.1") as stream:
            stream.sendall(head)
            answer = b""
            with contextlib.suppress(OSError):
                while part := stream.recv(4096):
                    answer += part
        return int(answer.split()[1]) if answer.startswith(b"HTTP/") else 0


class Proofs:
    """Makes DPoP proofs with one key, and remembers the nonce."""

    def __init__(self):
        self.key = ECKey.generate_key("P-256")
        self.nonce = None

    def proof(self, method, uri):
        header = {"typ": "dpop+jwt", "alg": "ES256", "jwk": self.key.as_dict(private=False)}
        claims = {"jti": secrets.token_urlsafe(16), "htm": method, "htu": uri, "iat": int(time.time())}
        return jwt.encode(header, {**claims, **({"nonce": self.nonce} if self.nonce else {})}, self.key)

    def redeem(self, client, form, uri):
        """Posts to /token, with a proof for `uri`, and once more with the nonce when one is asked for."""
        status, headers, answer = client.post("/token", form, DPoP=self.proof("POST", uri))
        if answer.get("error") != "use_dpop_nonce":
            return status, answer
        self.nonce = headers["DPoP-Nonce"]
        status, _, answer = client.post("/token", form, DPoP=self.proof("POST", uri))
        return status, answer


def run(table):
    for name, proxy in PROXIES.items():
        group = f"keybound serve behind {name}"
        with table.group(group), tempfile.TemporaryDirectory() as directory:
            certificates = Certificates(directory)
            (listen, behind) = (free_port(), free_port())
            issuer = f"https://127.0.0.1:{listen}"
            with ServedKeybound(directory, issuer, behind) as server, proxy(directory, listen, behind):
                clients = [Client(listen, certificates.authority, f"127.0.0.{number}") for number in (2, 3)]
                code, verifier = sign_in(table, group, issuer, certificates.authority, clients)
                redeem(table, group, issuer, behind, clients[1], code, verifier)
                addresses(table, group, server, clients)
                heads(table, group, server, clients[0])
                long_forms(table, group, Client(listen, certificates.authority, "127.0.0.4"))


def sign_in(table, group, issuer, authority, clients):
    with table.step(group, "the public address is the configured one, whatever Host and X-Forwarded-Host say"):
        path = "/.well-known/oauth-authorization-server"
        own = {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "http"}
        status, _, body = clients[0].send("GET", path, fields=own.items())
        require(status == 200 and json.loads(body)["issuer"] == issuer and b"evil" not in body, f"status {status}")
        # Caddy answers for other hosts by itself, with nothing.
        _, _, body = clients[0].send("GET", path, fields={**own, "Host": "evil.example"}.items())
        require(body == b"" or json.loads(body)["issuer"] == issuer and b"evil" not in body, "another address")
    with table.step(group, "sign-in through the pages over TLS, with cookies that are Secure"):
        verifier = secrets.token_urlsafe(32)
        _, _, pushed = clients[1].push(verifier)
        url = issuer + "/authorize?" + urlencode({"client_id": "app", "request_uri": pushed["request_uri"]})
        first = requests.get(url, verify=authority, timeout=PATIENCE)
        cookie = first.headers["Set-Cookie"]
        require(cookie.startswith("__Host-") and "Secure" in cookie, "the cookie is not a __Host- one")
        os.environ["REQUESTS_CA_BUNDLE"] = authority
        try:
            answer = parse_qs(urlsplit(browser.walk(url, "ada", PASSWORD)).query)
        finally:
            del os.environ["REQUESTS_CA_BUNDLE"]
        require(answer["iss"] == [issuer] and "code" in answer, "no code")
    return answer["code"][0], verifier


def redeem(table, group, issuer, behind, client, code, verifier):
    form = {
        "grant_type": "authorization_code", "client_id": "app", "code": code, "redirect_uri": CALLBACK,
        "code_verifier": verifier,
    }
    with table.step(group, "a proof is about the public address: the one behind the proxy is refused, and costs nothing") as note:
        proofs = Proofs()
        status, answer = proofs.redeem(client, form, f"http://127.0.0.1:{behind}/token")
        require((status, answer["error"]) == (400, "invalid_dpop_proof"), f"{status} {answer.get('error')}")
        status, answer = proofs.redeem(client, form, f"{issuer}/token")
        require(status == 200 and answer["token_type"] == "DPoP", f"{status} {answer.get('error')}")
        note("the code was still good")


def addresses(table, group, server, clients):
    with table.step(group, "a client that makes up addresses is limited all the same, another one is not") as note:
        made_up = {"X-Forwarded-For": "198.51.100.1", "Forwarded": "for=198.51.100.2"}
        answers = [clients[0].push(**{**made_up, "X-Forwarded-For": f"198.51.100.{n}"}) for n in range(LIMIT + 1)]
        require([answer[0] for answer in answers] == [201] * LIMIT + [429], f"{[answer[0] for answer in answers]}")
        require(int(answers[-1][1]["Retry-After"]) > 0, "no Retry-After")
        require(clients[1].push()[0] == 201, "the neighbour is limited too")
        note(f"429 after {LIMIT}")
    with table.step(group, "the log has the address of the client, and the name that the proxy gave the request"):
        _, headers, _ = clients[0].send("GET", "/jwks", fields={"X-Request-Id": "mine"}.items())
        # The line is written after the answer is sent.
        deadline = time.monotonic() + 10
        while not server.requests("/jwks") and time.monotonic() < deadline:
            time.sleep(0.05)
        (logged,) = server.requests("/jwks")
        require(logged["address"] == clients[0].address, logged["address"])
        require(headers["X-Request-Id"] == logged["request_id"] != "mine", "another name")
        require(re.fullmatch("[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}", logged["request_id"]), "a name of the server's")
        require(clients[0].send("GET", "/ready")[0] == 404, "/ready is answered in public")


def heads(table, group, server, client):
    before = len(server.requests("/jwks"))
    with table.step(group, "what libmicrohttpd would take is refused, or does not reach it") as note:
        statuses = {name: client.raw(head) for name, head in REFUSED.items()}
        note(", ".join(f"{name}: {status}" for name, status in statuses.items()))
        require(set(statuses.values()) == {400}, f"{statuses}")
        require(len(server.requests("/jwks")) == before, "one of them was answered by the server")
    with table.step(group, "what two programs could read differently is refused, or reaches the server in one way") as note:
        made_up = MADE_UP.encode()
        statuses = {
            name: client.raw(head.replace(b"%b", made_up)) for name, head in REFUSED_OR_WRITTEN_ANEW.items()
        }
        note(", ".join(f"{name}: {status}" for name, status in statuses.items()))
        require(set(statuses.values()) <= {200, 400, 411}, f"{statuses}")
        reached = server.requests("/jwks")[before:]
        require(len(reached) == list(statuses.values()).count(200), "the proxy and the server count differently")
        require({line["address"] for line in reached} <= {client.address}, "a made-up address was believed")
        require(not server.requests("/userinfo"), "the server read a request that the proxy took for a body")
        # Caddy passes a length and chunks on as chunks alone.
        refused = [line for line in server.logged("refused by the listener") if line["status"] != 411]
        require(not refused, "the proxy passed on what the listener refuses")


def long_forms(table, group, client):
    """The server turns a posted authorization request into an address, if that can be sent through the proxy again."""
    with table.step(group, "a long authorization request that is posted passes both ways, a longer one gets 413"):
        fields = {"Content-Type": "application/x-www-form-urlencoded"}.items()
        status, headers, _ = client.send("POST", "/authorize", urlencode({"state": "s" * 13_900}), fields)
        require(status == 303, f"status {status} for the form")
        # The state is too long, and the client is missing; but the server has read the request.
        status, _, body = client.send("GET", headers["Location"])
        require(status == 400 and b"For the developer" in body, f"status {status} for the address")
        status, _, _ = client.send("POST", "/authorize", urlencode({"state": "s" * 14_000}), fields)
        require(status == 413, f"status {status} for the longer form")
