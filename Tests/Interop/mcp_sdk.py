# SPDX-License-Identifier: Apache-2.0
"""Clients and servers of the Model Context Protocol by other authors, with Keybound's; no operator registered the clients."""

import contextlib
import functools
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

import browser
import reporting_program
from certificates import Certificates
from published_document import published
from server_process import free_port, free_ports, stop
from table import StepFailed, require

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILT = ROOT / ".build/debug"
PASSWORD = "correct horse battery staple"
# The environments that scripts/bootstrap interop makes, and the release that each has.
ENVIRONMENTS = {
    "mcp 2.3.0": ("interop-mcp2", "mcp_client_program.py"), "mcp 1.30.0": ("interop-mcp1", "mcp_client_program.py"),
    "fastmcp 4.2.3": ("interop-fastmcp", "fastmcp_client_program.py"),
}


LIST_NOTES = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_notes", "arguments": {}}}


@contextlib.contextmanager
def servers(directory, command, rules=None, environment=None):
    """`keybound serve` that lets unknown clients in, and an MCP server; yields its URL.

    `command` makes the command of the MCP server from the issuer and the port. `rules` are those for unknown clients, by
    default that all may register themselves; `environment` is added to that of `keybound serve`.
    """
    issuer_port, port = free_ports(2)
    issuer = f"http://127.0.0.1:{issuer_port}"
    url = f"http://127.0.0.1:{port}/mcp"
    scopes = ["notes:read", "notes:write"]
    configuration = directory / "mcp.json"
    configuration.write_text(json.dumps({
        "issuer": issuer, "listen": f"127.0.0.1:{issuer_port}", "allowInsecureLoopbackIssuer": True,
        "unencryptedKeyFile": True, "dataDirectory": str(directory / "data"), "allowBearerTokens": True,
        "scopes": {scope: scope for scope in scopes}, "resources": {url: {"scopes": scopes}},
        "unregisteredClients": {"scopes": scopes, "allowBearerTokens": True, **(rules or {"openRegistration": True})},
    }))
    password = directory / "password"
    password.touch(mode=0o600)  # The command refuses a secret that others may read.
    password.write_text(PASSWORD)
    subprocess.run(
        [BUILT / "keybound", "user", "add", "ada", "--config", configuration, "--password-file", password],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    with contextlib.ExitStack() as stack:
        serve = [BUILT / "keybound", "serve", "--config", configuration]
        programs = [
            stack.enter_context(started(directory, "serve", serve, {**os.environ, **(environment or {})})),
            stack.enter_context(started(directory, "notes", command(issuer, str(port)))),
        ]
        wait(url)
        wait(issuer)
        if any(program.poll() is not None for program in programs):
            raise StepFailed("one of the servers ended, and something else answers at its port")
        yield url


@contextlib.contextmanager
def started(directory, name, command, environment=None):
    with open(directory / f"{name}.log", "wb") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, env=environment
        )
        try:
            yield process
        finally:
            stop(process)


def wait(url):
    import requests

    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with contextlib.suppress(requests.ConnectionError):
            requests.get(url, timeout=5)
            return
        time.sleep(0.05)
    raise StepFailed(f"nothing answers at {url}")


def example(issuer, port):
    return [BUILT / "mcp-notes", issuer, port, "--bearer"]


def reference(issuer, port):
    return [ROOT / ".build/interop-mcp2/bin/python3", "-B", HERE / "mcp_server_program.py", issuer, port]


def fastmcp(issuer, port):
    return [ROOT / ".build/interop-fastmcp/bin/python3", "-B", HERE / "fastmcp_server_program.py", issuer, port]


@contextlib.contextmanager
def its_own_issuer(directory):
    """fastmcp as MCP server and authorization server in one; yields the URL of the MCP server."""
    port = free_port()
    url = f"http://127.0.0.1:{port}/mcp"
    with started(directory, "notes", fastmcp("-", str(port))):
        wait(url)
        yield url


