# SPDX-License-Identifier: Apache-2.0
"""Apache with mod_oauth2 (Debian package), an API guard in C with DPoP, started for one run."""

import os
from pathlib import Path

from server_process import ServerProcess, free_port
from table import StepFailed

PROGRAM = "/usr/sbin/apache2"

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
LoadModule oauth2_module {modules}/mod_oauth2.so
OAuth2AcceptTokenIn header name=Authorization&type=DPoP
OAuth2TokenVerify jwks_uri {jwks_uri} type=dpop
{served}
"""
# What answers behind the guard is Apache's own status page.
STATUS_PAGE = """
LoadModule status_module {modules}/mod_status.so
<Location /api>
    SetHandler server-status
    AuthType oauth2
    Require valid-user
</Location>
"""
MODULES = "/usr/lib/apache2/modules"


class Apache(ServerProcess):
    """A running server whose /api wants a DPoP-bound token; use it in a `with` statement.

    `served` is the configuration of something else that wants it.
    """

    name = "apache"

    def __init__(self, directory, jwks_uri, served=STATUS_PAGE.format(modules=MODULES)):
        super().__init__(Path(directory))
        self.configuration = self.directory / "apache.conf"
        self.jwks_uri, self.served = jwks_uri, served
        self.port = free_port()
        self.api = f"http://127.0.0.1:{self.port}/api"

    def write_configuration(self):
        self.configuration.write_text(CONFIGURATION.format(
            directory=self.directory, port=self.port, jwks_uri=self.jwks_uri, modules=MODULES, served=self.served,
            account="User www-data\nGroup www-data" if os.geteuid() == 0 else "",
        ))

    def command(self):
        return [PROGRAM, "-f", str(self.configuration), "-D", "FOREGROUND"]

    def is_ready(self):
        import requests

        if requests.get(self.api, timeout=1).status_code != 401:
            raise StepFailed("Apache lets requests without a token pass")
        return True
