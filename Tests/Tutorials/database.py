# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL for the documents."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

from terminal import Broken


class Database:
    """A server of PostgreSQL, which refuses root. For a page that says `sudo -u postgres`, `sudo()` leads to it."""

    def __init__(self, folder, port, settings=""):
        """`settings` are further ones of the server, as options of its command."""
        self.folder, self.port = folder / "postgresql", port
        self.folder.mkdir()
        programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        if not programs:
            raise Broken("no PostgreSQL; scripts/bootstrap test installs it")
        self.programs = programs[-1].parent
        self.user = []
        if os.getuid() == 0:
            # Its commands may not look into the directory of the reader, which has secrets; only this folder is theirs.
            self.user = ["runuser", "-u", "postgres", "--"]
            folder.chmod(0o711)
            shutil.chown(self.folder, "postgres")
        self.call("initdb", "--auth-host=scram-sha-256", "--auth-local=trust", "--username=postgres", "-D", self.folder / "data")
        settings += f" -c port={port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder} -c fsync=off"
        self.call("pg_ctl", "-D", self.folder / "data", "-w", "-l", self.folder / "log", "-o", settings, "start")

    def call(self, program, *arguments):
        subprocess.run(
            [*self.user, self.programs / program, *arguments], check=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, cwd=self.folder,
        )

    def sql(self, text):
        """Runs commands of psql, which may connect to another database."""
        psql = ["psql", "--quiet", "--set=ON_ERROR_STOP=1", f"--host={self.folder}", f"--port={self.port}", "--username=postgres"]
        subprocess.run([*self.user, *psql], check=True, input=text.encode(), stdout=subprocess.DEVNULL, cwd=self.folder)

    def sudo(self):
        """A script that runs `sudo -u postgres COMMAND`."""
        # The input of the command is a file that its user cannot open.
        return f"""#!/bin/sh
[ "$1 $2" = '-u postgres' ] || exit 1
shift 2
cd {self.folder}
exec {shlex.join(self.user)} env PGHOST={self.folder} PGPORT={self.port} PGUSER=postgres "$@"
"""

    def stop(self):
        self.call("pg_ctl", "-D", self.folder / "data", "-m", "immediate", "stop")
