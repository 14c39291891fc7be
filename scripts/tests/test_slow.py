# SPDX-License-Identifier: Apache-2.0
"""Tests the slow connections, and what measures their effect, with a server of a few lines."""

import asyncio
import sys
import threading
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "measure"))
from slow import OTHER_ADDRESS, SLOW_ADDRESS, hold, percentile, probe  # noqa: E402


class Server:
    """Answers whole requests, and keeps what each peer sent."""

    def __init__(self, status="200 OK", cuts=False):
        self.status, self.cuts, self.peers, self.received = status, cuts, [], []

    def __enter__(self):
        self.loop = asyncio.new_event_loop()
        started = threading.Event()
        self.thread = threading.Thread(target=self.run, args=[started])
        self.thread.start()
        started.wait()
        return self

    def run(self, started):
        server = self.loop.run_until_complete(asyncio.start_server(self.serve, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        started.set()
        self.loop.run_forever()
        server.close()
        self.loop.run_until_complete(self.end())
        self.loop.close()

    @staticmethod
    async def end():
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.wait_for(asyncio.gather(*rest), 10)
        await asyncio.sleep(0.05)

    async def serve(self, reader, writer):
        self.peers.append(writer.get_extra_info("peername")[0])
        data = b""
        while not self.cuts and b"\r\n\r\n" not in data and (part := await reader.read(100)):
            data += part
        self.received.append(data)
        if b"\r\n\r\n" in data:
            writer.write(f"HTTP/1.1 {self.status}\r\n\r\n".encode())
        writer.close()

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()


class SlowTests(unittest.TestCase):
    def test_connections_are_held_and_never_finish_a_head(self):
        with Server() as server:
            self.assertEqual(hold(server.port, 3, 2.5), {"connections": 3})
        self.assertEqual(server.peers, [SLOW_ADDRESS] * 3)
        for data in server.received:
            self.assertTrue(data.startswith(b"GET / HTTP/1.1\r\nHost: a\r\nX: "))
            self.assertNotIn(b"\r\n\r\n", data)

    def test_a_connection_that_was_cut_comes_again(self):
        with Server(cuts=True) as server:
            self.assertGreater(hold(server.port, 2, 2.5)["connections"], 2)

    def test_every_answer_is_measured(self):
        with Server() as server:
            latencies, failures = asyncio.run(probe(server.port, "/", 20, 0.5))
        self.assertEqual((len(latencies), failures), (10, []))
        self.assertEqual(set(server.peers), {OTHER_ADDRESS})

    def test_other_answers_and_none_are_failures(self):
        with Server("503 Busy") as server:
            self.assertEqual(len(asyncio.run(probe(server.port, "/", 20, 0.1))[1]), 2)
        with Server(cuts=True) as server:
            self.assertEqual(len(asyncio.run(probe(server.port, "/", 20, 0.1))[1]), 2)

    def test_percentile(self):
        self.assertEqual(percentile(list(range(100, 0, -1)), 0.99), 100)
        self.assertEqual(percentile([3], 0.99), 3)


if __name__ == "__main__":
    unittest.main()
