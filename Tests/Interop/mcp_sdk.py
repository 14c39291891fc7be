# SPDX-License-Identifier: Apache-2.0
"""The reference SDK of the Model Context Protocol at Keybound's server and guard: nobody registered it by hand."""

import contextlib
import functools
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

import browser
import reporting_program
from server_process import free_port, stop
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
def servers(directory, command):
    """`keybound serve` that lets unknown clients in, and an MCP server; yields its URL.

    `command` makes the command of the MCP server from the issuer and the port.
    """
    issuer_port, port = free_port(), free_port()
    issuer = f"http://127.0.0.1:{issuer_port}"
    url = f"http://127.0.0.1:{port}/mcp"
    scopes = ["notes:read", "notes:write"]
    configuration = directory / "mcp.json"
    configuration.write_text(json.dumps({
        "issuer": issuer, "listen": f"127.0.0.1:{issuer_port}", "allowInsecureLoopbackIssuer": True,
        "unencryptedKeyFile": True, "dataDirectory": str(directory / "data"), "allowBearerTokens": True,
        "scopes": {scope: scope for scope in scopes}, "resources": {url: {"scopes": scopes}},
        "unregisteredClients": {"openRegistration": True, "scopes": scopes, "allowBearerTokens": True},
    }))
    password = directory / "password"
    password.touch(mode=0o600)  # The command refuses a secret that others may read.
    password.write_text(PASSWORD)
    subprocess.run(
        [BUILT / "keybound", "user", "add", "ada", "--config", configuration, "--password-file", password],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    with contextlib.ExitStack() as stack:
        for name, command in (
            ("serve", [BUILT / "keybound", "serve", "--config", configuration]),
            ("notes", command(issuer, str(port))),
        ):
            log = stack.enter_context(open(directory / f"{name}.log", "wb"))
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
            stack.callback(stop, process)
        wait(url)
        wait(issuer)
        yield url


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


def run(table):
    sdk_as_client(table)
    sdk_as_server(table)


def sdk_as_server(table):
    """`keybound login --mcp` at a server of the SDK, which takes Bearer tokens only, behind Keybound's authorization server."""
    group = "keybound login --mcp -> Keybound's server, MCP server of mcp 2.3.0"
    with table.group(group), tempfile.TemporaryDirectory() as directory, servers(Path(directory), reference) as url:
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
