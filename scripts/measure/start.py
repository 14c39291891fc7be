# SPDX-License-Identifier: Apache-2.0
"""Measures the time from the start of a server to its first response, and its memory and descriptors."""

import contextlib
import os
import socket
import statistics
import subprocess
import time

from served import stop

REQUEST = b"GET /jwks HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"


def first_answer(server, times=7):
    """Median milliseconds from fork to the first answer, those of the processor in them, and resident MB one second later."""
    found = [once(server) for _ in range(times)]
    return {name: statistics.median(one[name] for one in found) for name in found[0]}


def once(server):
    started = time.monotonic()
    process = subprocess.Popen(
        server.command(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        while not answers(server.port):
            if process.poll() is not None or time.monotonic() - started > 10:
                raise SystemExit("the server does not start")
            time.sleep(0.0005)
        milliseconds = (time.monotonic() - started) * 1000
        # The processor clock of another process, as clock_getcpuclockid(3) makes its number.
        processor = time.clock_gettime((~process.pid << 3) | 2) * 1000
        time.sleep(1)
        return {"milliseconds": milliseconds, "processor": processor, "resident": resident(process.pid)}
    finally:
        stop(process)


def answers(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 5) as connection:
        connection.sendall(REQUEST)
        return connection.recv(64).startswith(b"HTTP/1.1 200")
    return False


def resident(process):
    """Resident memory in MB (10^6 bytes)."""
    with open(f"/proc/{process}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:")) * 1024 / 1e6


def descriptors(process):
    """How many file descriptors are open."""
    return len(os.listdir(f"/proc/{process}/fd"))
