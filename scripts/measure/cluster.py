# SPDX-License-Identifier: Apache-2.0
"""Three nodes of `keybound serve` behind two HAProxies on one PostgreSQL primary with two standbys, set up as docs/cluster.md says."""

import contextlib
import http.client
import os
import re
import secrets
import signal
import subprocess
import time
from pathlib import Path

import served
from replicated import wait_for

NODES = 3
# Seconds from the end of a fault until everybody is answered again.
LONGEST = 5
DOCUMENT = Path(__file__).resolve().parent.parent.parent / "docs/cluster.md"


class Process:
    """A program that is killed, stopped and started again, always with the same arguments."""

    def __init__(self, directory, name, command):
        self.log, self.command, self.process = Path(directory) / f"{name}.log", command, None

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def end(self):
        """Lets it finish what it has begun."""
        self.process.terminate()
        return self.process.wait(timeout=60)

    def signal(self, number):
        if self.process is not None:
            os.kill(self.process.pid, number)


class Cluster(served.ServedKeybound):
    """What browsers and apps see: the first proxy. Use it in a `with` statement."""

    def __init__(self, program, directory, databases):
        super().__init__(program, directory)
        self.databases = databases
        self.proxy_ports = [self.port, served.free_port()]
        self.node_ports = [served.free_port() for _ in range(NODES)]
        (self.directory / "credential").touch(mode=0o600)
        (self.directory / "credential").write_bytes(secrets.token_bytes(32))
        self.nodes = [self.node(port) for port in self.node_ports]
        self.proxies = [self.proxy(number) for number in range(2)]

    # The database

    def prepare(self):
        primary = self.databases.primary
        primary.query("CREATE ROLE keybound_owner LOGIN")
        primary.query("CREATE ROLE keybound_server LOGIN")
        primary.query("CREATE DATABASE keybound OWNER keybound_owner ENCODING 'UTF8' TEMPLATE template0")
        primary.query("REVOKE ALL ON SCHEMA public FROM PUBLIC", "keybound")
        self.migrate(self.program)
        # The servers get the rights that the documentation gives them.
        rights = re.search(r"```sql\n(GRANT USAGE.*?)```", DOCUMENT.read_text(), re.DOTALL)[1]
        primary.query(rights, "keybound")
        self.write_configuration()

    def migrate(self, program):
        subprocess.run([program, "db", "migrate", "--quiet", "--database", self.address("keybound_owner")], check=True,
                       stdout=subprocess.DEVNULL, timeout=served.PATIENCE)

    def add_first_party_client(self):
        """The load has none, and an older program does not know them."""

    def address(self, user):
        return self.databases.address("keybound", user)

    def operator(self, *arguments, text=None):
        return subprocess.run(
            [self.program, *arguments, "--quiet", "--database", self.address("keybound_server")], input=text, text=True,
            check=True, stdout=subprocess.PIPE, timeout=served.PATIENCE,
        ).stdout

    # The nodes

    def node(self, port):
        return Process(self.directory, f"node-{port}", self.serving(self.program, port))

    def serving(self, program, port):
        return [
            program, "serve", "--issuer", self.origin, "--allow-insecure-loopback-issuer", "--listen", f"127.0.0.1:{port}",
            "--database", self.address("keybound_server"), "--key-credential-file", self.directory / "credential",
            "--drain-delay", "4s", "--scope", self.scope, "--scope", self.service_scope, *served.LIMITS_OFF,
        ]

    def status(self, port, path):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection.request("GET", path)
            return connection.getresponse().status
        return 0

    def is_ready(self):
        return all(self.status(port, "/ready") == 200 for port in self.node_ports)

    # The load balancers

    def proxy(self, number):
        """The configuration in the documentation, without TLS and with these nodes."""
        text = re.search(r"```\n(defaults.*?)```", DOCUMENT.read_text(), re.DOTALL)[1]
        text = re.sub(r"bind :443 .*", f"bind 127.0.0.1:{self.proxy_ports[number]}", text)
        text = re.sub(r"X-Forwarded-Proto https", "X-Forwarded-Proto http", text)
        for index, port in enumerate(self.node_ports):
            text = text.replace(f"10.0.0.1{index + 1}:8080", f"127.0.0.1:{port}")
        path = self.directory / f"haproxy-{number}.cfg"
        path.write_text(text)
        return Process(self.directory, f"haproxy-{number}", ["/usr/sbin/haproxy", "-db", "-f", path])

    # All of it

    def __enter__(self):
        try:
            self.prepare()
            for process in self.nodes:
                process.start()
            wait_for(self.is_ready, "the nodes are not ready")
            for process in self.proxies:
                process.start()
            wait_for(lambda: all(self.status(port, "/ready") == 200 for port in self.proxy_ports), "HAProxy is not ready")
        except BaseException:
            self.__exit__()
            raise
        self.process = self.nodes[0].process
        return self

    def __exit__(self, *_):
        for process in self.nodes + self.proxies:
            with contextlib.suppress(OSError):
                process.signal(signal.SIGCONT)
            process.kill()

    def wait_until_whole(self):
        """Until everything runs as before the fault."""
        wait_for(self.databases.is_whole, "the standbys do not follow the primary")
        wait_for(self.is_ready, "the nodes are not ready")
        time.sleep(0.5)


def judge(lines, spans):
    """What must not have happened, and how long after the end of a fault somebody was still answered "not now".

    The lines are those of `bench --cluster`; the spans are faults in their order: name, beginning and end.
    """
    failures = [f"{line['violation']}: {line['text']}" for line in lines if "violation" in line]
    longest = 0
    for line in (line for line in lines if "error" in line):
        what = f"{line['error']} ({line['purpose']})"
        span = next((span for span in reversed(spans) if line["to"] >= span[1]), None)
        if span is None:
            failures.append(f"before the first fault: {what}")
            continue
        name, _, over = span
        late = line["to"] - over
        longest = max(longest, late)
        if late > LONGEST:
            failures.append(f"{name}: {what} {late:.1f} s after its end")
        elif name == "upgrade":
            # Nodes that are stopped in order cut nobody off.
            failures.append(f"upgrade: {what}")
    return failures, longest
