# SPDX-License-Identifier: Apache-2.0
"""Canaille (PyPI), an OpenID provider on Authlib with PKCE and pages to log in, in memory.

It has no DPoP. It tells where it is as one line of JSON and runs until SIGTERM.
"""

import json
import logging
import secrets
import sys
from datetime import datetime, timezone
from wsgiref.simple_server import WSGIRequestHandler, make_server

from canaille import create_app
from canaille.app import models
from canaille.backends import Backend
from joserfc.jwk import RSAKey

from server_process import free_port

CLIENT_ID = "keybound-app"
USERNAME = "alice"
SCOPES = ["openid", "profile"]


def application(port):
    key = RSAKey.generate_key(2048, {"kid": "interop", "use": "sig", "alg": "RS256"}).as_dict(private=True)
    return create_app({
        "SECRET_KEY": secrets.token_hex(32), "SERVER_NAME": f"127.0.0.1:{port}", "PREFERRED_URL_SCHEME": "http",
        "CANAILLE": {"DATABASE": "memory", "TIMEZONE": "UTC"}, "CANAILLE_OIDC": {"ACTIVE_JWKS": [key]},
    }, init_backend=True)


def register(password, redirect_uri):
    Backend.instance.save(models.User(
        user_name=USERNAME, formatted_name="Alice", family_name="Alice", emails=["alice@example.com"], password=password
    ))
    # Clients of the address itself are trusted: there is no page to consent.
    client = models.Client(
        client_id=CLIENT_ID, client_name="Keybound", client_uri="http://127.0.0.1", redirect_uris=[redirect_uri],
        grant_types=["authorization_code", "refresh_token"], response_types=["code"], scope=SCOPES,
        token_endpoint_auth_method="none", id_token_signed_response_alg="RS256",
        client_id_issued_at=datetime.now(timezone.utc),
    )
    Backend.instance.save(client)
    client.audience = [client]
    Backend.instance.save(client)


class SilentHandler(WSGIRequestHandler):
    def log_message(self, *_):
        pass


def main():
    logging.disable(logging.CRITICAL)
    port = free_port()
    origin = f"http://127.0.0.1:{port}"
    redirect_uri = f"http://127.0.0.1:{free_port()}/callback"
    password = secrets.token_urlsafe(12)
    app = application(port)
    with app.app_context(), Backend.instance.session():
        register(password, redirect_uri)
    server = make_server("127.0.0.1", port, app, handler_class=SilentHandler)
    print(json.dumps({
        "issuer": origin, "api": origin + "/oauth/userinfo", "client_id": CLIENT_ID, "redirect_uri": redirect_uri,
        "scope": " ".join(SCOPES), "username": USERNAME, "password": password,
    }), flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
