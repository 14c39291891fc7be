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

# The revisions of the protocol that this server speaks, the newest first.
VERSIONS = ["2025-11-25", "2025-06-18"]
# Origins whose web pages may call this server, such as "https://agent.example.com".
ORIGINS = []
# The longest body that is read, in bytes.
LIMIT = 1 << 20


def answer(message, user):
    """The result of a JSON-RPC message; `None` if there is no such method or tool."""
    parameters = message.get("params")
    if not isinstance(parameters, dict):
        parameters = {}
    match message.get("method"):
        case "initialize":
            # MCP Lifecycle, Version Negotiation: the client's revision if this server speaks it, else its own newest.
            version = parameters.get("protocolVersion")
            return {
                "protocolVersion": version if version in VERSIONS else VERSIONS[0],
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
    # A client that sends less than it announced does not hold a thread for ever.
    timeout = 30

    def read_body(self):
        """The body, or the status of the refusal if its end is not known for sure.

        What is left unread would be taken for the next request, with a user that the client chose (RFC 9112 sections 6.3
        and 11.2).
        """
        if "Transfer-Encoding" in self.headers:
            return None, 411
        lengths = self.headers.get_all("Content-Length", [])
        if not lengths:
            return None, 411
        if len(lengths) > 1 or not (lengths[0].isascii() and lengths[0].isdigit()):
            return None, 400
        if len(lengths[0]) > 9 or int(lengths[0]) > LIMIT:
            return None, 413
        length = int(lengths[0])
        try:
            body = self.rfile.read(length)
        except TimeoutError:
            return None, 408
        return (body, None) if len(body) == length else (None, 400)

    def do_POST(self):
        # MCP Transports, Streamable HTTP: a page of another origin, as after DNS rebinding, is refused.
        if any(origin not in ORIGINS for origin in self.headers.get_all("Origin", [])):
            return self.reply(403, None)
        body, refusal = self.read_body()
        if refusal:
            return self.reply(refusal, None)
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
        # One request for each connection: this also sets `close_connection` (RFC 9112 section 9.6).
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    print("ready", flush=True)
    server.serve_forever()
