# SPDX-License-Identifier: Apache-2.0
"""Sends wrong passwords to a server from one address, as fast as told, whatever the answers are.

  python3 flood.py    reads {"port", "target", "body", "cookie", "origin", "rate", "seconds"} as JSON; prints how often each status came
"""

import asyncio
import collections
import json
import sys
import time

ADDRESS = "203.0.113.1"
CONNECTIONS = 64


def request(plan):
    """A function from a number to a request; each has a name of its own, whose owner is not asked to wait."""
    fields = [
        f"POST {plan['target']} HTTP/1.1", "Host: a", f"X-Forwarded-For: {ADDRESS}", f"Origin: {plan['origin']}",
        f"Cookie: {plan['cookie']}", "Content-Type: application/x-www-form-urlencoded",
    ]

    def numbered(number):
        body = f"{plan['body']}&username=nobody{number}"
        return "\r\n".join([*fields, f"Content-Length: {len(body)}", "", body]).encode()

    return numbered


async def read_answer(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
    await reader.readexactly(int(fields[b"content-length"]))
    return int(head.split()[1])


async def flood(plan):
    """Requests leave at their time, as far as the connections suffice; a proxy has so many to its server."""
    message, statuses, idle = request(plan), collections.Counter(), []
    places = asyncio.Semaphore(CONNECTIONS)

    async def attempt(number):
        async with places:
            try:
                reader, writer = idle.pop() if idle else await asyncio.open_connection("127.0.0.1", plan["port"])
                writer.write(message(number))
                statuses[await read_answer(reader)] += 1
                idle.append((reader, writer))
            except (OSError, EOFError) as error:
                statuses[type(error).__name__] += 1

    begin = time.monotonic()
    async with asyncio.TaskGroup() as group:
        for number in range(int(plan["rate"] * plan["seconds"])):
            await asyncio.sleep(max(0, begin + number / plan["rate"] - time.monotonic()))
            group.create_task(attempt(number))
    for _, writer in idle:
        writer.close()
    return {str(status): count for status, count in statuses.items()}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(flood(json.load(sys.stdin)))))
