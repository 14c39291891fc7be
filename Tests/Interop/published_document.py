# SPDX-License-Identifier: Apache-2.0
"""A web server (TLS) that publishes the metadata document of a client, which is the client's identifier."""

import contextlib
import http.server
import json
import ssl
import threading


@contextlib.contextmanager
def published(certificates, redirect_uri):
    """Yields the URL of the document, and the list of the paths that were asked for."""
    asked = []

    class Publisher(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            body = json.dumps({
                "client_id": url, "client_name": "Reference SDK", "redirect_uris": [redirect_uri],
                "token_endpoint_auth_method": "none", "grant_types": ["authorization_code", "refresh_token"],
                "response_types": ["code"],
            }).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Publisher)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificates.pair("server"))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    url = f"https://127.0.0.1:{server.server_port}/client.json"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield url, asked
    finally:
        server.shutdown()
        server.server_close()
