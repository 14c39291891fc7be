# SPDX-License-Identifier: Apache-2.0
"""Holds slow connections to a server from one loopback address, and measures what another address notices of it.

  python3 slow.py PORT CONNECTIONS SECONDS    holds connections until its time is over; a line of JSON says how many it had
"""

import asyncio
import json
import selectors
import socket
import sys
import time

SLOW_ADDRESS = "127.0.0.2"
OTHER_ADDRESS = "127.0.0.3"


class SlowConnection:
    """Sends a head that never ends, a byte a second, and connects again a second after it was cut."""

    START = b"GET / HTTP/1.1\r\nHost: a\r\nX: "

    def __init__(self, port, due):
        self.port, self.due, self.socket, self.opened = port, due, None, 0

    def act(self, selector, now):
        self.due = now + 1
        if self.socket is None:
            self.socket = socket.socket()
            self.socket.setblocking(False)
            self.socket.bind((SLOW_ADDRESS, 0))
            self.socket.connect_ex(("127.0.0.1", self.port))
            selector.register(self.socket, selectors.EVENT_READ, self)
            self.rest, self.opened = self.START, self.opened + 1
        try:
            self.rest = self.rest[self.socket.send(self.rest):] or b"y"
        except BlockingIOError:
            pass
        except OSError:
            self.drop(selector)

    def read(self, selector):
        try:
            if self.socket.recv(4096):
                return
        except OSError:
            pass
        self.drop(selector)

    def drop(self, selector):
        selector.unregister(self.socket)
        self.socket.close()
        self.socket = None


def hold(port, count, seconds):
    selector = selectors.DefaultSelector()
    begin = time.monotonic()
    connections = [SlowConnection(port, begin + number / count) for number in range(count)]
    while (now := time.monotonic()) < begin + seconds:
        for connection in connections:
            if connection.due <= now:
                connection.act(selector, now)
        for key, _ in selector.select(0.02):
            key.data.read(selector)
    for connection in connections:
        if connection.socket:
            connection.drop(selector)
    selector.close()
    return {"connections": sum(connection.opened for connection in connections)}


async def probe(port, path, rate, seconds):
    """Asks for a page so many times a second, each on a connection of its own; latencies in seconds, and what failed."""
    latencies, failures = [], []

    async def ask():
        begin = time.monotonic()
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(OTHER_ADDRESS, 0))
            writer.write(f"GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
            answer = await asyncio.wait_for(reader.read(), 10)
            writer.close()
            if not answer.startswith(b"HTTP/1.1 200 "):
                failures.append(answer[:60].decode(errors="replace") or "closed without an answer")
        except (OSError, TimeoutError) as error:
            failures.append(repr(error))
        latencies.append(time.monotonic() - begin)

    begin = time.monotonic()
    async with asyncio.TaskGroup() as group:
        for number in range(int(rate * seconds)):
            await asyncio.sleep(max(0, begin + number / rate - time.monotonic()))
            group.create_task(ask())
    return latencies, failures


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


if __name__ == "__main__":
    print(json.dumps(hold(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))))
