# SPDX-License-Identifier: Apache-2.0
"""`keybound serve` behind nginx as docs/operations.md has it: TLS, the public address, and who is believed to be whom.

Clients come from loopback addresses of their own, since nginx speaks to the server from 127.0.0.1, the one trusted proxy.
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
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import requests

import browser
from certificates import Certificates
from glewlwyd import free_port
from nginx import Nginx
from table import require

GROUP = "keybound serve behind nginx"
PATIENCE = 10
ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / ".build/debug/keybound"
CALLBACK = "http://127.0.0.1/callback"
PASSWORD = "correct horse battery staple"
LIMIT = 12

AROUND = """
daemon off;
worker_processes 1;
pid {directory}/nginx.pid;
error_log {directory}/error.log crit;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
{server}
}}
"""


def documented_configuration(directory, listen, behind):
    """The server block of the document, with the names of this run."""
    text = (ROOT / "docs/operations.md").read_text()
    block = re.search(r"```nginx\n(.*?)```", text, re.DOTALL).group(1)
    for there, here in (
        ("listen 443 ssl", f"listen 127.0.0.1:{listen} ssl"), ("server_name auth.example.com;", ""),
        ("/etc/ssl/auth.example.com", f"{directory}/server"), ("127.0.0.1:8080", f"127.0.0.1:{behind}"),
    ):
        require(there in block, f"the document has no '{there}'")
        block = block.replace(there, here)
    return AROUND.format(directory=directory, server=block)


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

    def requests(self, path):
        """What the log says of the requests for a path."""
        lines = [json.loads(line) for line in (self.directory / "log").read_text().splitlines()]
        return [line for line in lines if line["message"] == "request" and line["path"] == path]


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

    def push(self, **fields):
        verifier = secrets.token_urlsafe(32)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        form = {
            "client_id": "app", "response_type": "code", "redirect_uri": CALLBACK, "scope": "notes:read",
            "state": "s", "code_challenge_method": "S256", "code_challenge": challenge,
        }
        fields = {"Content-Type": "application/x-www-form-urlencoded", **fields}
        return self.send("POST", "/par", urlencode(form), fields.items())

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


def run(table):
    with table.group(GROUP), tempfile.TemporaryDirectory() as directory:
        certificates = Certificates(directory)
        (listen, behind) = (free_port(), free_port())
        issuer = f"https://127.0.0.1:{listen}"
        configuration = documented_configuration(directory, listen, behind)
        with ServedKeybound(directory, issuer, behind) as server, Nginx(directory, behind, configuration, listen):
            clients = [Client(listen, certificates.authority, f"127.0.0.{number}") for number in (2, 3)]
            steps(table, server, issuer, certificates.authority, clients)


def steps(table, server, issuer, authority, clients):
    with table.step(GROUP, "the public address is the configured one, whatever Host and X-Forwarded-Host say"):
        status, _, body = clients[0].send(
            "GET", "/.well-known/oauth-authorization-server",
            fields={"Host": "evil.example", "X-Forwarded-Host": "evil.example"}.items(),
        )
        metadata = json.loads(body)
        require(status == 200 and metadata["issuer"] == issuer and b"evil" not in body, f"status {status}")
    with table.step(GROUP, "sign-in through the pages over TLS, with cookies that are Secure"):
        _, _, body = clients[1].push()
        url = issuer + "/authorize?" + urlencode({"client_id": "app", "request_uri": json.loads(body)["request_uri"]})
        first = requests.get(url, verify=authority, timeout=PATIENCE)
        cookie = first.headers["Set-Cookie"]
        require(cookie.startswith("__Host-") and "Secure" in cookie, "the cookie is not a __Host- one")
        os.environ["REQUESTS_CA_BUNDLE"] = authority
        try:
            answer = parse_qs(urlsplit(browser.walk(url, "ada", PASSWORD)).query)
        finally:
            del os.environ["REQUESTS_CA_BUNDLE"]
        require(answer["iss"] == [issuer] and "code" in answer, "no code")
    with table.step(GROUP, "a client that makes up addresses is limited all the same, another one is not") as note:
        made_up = {"X-Forwarded-For": "198.51.100.1", "Forwarded": "for=198.51.100.2"}
        answers = [clients[0].push(**{**made_up, "X-Forwarded-For": f"198.51.100.{n}"}) for n in range(LIMIT + 1)]
        require([answer[0] for answer in answers] == [201] * LIMIT + [429], f"{[answer[0] for answer in answers]}")
        require(int(answers[-1][1]["Retry-After"]) > 0, "no Retry-After")
        require(clients[1].push()[0] == 201, "the neighbour is limited too")
        note(f"429 after {LIMIT}")
    with table.step(GROUP, "the log has the address of the client, and the name that nginx gave the request"):
        status, headers, _ = clients[0].send("GET", "/jwks", fields={"X-Request-Id": "mine"}.items())
        (logged,) = server.requests("/jwks")
        require(logged["address"] == "127.0.0.2", logged["address"])
        require(headers["X-Request-Id"] == logged["request_id"] and len(logged["request_id"]) == 32, "another name")
        require(clients[0].send("GET", "/ready")[0] == 404, "/ready is answered in public")
    with table.step(GROUP, "what libmicrohttpd would take is refused, or does not reach it") as note:
        before = len(server.requests("/jwks"))
        heads = {
            "NUL and LF": b"GET /jwks HTTP/1.1\r\nHost: a\r\nX: y\0\nConnection: close\r\n\r\n",
            "NUL": b"GET /jwks HTTP/1.1\r\nHost: a\r\nX: y\0z\r\nConnection: close\r\n\r\n",
            "folded": b"GET /jwks HTTP/1.1\r\nHost: a\r\nX: y\r\n z\r\nConnection: close\r\n\r\n",
            "two lengths": b"POST /jwks HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        }
        statuses = {name: clients[0].raw(head) for name, head in heads.items()}
        note(", ".join(f"{name}: {status}" for name, status in statuses.items()))
        require(set(statuses.values()) == {400}, f"{statuses}")
        require(len(server.requests("/jwks")) == before, "one of them was answered by the server")
