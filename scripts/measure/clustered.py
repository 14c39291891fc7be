# SPDX-License-Identifier: Apache-2.0
"""Nodes of `keybound serve` on one PostgreSQL for benchmarks: what a request costs each node and the database."""

import os
import shutil
import tempfile
from pathlib import Path

import cluster
import served
from replicated import Database

TICKS = os.sysconf("SC_CLK_TCK")
# The columns without a default that a grant with a refresh token has; times are spread over the last month, as with SQLite.
FILL = """
INSERT INTO keybound.grants (id, client_id, subject, scope, authenticated_at, amr, created_at, resources, authorization_details,
    family_hash, refresh_scope, expires_at, refresh_hash, refresh_thumbprint, refresh_ends)
SELECT encode(prefix || decode(substr(md5(n::text), 1, 18), 'hex'), 'base64'), 'app', 'somebody', 'openid', 0, '[]', created, '[]', '[]',
    decode(md5('f' || n) || md5('g' || n), 'hex'), 'openid', ends + 86400000, prefix || decode(md5('h' || n) || substr(md5('i' || n), 1, 18), 'hex'),
    'the-thumbprint-of-a-key-of-somebody-43-long', ends
FROM (
    SELECT n, created, now_ms + 2592000000 AS ends, decode(lpad(to_hex(created), 12, '0') || substr(md5(n::text), 31, 2), 'hex') AS prefix
    FROM (SELECT (extract(epoch FROM now()) * 1000)::bigint AS now_ms) AS clock,
        LATERAL (SELECT n, now_ms - 2592000000 + n * (2592000000 / {count}) AS created FROM generate_series(1, {count}) AS n) AS numbers
) AS rows
"""


class Single:
    """One PostgreSQL without standbys; use it in a `with` statement."""

    def __enter__(self):
        base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.root = Path(tempfile.mkdtemp(prefix="keybound-bench-", dir=base))
        self.root.chmod(0o755)
        self.primary = Database(self.root, "d0", False, {"shared_buffers": "256MB", "max_wal_size": "4GB", "full_page_writes": "off"})
        try:
            self.primary.initialize()
            self.primary.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.primary.kill()
        shutil.rmtree(self.root, ignore_errors=True)

    def address(self, database, user):
        return f"postgresql://{user}@/{database}?host={self.primary.directory}"

    def processor(self):
        """Seconds of processor time of all its processes, also of those that have ended."""
        parent = self.primary.process.pid
        children = [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if parent_of(pid) == parent]
        return sum(processor_of(pid) for pid in [parent, *children]) + ended_of(parent)

    def log_written(self):
        """Bytes of the write-ahead log so far; images of pages, which depend on checkpoints, are off."""
        return int(self.primary.query("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint"))

    def fill(self, count):
        """Stores so many grants with a refresh token each, all of them still valid."""
        self.primary.query(FILL.format(count=count), "keybound", patience=3600)
        self.primary.query("VACUUM ANALYZE keybound.grants", "keybound", patience=3600)


def fields_of(pid):
    """The fields of /proc/PID/stat after the name, which may have spaces; empty if the process has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def parent_of(pid):
    fields = fields_of(pid)
    return int(fields[1]) if fields else None


def processor_of(pid):
    fields = fields_of(pid)
    return (int(fields[11]) + int(fields[12])) / TICKS if fields else 0


def ended_of(pid):
    """What children had used that have ended and were waited for."""
    fields = fields_of(pid)
    return (int(fields[13]) + int(fields[14])) / TICKS if fields else 0


class Nodes(cluster.Cluster):
    """So many nodes without load balancers; the generator goes to each itself. Use it in a `with` statement."""

    name = "postgresql"

    def __init__(self, program, directory, databases, count):
        super().__init__(program, directory, databases)
        self.nodes, self.node_ports = self.nodes[:count], self.node_ports[:count]
        self.proxies, self.proxy_ports = [], []
        # Every node has the same issuer, whichever port it listens on.
        self.port = self.node_ports[0]

    def plans(self, cookie, rows, workers, seconds):
        """One plan for each node, with its share of the workers."""
        return [
            served.plan(self, cookie, rows, workers // len(self.nodes), seconds) | {"process": node.process.pid, "port": port}
            for node, port in zip(self.nodes, self.node_ports)
        ]


def combined(results):
    """Of several nodes: sums, the processor time for a request of any, and the slowest p99."""
    requests = sum(one["requests"] + one["failures"] for one in results)
    work = sum(one["processor"] * (one["requests"] + one["failures"]) for one in results)
    return {
        "row": results[0]["row"], "requests": requests, "failures": sum(one["failures"] for one in results),
        "firstFailure": next((one["firstFailure"] for one in results if one["firstFailure"]), None),
        "processor": work / max(requests, 1), "perSecond": sum(one["perSecond"] for one in results),
        "p99": max(one["p99"] for one in results),
    }
