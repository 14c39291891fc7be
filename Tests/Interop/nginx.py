# SPDX-License-Identifier: Apache-2.0
"""nginx (Debian package) as what terminates TLS, started for one run: one address without client certificates, two with.

What is behind it gets the certificate of the connection in fields of the request.
"""

import socket
from pathlib import Path

from server_process import ServerProcess, free_port

PROGRAM = "/usr/sbin/nginx"

CONFIGURATION = """
daemon off;
worker_processes 1;
pid {directory}/nginx.pid;
error_log {directory}/error.log warn;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
    ssl_certificate {directory}/server.crt;
    ssl_certificate_key {directory}/server.key;
    ssl_protocols TLSv1.2 TLSv1.3;
    proxy_set_header Host $http_host;
    proxy_set_header X-Client-Verify $ssl_client_verify;
    proxy_set_header X-Client-Subject $ssl_client_s_dn;
    proxy_set_header X-Client-Certificate $ssl_client_escaped_cert;
    proxy_set_header X-Protocol $ssl_protocol;
    server {{
        listen 127.0.0.1:{open} ssl;
        location / {{ proxy_pass http://127.0.0.1:{behind}; }}
    }}
    server {{
        listen 127.0.0.1:{issued} ssl;
        ssl_verify_client on;
        ssl_client_certificate {directory}/authority.crt;
        location / {{ proxy_pass http://127.0.0.1:{behind}; }}
    }}
    server {{
        listen 127.0.0.1:{any} ssl;
        ssl_verify_client optional_no_ca;
        location / {{ proxy_pass http://127.0.0.1:{behind}; }}
    }}
}}
"""


class Nginx(ServerProcess):
    """A running proxy; use it in a `with` statement. `directory` has the certificates, `behind` is the port of the server."""

    name = "nginx"

    def __init__(self, directory, behind, configuration=None, listen=None):
        """`configuration`: another one than that of this file, which listens at the port `listen`."""
        super().__init__(Path(directory))
        self.configuration = self.directory / "nginx.conf"
        self.ports = {"open": free_port(), "issued": free_port(), "any": listen or free_port(), "behind": behind}
        self.text = configuration or CONFIGURATION.format(directory=self.directory, **self.ports)

    def address(self, name):
        return f"https://127.0.0.1:{self.ports[name]}"

    def write_configuration(self):
        self.configuration.write_text(self.text)

    def command(self):
        errors = str(self.directory / "error.log")
        return [PROGRAM, "-c", str(self.configuration), "-p", str(self.directory), "-e", errors]

    def is_ready(self):
        socket.create_connection(("127.0.0.1", self.ports["any"]), timeout=1).close()
        return True
