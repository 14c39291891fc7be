# SPDX-License-Identifier: Apache-2.0
"""LemonLDAP::NG (Debian package), an OpenID provider in Perl with PKCE and pages to log in, started for one run."""

import json
import os
import secrets
import subprocess
from pathlib import Path

import requests

from server_process import ServerProcess, free_port

PORTAL = "/usr/share/lemonldap-ng/portal"

SETTINGS = """
[all]
logLevel = warn
[configuration]
type = File
dirName = {directory}
localStorage = Cache::MemoryCache
[portal]
templateDir = {portal}/templates
languages = en
"""


def openssl(*arguments):
    return subprocess.run(["openssl", *arguments], check=True, capture_output=True, text=True).stdout


class LemonLDAP(ServerProcess):
    """A running portal with one public client and the people of its own demonstration; use it in a `with` statement."""

    name = "lemonldap"
    client_id = "keybound-app"
    # Its demonstration knows Doctor Who, with the name as the password.
    username = password = "dwho"
    scope = "openid profile"

    def __init__(self, directory):
        super().__init__(Path(directory))
        self.port = free_port()
        self.issuer = f"http://127.0.0.1:{self.port}"
        self.api = self.issuer + "/oauth2/userinfo"
        self.redirect_uri = f"http://127.0.0.1:{free_port()}/callback"

    def write_configuration(self):
        for name in ("sessions", "persistent"):
            (self.directory / name / "lock").mkdir(parents=True)
        (self.directory / "lemonldap-ng.ini").write_text(SETTINGS.format(directory=self.directory, portal=PORTAL))
        (self.directory / "lmConf-1.json").write_text(json.dumps(self.settings()))

    def settings(self):
        key = self.directory / "key.pem"
        openssl("genrsa", "-out", str(key), "2048")
        return {
            "cfgNum": 1, "cfgDate": 1, "cfgAuthor": "interop", "key": secrets.token_hex(16),
            "portal": self.issuer + "/", "domain": "127.0.0.1", "cookieName": "lemonldap", "securedCookie": 0,
            "authentication": "Demo", "userDB": "Same", "passwordDB": "Null", "registerDB": "Null", "timeout": 600,
            "demoExportedVars": {"cn": "cn", "mail": "mail", "uid": "uid"}, "whatToTrace": "uid",
            "globalStorage": "Apache::Session::File", "globalStorageOptions": self.storage("sessions"),
            "persistentStorage": "Apache::Session::File", "persistentStorageOptions": self.storage("persistent"),
            "localSessionStorage": "Cache::MemoryCache", "locationRules": {},
            "issuerDBOpenIDConnectActivation": 1, "oidcServiceMetaDataIssuer": self.issuer,
            "oidcServiceAllowAuthorizationCodeFlow": 1,
            "oidcServicePrivateKeySig": key.read_text(), "oidcServiceKeyIdSig": "interop",
            "oidcServicePublicKeySig": openssl("rsa", "-in", str(key), "-pubout"),
            "oidcRPMetaDataExportedVars": {"app": {"name": "cn", "email": "mail"}},
            "oidcRPMetaDataOptions": {"app": {
                "oidcRPMetaDataOptionsClientID": self.client_id, "oidcRPMetaDataOptionsPublic": 1,
                "oidcRPMetaDataOptionsRequirePKCE": 1, "oidcRPMetaDataOptionsRefreshToken": 1,
                "oidcRPMetaDataOptionsRedirectUris": self.redirect_uri,
                "oidcRPMetaDataOptionsPostLogoutRedirectUris": self.redirect_uri,
                "oidcRPMetaDataOptionsIDTokenSignAlg": "RS256",
            }},
        }

    def storage(self, name):
        folder = self.directory / name
        return {"Directory": str(folder), "LockDirectory": str(folder / "lock")}

    def command(self):
        environment = [f"LLNG_DEFAULTCONFFILE={self.directory}/lemonldap-ng.ini", f"PATH={os.environ['PATH']}"]
        return [
            "env", "-i", *environment, "plackup", "--env", "deployment", "--host", "127.0.0.1", "--port", str(self.port),
            PORTAL + "/htdocs/index.psgi",
        ]

    def is_ready(self):
        return requests.get(self.issuer + "/.well-known/openid-configuration", timeout=5).status_code == 200

    def __getitem__(self, name):
        return getattr(self, name)
