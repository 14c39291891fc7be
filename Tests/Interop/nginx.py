# SPDX-License-Identifier: Apache-2.0
"""nginx (Debian package) as what terminates TLS, started for one run: one address without client certificates, two with.

What is behind it gets the certificate of the connection in fields of the request.
"""

import socket
import subprocess
import time
from pathlib import Path

from glewlwyd import free_port
from table import StepFailed

PROGRAM = "/usr/sbin/nginx"
PATIENCE = 10

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


class Nginx:
    """A running proxy; use it in a `with` statement. `directory` has the certificates, `behind` is the port of the server."""

    def __init__(self, directory, behind, configuration=None, listen=None):
        """`configuration`: another one than that of this file, which listens at the port `listen`."""
        self.directory = Path(directory)
        self.ports = {"open": free_port(), "issued": free_port(), "any": listen or free_port(), "behind": behind}
        self.configuration = configuration or CONFIGURATION.format(directory=self.directory, **self.ports)

    def address(self, name):
        return f"https://127.0.0.1:{self.ports[name]}"

    def __enter__(self):
        configuration = self.directory / "nginx.conf"
        configuration.write_text(self.configuration)
        self.process = subprocess.Popen(
            [PROGRAM, "-c", str(configuration), "-p", str(self.directory), "-e", str(self.directory / "error.log")],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        )
        try:
            self.wait_until_it_listens()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def wait_until_it_listens(self):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.ports["any"]), timeout=1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise StepFailed(f"nginx does not listen; its exit status is {self.process.poll()}")
