# SPDX-License-Identifier: Apache-2.0
"""An OpenID provider made of idpyoidc (PyPI) with PKCE, PAR and DPoP: the library does the protocol, this file the HTTP.

Called with a folder for its keys and one of "plain", "par" and "proofs at userinfo"; tells where it is as one line of JSON
and runs until SIGTERM. Its only user is always signed in and consents: idpyoidc has no pages of its own.
"""

import http.server
import json
import logging
import sys
from urllib.parse import parse_qsl, urlsplit

from idpyoidc.message import Message
from idpyoidc.server import Server
from idpyoidc.server.configure import OPConfiguration

from server_process import free_port

CLIENT_ID = "keybound-app"
USERNAME = "alice"
SCOPE = "openid"
ALGORITHM = "ES256"
JSON = ("Content-Type", "application/json")
LONGEST_BODY = 65536


def endpoint(path, name, **settings):
    return {"path": path, "class": f"idpyoidc.server.{name}", "kwargs": settings}


def endpoints(kind):
    public = ["public"]
    # Its own class wants a response_type beside the request_uri, which RFC 9126 section 4 does not have.
    lenient = {"request_cls": Message} if kind == "par" else {}
    all_kinds = {
        "provider_config": endpoint(
            ".well-known/openid-configuration", "oidc.provider_config.ProviderConfiguration", client_authn_method=None
        ),
        "authorization": endpoint(
            "authorization", "oidc.authorization.Authorization", client_authn_method=None,
            response_types_supported=["code"], response_modes_supported=["query"], **lenient,
        ),
        "token": endpoint("token", "oidc.token.Token", client_authn_method=public),
        "userinfo": endpoint("userinfo", "oidc.userinfo.UserInfo", client_authn_method=["dpop"]),
        "token_revocation": endpoint("revocation", "oauth2.token_revocation.TokenRevocation", client_authn_method=public),
    }
    if kind == "par":
        name = "oauth2.pushed_authorization.PushedAuthorization"
        all_kinds["pushed_authorization"] = endpoint("par", name, client_authn_method=public)
    return all_kinds


def add_ons(kind):
    proved = ["token", "userinfo"] if kind == "proofs at userinfo" else ["token"]
    return {
        "pkce": {
            "function": "idpyoidc.server.oauth2.add_on.pkce.add_support",
            "kwargs": {"essential": True, "code_challenge_methods": {"S256": None}},
        },
        "dpop": {
            "function": "idpyoidc.server.oauth2.add_on.dpop.add_support",
            "kwargs": {"dpop_signing_alg_values_supported": [ALGORITHM], "dpop_endpoints": proved},
        },
    }


def token_handlers():
    access = {"class": "idpyoidc.server.token.jwt_token.JWTToken", "kwargs": {"lifetime": 300}}
    return {
        "jwks_def": {"key_defs": [{"type": "oct", "bytes": 24, "use": ["enc"], "kid": "code"}]},
        "code": {"kwargs": {"lifetime": 60}},
        "token": access,
        "refresh": {**access, "kwargs": {"lifetime": 3600}},
        "id_token": {"class": "idpyoidc.server.token.id_token.IDToken", "kwargs": {}},
    }


def configuration(issuer, directory, kind):
    secret_keys = [{"type": "OCT", "use": [use], "kid": use} for use in ("enc", "sig")]
    return {
        "issuer": issuer,
        "httpc_params": {"verify": True, "timeout": 5},
        "key_conf": {
            "key_defs": [{"type": "EC", "crv": "P-256", "use": ["sig"]}], "private_path": f"{directory}/keys.json",
            "uri_path": "jwks.json",
        },
        "token_handler_args": token_handlers(),
        "preference": {
            "grant_types_supported": ["authorization_code", "refresh_token"], "response_types_supported": ["code"],
            "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": [ALGORITHM],
        },
        "endpoint": endpoints(kind),
        "add_on": add_ons(kind),
        "authentication": {"user": {
            "acr": "password", "class": "idpyoidc.server.user_authn.user.NoAuthn", "kwargs": {"user": USERNAME},
        }},
        "userinfo": {
            "class": "idpyoidc.server.user_info.UserInfo", "kwargs": {"db": {USERNAME: {"name": "Alice"}}},
        },
        "cookie_handler": {"class": "idpyoidc.server.cookie_handler.CookieHandler", "kwargs": {
            "keys": {"key_defs": secret_keys, "private_path": f"{directory}/cookies.json", "read_only": False},
            "name": {"session": "session", "register": "register", "session_management": "management"},
        }},
        "template_dir": directory,
    }


