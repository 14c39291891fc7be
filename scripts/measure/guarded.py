# SPDX-License-Identifier: Apache-2.0
"""An API behind guards that others put in front of it: nginx alone, nginx with `keybound gateway`, Apache with mod_oauth2.

`scripts/bench-server --gateway` measures them in turns, with the same requests. Each guard says which processes are its
own; the API behind all of them is another nginx, whose time is not counted.
"""

import contextlib
import http.client
import json
import re
import statistics
import subprocess
import tempfile
from pathlib import Path

import served
from apache import MODULES, Apache
from benchmark import GENERATOR, PROGRAM, table
from server_process import ServerProcess, free_port

AUDIENCE = "https://api.example.com"
# The gateway beside a bare verification, and mod_oauth2 beside nginx and the gateway together.
TARGETS = {"remembered": 1.5, "not remembered": 2.7, "mod_oauth2": 2.0}
VERIFICATIONS = re.compile(r"256 bits ecdsa \(nistp256\).*\s([\d.]+)\s*$", re.MULTILINE)
NGINX = """
daemon off;
master_process off;
pid {directory}/nginx.pid;
error_log {directory}/error.log;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    keepalive_requests 100000000;
    client_body_temp_path {directory}/body; proxy_temp_path {directory}/proxy; fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi; scgi_temp_path {directory}/scgi;
{servers}
}}
"""
# For the Apache of the interoperability tests: one process beside the one that watches it, and a proxy in place of a page.
PROXYING = """
StartServers 1
ServerLimit 1
ThreadsPerChild 64
MaxRequestWorkers 64
MaxKeepAliveRequests 0
KeepAliveTimeout 60
LoadModule proxy_module {modules}/mod_proxy.so
LoadModule proxy_http_module {modules}/mod_proxy_http.so
ProxyPass / http://127.0.0.1:{upstream}/ keepalive=On
<Location />
    AuthType oauth2
    Require valid-user
</Location>
"""


class Issuer(served.ServedKeybound):
    """The server that issues the tokens, for the API."""

    scope = "notes:read"

    def __init__(self, directory):
        super().__init__(PROGRAM, directory, "--audience", AUDIENCE)


class Nginx(ServerProcess):
    """An nginx of one process."""

    name = "nginx"

    def __init__(self, directory, servers, port):
        super().__init__(Path(directory))
        self.servers, self.port = servers, port

    def write_configuration(self):
        self.directory.mkdir()
        (self.directory / "nginx.conf").write_text(NGINX.format(directory=self.directory, servers=self.servers))

    def command(self):
        return ["nginx", "-c", self.directory / "nginx.conf", "-e", self.directory / "error.log"]

    def is_ready(self):
        return status(self.port) > 0


def status(port):
    """The status of a request without a token."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=served.PATIENCE)
    try:
        connection.request("GET", "/notes")
        return connection.getresponse().status
    finally:
        connection.close()


class Gateway(ServerProcess):
    """`keybound gateway` on a unix socket."""

    name = "gateway"

    def __init__(self, directory, issuer, address, remembered):
        super().__init__(Path(directory))
        self.socket = self.directory / "gateway.sock"
        self.settings = {
            "listen": f"unix:{self.socket}", "socketMode": "0666", "proxy": ["nginx"], "issuer": issuer,
            "allowInsecureLoopbackIssuer": True, "rememberedTokens": remembered,
            "apis": [{"address": address, "audience": AUDIENCE, "rules": [{"path": "/notes"}]}],
        }

    def write_configuration(self):
        self.directory.mkdir()
        (self.directory / "gateway.json").write_text(json.dumps(self.settings))

    def command(self):
        return [PROGRAM, "gateway", "--config", self.directory / "gateway.json"]

    def is_ready(self):
        return self.socket.exists()


def processes_of(server):
    """A server's process and its children."""
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
    return [server.process.pid, *map(int, children)]


def proxied(port, upstream):
    """The configuration of nginx alone, with what `keybound gateway config` has for the API."""
    return (f"upstream api {{ server 127.0.0.1:{upstream}; keepalive 32; }}\n"
            f"server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://api; proxy_http_version 1.1;\n"
            'proxy_set_header Connection ""; proxy_set_header Host $host; proxy_buffering off; } }')


