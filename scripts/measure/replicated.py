# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL primary with two synchronous standbys on this machine, which can be killed, stopped and promoted."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

PATIENCE = 300
NAMES = ["d0", "d1", "d2"]


class DatabaseFailed(Exception):
    """PostgreSQL is missing, or did not do what it was told."""


def programs():
    """The directory of the newest PostgreSQL from Debian."""
    found = [path for path in Path("/usr/lib/postgresql").glob("*/bin") if int(path.parent.name) >= 15]
    if not found:
        raise DatabaseFailed("PostgreSQL 15 or later is missing: run scripts/bootstrap test")
    return max(found, key=lambda path: int(path.parent.name))


def wait_for(condition, what):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if condition():
            return
        time.sleep(0.05)
    raise DatabaseFailed(f"waited {PATIENCE} s: {what}")


class Database:
    """One server on a Unix socket. PostgreSQL refuses to run as root, so that root becomes the user `postgres`."""

    def __init__(self, root, name, is_synchronous, settings=None):
        self.name, self.directory, self.is_synchronous = name, Path(root) / name, is_synchronous
        self.settings = settings or {}
        self.data = self.directory / "data"
        self.directory.mkdir()
        if os.geteuid() == 0:
            shutil.chown(self.directory, "postgres", "postgres")
        self.process = None

    def run(self, *command, patience=PATIENCE):
        done = subprocess.run([*self.user(), *command], text=True, capture_output=True, timeout=patience, cwd="/", check=False)
        if done.returncode:
            raise DatabaseFailed(f"{command[0]} failed: {done.stderr.strip()}")
        return done.stdout.strip()

    @staticmethod
    def user():
        return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []

    def initialize(self):
        self.run(programs() / "initdb", "--no-sync", "--no-instructions", "-U", "postgres", "-A", "trust", "-E", "UTF8",
                 "--locale=C", "-D", self.data)

    def copy(self, primary):
        """A standby of another server from its files, as after the loss of a machine."""
        shutil.rmtree(self.data, ignore_errors=True)
        self.run(programs() / "pg_basebackup", "--no-sync", "--checkpoint=fast", "--write-recovery-conf", "-D", self.data,
                 "-d", self.source(primary))

    def source(self, primary):
        return f"host={primary.directory} user=postgres application_name={self.name}"

    def start(self):
        # A crash of the programs loses nothing that the operating system has: fsync is for a crash of the machine.
        settings = {
            "listen_addresses": "", "fsync": "off", "max_connections": "100", "deadlock_timeout": "100ms", "shared_buffers": "32MB",
            "max_wal_senders": "10", "wal_keep_size": "256MB", "wal_retrieve_retry_interval": "200ms", "wal_sender_timeout": "10s",
            "synchronous_standby_names": f"ANY 1 ({', '.join(NAMES)})" if self.is_synchronous else "", **self.settings,
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with open(self.directory / "log", "ab") as log:
            self.process = subprocess.Popen(
                [*self.user(), programs() / "postgres", "-D", self.data, "-k", self.directory, *options], cwd="/",
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )
        wait_for(self.answers, f"{self.name} does not answer")

    def answers(self):
        try:
            return self.query("SELECT 1") == "1"
        except DatabaseFailed:
            return False

    def query(self, text, database="postgres", patience=PATIENCE):
        return self.run(*self.client(text, database), patience=patience)

    def client(self, text, database):
        return ["psql", "-X", "-A", "-t", "-q", "-h", self.directory, "-U", "postgres", "-d", database, "-c", text]

    def signal(self, number):
        """Sends a signal to all processes, the children first when they are to hear nothing of it."""
        subprocess.run(["pkill", f"-{number}", "-P", str(self.process.pid)], check=False)
        os.kill(self.process.pid, number)

    def kill(self):
        if self.process is None:
            return
        self.signal(signal.SIGKILL)
        self.process.wait()
        self.process = None
        (self.data / "postmaster.pid").unlink(missing_ok=True)

    def end(self):
        """Ends it so that its shared memory goes too: after a kill it stays, and a machine has room for some thousand pieces."""
        if self.process is None:
            return
        self.signal(signal.SIGCONT)
        self.process.send_signal(signal.SIGQUIT)
        try:
            self.process.wait(timeout=PATIENCE)
            self.process = None
        except subprocess.TimeoutExpired:
            self.kill()

    def hold_back(self):
        """Sends the standbys nothing more, as if the network between them were cut, until it is killed."""
        for sender in self.query("SELECT pid FROM pg_stat_replication").split():
            os.kill(int(sender), signal.SIGSTOP)

    def follow(self, primary):
        conninfo = self.source(primary) if primary else ""
        self.query(f"ALTER SYSTEM SET primary_conninfo = '{conninfo}'")
        self.query("SELECT pg_reload_conf()")

    def promote(self):
        if self.query("SELECT pg_promote()") != "t":
            raise DatabaseFailed(f"{self.name} was not promoted")

    def received(self):
        """How much of the log it has, in bytes."""
        return int(self.query("SELECT coalesce(pg_wal_lsn_diff(pg_last_wal_receive_lsn(), '0/0'), 0)::bigint"))


class Replicated:
    """A primary and two standbys, one of which confirms each commit; use it in a `with` statement."""

    def __init__(self, is_synchronous=True):
        self.is_synchronous = is_synchronous

    def __enter__(self):
        base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.root = Path(tempfile.mkdtemp(prefix="keybound-cluster-", dir=base))
        self.root.chmod(0o755)
        self.databases = [Database(self.root, name, self.is_synchronous) for name in NAMES]
        self.primary = self.databases[0]
        try:
            self.primary.initialize()
            self.primary.start()
            for standby in self.databases[1:]:
                self.rejoin(standby)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for database in self.databases:
            database.end()
        shutil.rmtree(self.root, ignore_errors=True)

    def standbys(self):
        return [database for database in self.databases if database is not self.primary]

    def rejoin(self, database):
        database.kill()
        database.copy(self.primary)
        database.start()

    def is_whole(self):
        try:
            return self.primary.query("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'") == "2"
        except DatabaseFailed:
            return False

    def fail_over(self):
        """Makes the standby that has most of the log the primary, and lets the other one follow it; the old primary is left alone.

        Of any two, one has all that was answered: with one of two as synchronous standbys it is the one that has more.
        """
        old = self.primary
        newest, other = sorted(self.standbys(), key=lambda database: database.received(), reverse=True)
        newest.promote()
        self.primary = newest
        other.follow(newest)
        return old

    def address(self, database, user):
        """Of whichever server takes writes."""
        hosts = ",".join(str(each.directory) for each in self.databases)
        return f"postgresql://{user}@/{database}?host={hosts}"
