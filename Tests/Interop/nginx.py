# SPDX-License-Identifier: Apache-2.0
"""nginx (Debian package) as what terminates TLS, started for one run."""

import socket
from pathlib import Path

from server_process import ServerProcess, free_port

PROGRAM = "/usr/sbin/nginx"

CONFIGURATION = """
daemon off;
worker_processes 1;
pid {directory}/nginx.pid;
error_log {directory}/error.log crit;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
{servers}
}}
"""

# One address without client certificates, two with. What is behind gets the certificate of the connection in fields.
CERTIFICATE_SERVERS = """
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
"""


class Nginx(ServerProcess):
    """A running proxy; use it in a `with` statement. `servers` are its server blocks, one of which listens at `port`."""

    name = "nginx"

    def __init__(self, directory, servers, port):
        super().__init__(Path(directory))
        self.configuration = self.directory / "nginx.conf"
        self.servers = servers
        self.port = port

    def write_configuration(self):
        self.configuration.write_text(CONFIGURATION.format(directory=self.directory, servers=self.servers))

    def command(self):
        errors = str(self.directory / "error.log")
        return [PROGRAM, "-c", str(self.configuration), "-p", str(self.directory), "-e", errors]

    def is_ready(self):
        socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        return True


class CertificateNginx(Nginx):
    """One that asks clients for certificates. `directory` has those of `Certificates`, `behind` is the port of the server."""

    def __init__(self, directory, behind):
        self.ports = {name: free_port() for name in ("open", "issued", "any")}
        servers = CERTIFICATE_SERVERS.format(directory=directory, behind=behind, **self.ports)
        super().__init__(directory, servers, self.ports["any"])

    def address(self, name):
        return f"https://127.0.0.1:{self.ports[name]}"
