# SPDX-License-Identifier: Apache-2.0
"""Caddy (Debian package) as what terminates TLS, started for one run."""

import socket
from pathlib import Path

from server_process import ServerProcess

PROGRAM = "/usr/bin/caddy"


class Caddy(ServerProcess):
    """A running proxy; use it in a `with` statement. `configuration` is its Caddyfile, which makes it listen at `port`."""

    name = "caddy"

    def __init__(self, directory, configuration, port):
        super().__init__(Path(directory))
        self.configuration = self.directory / "Caddyfile"
        self.text = configuration
        self.port = port

    def write_configuration(self):
        self.configuration.write_text(self.text)

    def command(self):
        # What Caddy keeps would else be in the home directory.
        kept = [f"XDG_{name}_HOME={self.directory}" for name in ("CONFIG", "DATA")]
        return ["/usr/bin/env", *kept, PROGRAM, "run", "--config", str(self.configuration), "--adapter", "caddyfile"]

    def is_ready(self):
        socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        return True