def registration(redirect_uri):
    return {
        "client_id": CLIENT_ID, "redirect_uris": [(redirect_uri, {})], "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code", "refresh_token"], "allowed_scopes": [SCOPE],
        "token_endpoint_auth_method": "none", "client_authn_method": ["public", "dpop_client_auth"],
        "id_token_signed_response_alg": ALGORITHM,
    }


class Provider:
    def __init__(self, issuer, directory, kind, redirect_uri):
        self.issuer = issuer
        settings = OPConfiguration(configuration(issuer, directory, kind), base_path=directory)
        self.server = Server(settings, cwd=directory)
        # The add-on writes this before the metadata is made anew; refreshed tokens are Bearer tokens without it.
        self.server.context.provider_info["dpop_signing_alg_values_supported"] = [ALGORITHM]
        self.server.context.cdb[CLIENT_ID] = registration(redirect_uri)

    def answer(self, method, target, headers, body):
        """Status, fields and body of the answer to a request."""
        path = urlsplit(target).path
        if path == "/jwks.json":
            return 200, [JSON], self.server.keyjar.export_jwks_as_json()
        found = [each for each in self.server.endpoint.values() if "/" + each.endpoint_path == path]
        if not found:
            return 404, [], ""
        context = {"headers": headers, "method": method, "url": self.issuer + path, "cookie": []}
        form = dict(parse_qsl(body or urlsplit(target).query))
        try:
            return self.processed(found[0], form, context)
        except Exception as error:  # what the library throws at a request that it refuses
            return 400, [JSON], json.dumps({"error": "invalid_request", "error_description": str(error)})

    def processed(self, endpoint, form, context):
        request = endpoint.parse_request(form, http_info=context)
        if "error" not in request:
            outcome = endpoint.process_request(request, http_info=context, issue_refresh=True)
        else:
            outcome = request
        if "error" in outcome:
            return 400, [JSON], outcome.to_json()
        if "http_response" in outcome:
            return 201, [JSON], json.dumps(outcome["http_response"])
        answer = endpoint.do_response(request=request, **outcome)
        fields = answer.get("http_headers", [])
        if answer.get("response_placement", endpoint.response_placement) == "url":
            return 302, [*fields, ("Location", answer["response"])], ""
        return 200, fields, answer["response"]


class Handler(http.server.BaseHTTPRequestHandler):
    provider = None

    def do_GET(self):
        self.respond("")

    def do_POST(self):
        size = min(int(self.headers.get("Content-Length", 0)), LONGEST_BODY)
        self.respond(self.rfile.read(size).decode())

    def respond(self, body):
        headers = {name.lower(): value for name, value in self.headers.items()}
        status, fields, text = self.provider.answer(self.command, self.path, headers, body)
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


def main(directory, kind):
    logging.disable(logging.CRITICAL)
    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    issuer = f"http://127.0.0.1:{listener.server_port}"
    redirect_uri = f"http://127.0.0.1:{free_port()}/callback"
    Handler.provider = Provider(issuer, directory, kind, redirect_uri)
    print(json.dumps({
        "issuer": issuer, "api": issuer + "/userinfo", "client_id": CLIENT_ID, "redirect_uri": redirect_uri,
        "scope": SCOPE, "username": USERNAME, "password": "",
    }), flush=True)
    listener.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
