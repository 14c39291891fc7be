# SPDX-License-Identifier: Apache-2.0
"""Apache with mod_oauth2 (Debian package), an API guard in C with DPoP, started for one run."""

import os
from pathlib import Path

import requests

from server_process import ServerProcess, free_port
from table import StepFailed

PROGRAM = "/usr/sbin/apache2"

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


class Apache(ServerProcess):
    """A running server whose /api wants a DPoP-bound token; use it in a `with` statement."""

    name = "apache"

    def __init__(self, directory, jwks_uri):
        super().__init__(Path(directory))
        self.configuration = self.directory / "apache.conf"
        self.jwks_uri = jwks_uri
        self.port = free_port()
        self.api = f"http://127.0.0.1:{self.port}/api"

    def write_configuration(self):
        self.configuration.write_text(CONFIGURATION.format(
            directory=self.directory, port=self.port, jwks_uri=self.jwks_uri, modules="/usr/lib/apache2/modules",
            account="User www-data\nGroup www-data" if os.geteuid() == 0 else "",
        ))

    def command(self):
        return [PROGRAM, "-f", str(self.configuration), "-D", "FOREGROUND"]

    def is_ready(self):
        if requests.get(self.api, timeout=1).status_code != 401:
            raise StepFailed("Apache lets requests without a token pass")
        return True