@contextlib.contextmanager
def guards(work, issuer):
    """For each guard, its port and a function that tells its processes: proxy, gateway or what Apache has."""
    with contextlib.ExitStack() as stack:
        upstream = free_port()
        stack.enter_context(Nginx(work / "api", f"server {{ listen 127.0.0.1:{upstream}; return 200 notes; }}", upstream))
        found = {}
        port = free_port()
        alone = stack.enter_context(Nginx(work / "alone", proxied(port, upstream), port))
        found["nginx alone"] = (port, [alone.process.pid])
        for name, remembered in [("remembered", 10_000), ("not remembered", 0)]:
            port = free_port()
            address, directory = f"http://127.0.0.1:{port}", work / name.replace(" ", "-")
            gateway = stack.enter_context(Gateway(directory, issuer, address, remembered))
            printed = subprocess.run(
                [PROGRAM, "gateway", "config", "nginx", "--api", address, "--upstream", f"127.0.0.1:{upstream}",
                 "--gateway", f"unix:{gateway.socket}"], check=True, stdout=subprocess.PIPE, text=True,
            ).stdout
            proxy = stack.enter_context(Nginx(directory / "nginx", printed, port))
            found[name] = (port, [proxy.process.pid, gateway.process.pid])
        (work / "apache").mkdir()
        proxying = PROXYING.format(modules=MODULES, upstream=upstream)
        apache = stack.enter_context(Apache(work / "apache", issuer + "/jwks", proxying))
        found["mod_oauth2"] = (apache.port, processes_of(apache))
        yield found


def measure(rounds, seconds, workers):
    """For each guard and number of workers, the results of all rounds."""
    results = {}
    with tempfile.TemporaryDirectory() as directory:
        work = Path(directory)
        work.chmod(0o755)
        (work / "issuer").mkdir()
        with Issuer(work / "issuer") as issuer, guards(work, issuer.origin) as found:
            cookie = issuer.sign_in()
            for _ in range(rounds):
                for count in workers:
                    for name, (port, processes) in found.items():
                        plan = served.plan(issuer, cookie, ["api"], count, seconds) | {
                            "apiPort": port, "apiAddress": f"http://127.0.0.1:{port}", "apiProcesses": processes,
                        }
                        results.setdefault((name, count), []).extend(served.load(GENERATOR, work, plan))
    return results


def verification():
    """Microseconds of processor time for one verification of an ES256 signature by OpenSSL."""
    output = subprocess.run(["openssl", "speed", "-seconds", "2", "ecdsap256"], check=True, capture_output=True, text=True).stdout
    return microseconds(output)


def microseconds(output):
    """Microseconds for a verification, from what `openssl speed` prints."""
    return 1e6 / float(VERIFICATIONS.search(output)[1])


def summary(rounds):
    """The median of the rounds, for a guard and a number of workers."""
    middle = lambda values: statistics.median(values)  # noqa: E731
    first, last = (middle([one["processors"][index] for one in rounds]) for index in (0, -1))
    return {
        "processor": middle([one["processor"] for one in rounds]), "proxy": first, "gateway": last,
        **{name: middle([one[name] for one in rounds]) for name in ("perSecond", "p50", "p99", "resident")},
        "failures": sum(one["failures"] for one in rounds),
        "firstFailure": next((one["firstFailure"] for one in rounds if one["firstFailure"]), None),
    }


def verdicts(rows, floor):
    """For each number of workers, what the targets are about: name, ratio, target, whether it is met."""
    found = []
    for count in sorted({count for _, count in rows}):
        for name in ("remembered", "not remembered"):
            ratio = rows[name, count]["gateway"] / floor
            found.append((f"gateway, token {name}, in bare verifications", count, ratio, f"<= {TARGETS[name]}", ratio <= TARGETS[name]))
        ratio = rows["mod_oauth2", count]["processor"] / rows["remembered", count]["processor"]
        found.append(("mod_oauth2 beside nginx and gateway", count, ratio, f">= {TARGETS['mod_oauth2']}", ratio >= TARGETS["mod_oauth2"]))
    return found


def report(rows, floor, is_markdown):
    """The tables."""
    head = ["guard", "workers", "processor time of a request", "the gateway of it", "per second", "p50", "p99", "RSS", "failures"]
    lines = [
        [
            name, str(count), f"{one['processor']:.1f} µs",
            f"{one['gateway']:.1f} µs" if name.endswith("remembered") else "-", f"{one['perSecond']:.0f}",
            f"{one['p50']:.2f} ms", f"{one['p99']:.2f} ms", f"{one['resident']:.0f} MB", str(one["failures"]),
        ]
        for (name, count), one in sorted(rows.items(), key=lambda row: row[0][1])
    ]
    ratios = [
        [name, str(count), f"{ratio:.2f}", target, "met" if is_met else "missed"]
        for name, count, ratio, target, is_met in verdicts(rows, floor)
    ]
    return "\n\n".join([
        f"A verification by OpenSSL: {floor:.1f} µs.", table(head, lines, is_markdown),
        table(["ratio", "workers", "", "target", ""], ratios, is_markdown),
    ])
