# SPDX-License-Identifier: Apache-2.0
"""Tests the measurement of a server's start, with servers of a few lines."""

import contextlib
import os
import socket
import sys
import threading
import time
import types
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "measure"))
import start  # noqa: E402
from served import free_port  # noqa: E402

SERVER = """
import socket, sys
with socket.create_server(("127.0.0.1", int(sys.argv[1]))) as listener:
    while True:
        connection, _ = listener.accept()
        with connection:
            connection.recv(4096)
            connection.sendall(b"HTTP/1.1 200 OK\\r\\n\\r\\n")
"""


def server(program):
    """What `first_answer` needs of a server: its port and its command."""
    port = free_port()
    command = [sys.executable, "-S", "-c", program, str(port)]
    return types.SimpleNamespace(port=port, command=lambda: command)


@contextlib.contextmanager
def answering(octets):
    """The port of a listener that answers one request."""

    def answer():
        with contextlib.suppress(OSError):
            connection, _ = listener.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(octets)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer)
        thread.start()
        yield listener.getsockname()[1]
        thread.join()


class StartTests(unittest.TestCase):
    def test_only_a_200_is_an_answer(self):
        with answering(b"HTTP/1.1 200 OK\r\n\r\n") as port:
            self.assertTrue(start.answers(port))
        with answering(b"HTTP/1.1 503 Service Unavailable\r\n\r\n") as port:
            self.assertFalse(start.answers(port))
        self.assertFalse(start.answers(free_port()))

    def test_the_median_of_several_starts_is_taken(self):
        starts = [{"milliseconds": value, "resident": 10 * value} for value in (5, 1, 9)]
        with mock.patch("start.once", side_effect=starts):
            self.assertEqual(start.first_answer(None, 3), {"milliseconds": 5, "resident": 50})

    def test_a_start_is_measured(self):
        # Without the second that a server is left alone before its memory is read.
        sleep = time.sleep
        with mock.patch("start.time.sleep", lambda seconds: sleep(min(seconds, 0.01))):
            found = start.once(server(SERVER))
        self.assertLess(0, found["processor"])
        self.assertLess(0, found["milliseconds"])
        self.assertLess(1, found["resident"])

    def test_a_server_that_ends_at_once_is_an_error(self):
        with self.assertRaises(SystemExit):
            start.once(server("raise SystemExit(1)"))

    def test_open_descriptors_are_counted(self):
        before = start.descriptors(os.getpid())
        with open(os.devnull), open(os.devnull):
            self.assertEqual(start.descriptors(os.getpid()), before + 2)

    def test_resident_memory_is_in_megabytes(self):
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        megabytes = pages * os.sysconf("SC_PAGE_SIZE") / 1e6
        # The two files of the kernel do not count alike at every moment.
        self.assertAlmostEqual(start.resident(os.getpid()), megabytes, delta=2)
