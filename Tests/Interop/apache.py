# SPDX-License-Identifier: Apache-2.0
"""Apache with mod_oauth2 (Debian package), an API guard in C with DPoP, started for one run."""

import os
import subprocess
import time
from pathlib import Path

import requests

from glewlwyd import free_port
from table import StepFailed

PROGRAM = "/usr/sbin/apache2"
PATIENCE = 10

# What answers behind the guard is Apache's own status page.
CONFIGURATION = """
ServerRoot {directory}
ServerName 127.0.0.1
Listen 127.0.0.1:{port}
PidFile {directory}/apache.pid
DefaultRuntimeDir {directory}
ErrorLog {directory}/error.log
LogLevel warn oauth2:warn
{account}
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authn_core_module {modules}/mod_authn_core.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule authz_user_module {modules}/mod_authz_user.so
LoadModule status_module {modules}/mod_status.so
LoadModule oauth2_module {modules}/mod_oauth2.so
OAuth2AcceptTokenIn header name=Authorization&type=DPoP
OAuth2TokenVerify jwks_uri {jwks_uri} type=dpop
<Location /api>
    SetHandler server-status
    AuthType oauth2
    Require valid-user
</Location>
"""


class Apache:
    """A running server whose /api wants a DPoP-bound token; use it in a `with` statement."""

    def __init__(self, directory, jwks_uri):
        self.directory = Path(directory)
        self.jwks_uri = jwks_uri
        self.port = free_port()
        self.api = f"http://127.0.0.1:{self.port}/api"

    def __enter__(self):
        configuration = self.directory / "apache.conf"
        configuration.write_text(CONFIGURATION.format(
            directory=self.directory, port=self.port, jwks_uri=self.jwks_uri, modules="/usr/lib/apache2/modules",
            account="User www-data\nGroup www-data" if os.geteuid() == 0 else "",
        ))
        self.process = subprocess.Popen(
            [PROGRAM, "-f", str(configuration), "-D", "FOREGROUND"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        )
        try:
            self.wait_until_it_answers()
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

    def wait_until_it_answers(self):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                if requests.get(self.api, timeout=1).status_code == 401:
                    return
                raise StepFailed("Apache lets requests without a token pass")
            except requests.ConnectionError:
                time.sleep(0.1)
        raise StepFailed(f"Apache does not answer; its exit status is {self.process.returncode}")
