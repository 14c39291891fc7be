#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An MCP server that knows nothing about OAuth: `keybound gateway` and a reverse proxy stand before it.

    server.py PORT

It listens on 127.0.0.1 alone, and takes the user from the field that the proxy sets. Needs nothing but Python.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

TOOLS = [
    {"name": "list_notes", "description": "Lists your notes", "inputSchema": {"type": "object"}},
]


def answer(message, user):
    """The result of a JSON-RPC message; `None` if there is no such method or tool."""
    parameters = message.get("params") or {}
    match message.get("method"):
        case "initialize":
            return {
                "protocolVersion": parameters.get("protocolVersion", "2025-11-25"),
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "notes", "version": "1"},
            }
        case "ping":
            return {}
        case "tools/list":
            return {"tools": TOOLS}
        case "tools/call" if parameters.get("name") == "list_notes":
            return {"content": [{"type": "text", "text": f"notes of {user}: water the plants"}]}
    return None


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), 1 << 20))
        # "-" means that nobody is signed in: compared before it is decoded.
        subject = self.headers.get("X-Keybound-Subject", "-")
        if subject == "-":
            return self.reply(401, None)
        try:
            message = json.loads(body)
        except ValueError:
            return self.reply(400, None)
        if not isinstance(message, dict) or "id" not in message:
            return self.reply(202, None)
        result = answer(message, unquote(subject))
        reply = {"jsonrpc": "2.0", "id": message["id"]}
        if result is None:
            reply["error"] = {"code": -32601, "message": "there is no such method or tool"}
        else:
            reply["result"] = result
        self.reply(200, reply)

    def reply(self, status, document):
        body = b"" if document is None else json.dumps(document).encode()
        self.send_response(status)
        if body:
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    print("ready", flush=True)
    server.serve_forever()