def run(table):
    sdk_as_client(table)
    sdk_with_document(table)
    for title, running in (
        ("Keybound's server, MCP server of mcp 2.3.0", functools.partial(servers, command=reference)),
        ("Keybound's server, MCP server of fastmcp 4.2.3", functools.partial(servers, command=fastmcp)),
        ("fastmcp 4.2.3 as MCP server and authorization server", its_own_issuer),
    ):
        command_at_server(table, f"keybound login --mcp -> {title}", running)


def command_at_server(table, group, running):
    """`keybound login --mcp` at a server of another author, which takes Bearer tokens only."""
    with table.group(group), tempfile.TemporaryDirectory() as directory, running(Path(directory)) as url:
        environment = {**os.environ, "XDG_STATE_HOME": directory + "/state"}

        def keybound(*arguments, text=""):
            result = subprocess.run(
                [BUILT / "keybound", *arguments], input=text, capture_output=True, text=True, env=environment, timeout=60
            )
            require(result.returncode == 0, result.stderr[:300])
            return result.stdout

        with table.step(group, "from the URL alone to a sign-in: discovery, registration, the scope of the server"):
            address = keybound("login", "--mcp", url, "--allow-insecure-loopback", "--print-url").strip()
        with table.step(group, "sign-in and consent pages, code exchange"):
            keybound("login", "--answer-file", "-", text=browser.walk(address, "ada", PASSWORD) + "\n")
        with table.step(group, "the token is Bearer, for this server alone, since the server checks no proofs") as note:
            token = json.loads(keybound("token", "show", "--json"))
            require(token["token_type"] == "Bearer" and token["scope"] == "notes:read", str(token))
            note(token["scope"])
        for moment in ("tools/call", "tools/call with a refreshed token"):
            with table.step(group, moment):
                answer = keybound(
                    "request", "POST", url, "--fail", "-d", json.dumps(LIST_NOTES),
                    "-H", "Accept: application/json, text/event-stream",
                )
                require("water the plants" in answer, answer[:200])
            if moment == "tools/call":
                with table.step(group, "refresh"):
                    keybound("token", "refresh")
        with table.step(group, "sign-out"):
            keybound("logout")


def sdk_as_client(table):
    for release, (environment, program) in ENVIRONMENTS.items():
        with tempfile.TemporaryDirectory() as directory, servers(Path(directory), example) as url:
            reporting_program.run(
                table, f"{release} -> Keybound's server and guard, registered by itself",
                [
                    ROOT / ".build" / environment / "bin/python3", "-B", HERE / program, url,
                    str(free_port()),
                ],
                functools.partial(browser.walk, username="ada", password=PASSWORD),
            )


def sdk_with_document(table):
    """The SDK's client is known by the URL of its metadata document alone, which the server fetches over TLS."""
    for release in ("mcp 2.3.0", "mcp 1.30.0"):
        environment, program = ENVIRONMENTS[release]
        title = f"{release} -> Keybound's server and guard, with a metadata document"
        port = free_port()
        with tempfile.TemporaryDirectory() as directory:
            certificates = Certificates(directory)
            with published(certificates, f"http://127.0.0.1:{port}/callback") as (document, asked):
                rules = {
                    "documents": ["127.0.0.1"], "documentPorts": [str(urlsplit(document).port)],
                    "allowInsecureLoopbackDocuments": True,
                }
                trusted = {"SSL_CERT_FILE": certificates.authority}
                with servers(Path(directory), example, rules, trusted) as url:
                    reporting_program.run(
                        table, title,
                        [ROOT / ".build" / environment / "bin/python3", "-B", HERE / program, url, str(port), document],
                        functools.partial(browser.walk, username="ada", password=PASSWORD),
                    )
                table.row(title, "the server fetched the document once", asked == ["/client.json"], str(asked)[:100])
