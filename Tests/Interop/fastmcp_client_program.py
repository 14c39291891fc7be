# SPDX-License-Identifier: Apache-2.0
"""fastmcp (PyPI) as a client of an MCP server that it knows by its URL alone; its redirect URI is on http://localhost.

    fastmcp_client_program.py URL PORT
"""

import asyncio
import json
import sys
import threading
import time
import traceback
import urllib.error
import urllib.request
import webbrowser


def tell(step, passed=True, note=""):
    print(json.dumps({"step": step, "passed": passed, "note": note}), flush=True)


def open_page(url, *_, **__):
    """The browser: the pages are walked by whoever started this program, and the answer is fetched from here."""
    print(json.dumps({"open": url}), flush=True)
    opened.append(url)
    threading.Thread(target=return_to_app, daemon=True).start()
    return True


def return_to_app():
    """The app listens only after it has opened the browser."""
    callback = sys.stdin.readline().strip()
    for _ in range(200):
        try:
            urllib.request.urlopen(callback, timeout=30).read()
            return
        except urllib.error.URLError:
            time.sleep(0.05)


opened = []
webbrowser.open = open_page

from fastmcp import Client  # noqa: E402
from fastmcp.client.auth import OAuth  # noqa: E402


def text(result):
    return "".join(getattr(part, "text", "") for part in result.content)


async def main(url, port):
    async with Client(url, auth=OAuth(callback_port=port)) as client:
        tell("from a bare 401 to a session: discovery, registration, sign-in, tokens")
        tell("the redirect URI is on http://localhost", "redirect_uri=http%3A%2F%2Flocalhost" in opened[0], "")
        tools = await client.list_tools()
        tell("tools/list", {tool.name for tool in tools} == {"list_notes", "add_note"})
        tell("tools/call with the scope of the challenge", "water the plants" in text(await client.call_tool("list_notes", {})))


try:
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
except BaseException as error:  # an exception group holds the one that matters
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    traceback.print_exception(error, file=sys.stderr)
    tell("the program ran to its end", False, f"{type(error).__name__}: {error}"[:200])
    sys.exit(1)
