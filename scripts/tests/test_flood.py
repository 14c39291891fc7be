# SPDX-License-Identifier: Apache-2.0
"""Tests the flood of passwords with a server of a few lines."""

import asyncio
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "measure"))
from flood import ADDRESS, CONNECTIONS, flood, request  # noqa: E402


class FloodTests(unittest.TestCase):
    def run_flood(self, statuses, **changes):
        """What the flood counts, the requests that the server got, and how many connections it had at once."""
        requests, open_connections = [], [0, 0]
        answers = iter(statuses)

        async def serve(reader, writer):
            open_connections[0] += 1
            open_connections[1] = max(open_connections)
            try:
                while True:
                    head = (await reader.readuntil(b"\r\n\r\n")).decode()
                    length = int(head.split("Content-Length: ")[1].split("\r\n")[0])
                    requests.append((head, (await reader.readexactly(length)).decode()))
                    status = next(answers, 429)
                    if not status:
                        break
                    writer.write(f"HTTP/1.1 {status} x\r\nContent-Length: 2\r\n\r\nno".encode())
            except asyncio.IncompleteReadError:
                pass
            open_connections[0] -= 1
            writer.close()

        async def both():
            server = await asyncio.start_server(serve, "127.0.0.1", 0)
            plan = {
                "port": server.sockets[0].getsockname()[1], "target": "/login", "body": "csrf=1&password=wrong", "cookie": "a=b",
                "origin": "http://127.0.0.1", "rate": 200, "seconds": 0.5,
            } | changes
            try:
                return await flood(plan)
            finally:
                server.close()
                await server.wait_closed()
                await asyncio.sleep(0.1)

        return asyncio.run(both()), requests, open_connections[1]

    def test_every_attempt_has_a_name_of_its_own_and_comes_from_the_address(self):
        counts, requests, connections = self.run_flood([403, 403])
        self.assertEqual(counts, {"403": 2, "429": 98})
        self.assertEqual(len({body for _, body in requests}), 100)
        self.assertTrue(all(f"X-Forwarded-For: {ADDRESS}" in head and "Cookie: a=b" in head for head, _ in requests))
        self.assertLessEqual(connections, CONNECTIONS)

    def test_a_connection_that_ends_is_counted(self):
        counts, _, _ = self.run_flood([0])
        self.assertEqual(counts, {"IncompleteReadError": 1, "429": 99})

    def test_a_request_says_how_long_its_body_is(self):
        text = request({"target": "/login", "body": "a=b", "cookie": "", "origin": ""})(7).decode()
        self.assertTrue(text.endswith("Content-Length: 20\r\n\r\na=b&username=nobody7"))


if __name__ == "__main__":
    unittest.main()
