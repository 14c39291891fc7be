# SPDX-License-Identifier: Apache-2.0
"""Glewlwyd (Debian package), an OpenID provider in C with PKCE, PAR and DPoP, started for one run.

Its front end is JavaScript, so a sign-in is walked through the REST API that this front end uses.
"""

import json
import secrets
import sqlite3
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import requests
from joserfc.jwk import ECKey

from browser import Form
from server_process import PATIENCE, ServerProcess, free_port
from table import StepFailed

PROGRAM = "/usr/bin/glewlwyd"
SCHEMA = Path("/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3")
# What Debian's schema comes with.
ADMINISTRATOR = {"username": "admin", "password": "password"}

CONFIGURATION = """
port = {port}
bind_address = "127.0.0.1"
external_url = "http://127.0.0.1:{port}"
login_url = "login.html"
api_prefix = "api"
log_mode = "console"
log_level = "DEBUG"
cookie_secure = 0
session_expiration = 3600
session_key = "GLEWLWYD2_SESSION_ID"
admin_scope = "g_admin"
profile_scope = "g_profile"
user_module_path = "/usr/lib/glewlwyd/user"
client_module_path = "/usr/lib/glewlwyd/client"
user_auth_scheme_module_path = "/usr/lib/glewlwyd/scheme"
plugin_module_path = "/usr/lib/glewlwyd/plugin"
hash_algorithm = "SHA512"
database = {{ type = "sqlite3"; path = "{directory}/glewlwyd.db"; }};
static_files_path = "/usr/share/glewlwyd/webapp"
static_files_mime_types = ( {{ extension = ".html"; mime_type = "text/html"; }} )
"""


class Glewlwyd(ServerProcess):
    """A running server; use it in a `with` statement."""

    name = "glewlwyd"
    client_id = "keybound-app"
    username = "alice"
    scopes = "openid"
    providers = ("plain", "nonce", "par")
    # Beside those: knows resources (RFC 8707) and authorization details (RFC 9396).
    access_provider = "access"
    resources = ("https://one.example/", "https://two.example/")
    details_type = "notes"
    # These take signed requests by RFC 9101, and sign answers when asked to; the second takes pushed requests only.
    signing_providers = ("signed", "signed-par")

    def __init__(self, directory):
        super().__init__(Path(directory))
        self.configuration = self.directory / "glewlwyd.conf"
        self.password = secrets.token_urlsafe(12)
        self.port = free_port()
        self.origin = f"http://127.0.0.1:{self.port}"
        self.redirect_uri = f"http://127.0.0.1:{free_port()}/callback"

    def write_configuration(self):
        self.make_database()
        self.configuration.write_text(CONFIGURATION.format(port=self.port, directory=self.directory))

    def command(self):
        return [PROGRAM, "--config-file", str(self.configuration)]

    def is_ready(self):
        requests.get(self.origin + "/config", timeout=1)
        return True

    def make_database(self):
        with sqlite3.connect(self.directory / "glewlwyd.db") as database:
            database.executescript(SCHEMA.read_text())
            # Debian's schema knows no redirect URIs for the end of a session.
            database.execute(
                "UPDATE g_client_module_instance SET gcmi_parameters ="
                " json_set(gcmi_parameters, '$.data-format.post_logout_redirect_uris', json(?))",
                [json.dumps({"multiple": True, "read": True, "write": True})],
            )

    def configure(self):
        """A person, a public client, and three providers: with nothing special, with nonces, with pushed requests."""
        administrator = self.administrator = requests.Session()
        self.expect(administrator.post(self.api("auth/"), json=ADMINISTRATOR, timeout=PATIENCE))
        key = ECKey.generate_key("P-256", {"kid": "interop", "alg": "ES256", "use": "sig"}).as_dict(private=True)
        self.add(administrator, "user/", {
            "username": self.username, "password": self.password, "name": "Alice", "email": "alice@example.com",
            "scope": ["g_profile", "openid"], "enabled": True,
        })
        self.add(administrator, "client/", {
            "client_id": self.client_id, "name": "Keybound", "confidential": False, "enabled": True,
            "redirect_uri": [self.redirect_uri], "authorization_type": ["code", "refresh_token"],
            "token_endpoint_auth_method": ["none"], "scope": [], "authorization_details_types": [self.details_type],
            "post_logout_redirect_uris": [self.redirect_uri],
        })
        for name in (*self.providers, self.access_provider, *self.signing_providers):
            self.add(administrator, "mod/plugin/", {
                "module": "oidc", "name": name, "display_name": name, "parameters": self.provider(name, key),
            })

    def provider(self, name, key):
        is_pushed = name in ("par", "signed-par")
        is_signed = name in self.signing_providers
        return {
            "iss": self.issuer(name), "jwks-private": json.dumps({"keys": [key]}), "default-kid": "interop",
            "jwt-type": "ecdsa", "jwt-key-size": "256", "jwks-show": True,
            "access-token-duration": 300, "refresh-token-duration": 3600, "code-duration": 60,
            "refresh-token-rolling": True, "refresh-token-one-use": "always", "allow-non-oidc": True,
            "auth-type-code-enabled": True, "auth-type-code-revoke-replayed": True, "auth-type-refresh-enabled": True,
            "auth-type-token-enabled": False, "auth-type-client-enabled": True, "auth-type-password-enabled": False,
            "auth-type-device-enabled": True, "device-authorization-expiration": 60, "device-authorization-interval": 1,
            "client-jwks-parameter": "jwks", "auth-type-none-enabled": False, "subject-type": "public",
            "name-claim": "mandatory", "email-claim": "no", "scope-claim": "no", "allowed-scope": ["openid"],
            "pkce-allowed": True, "pkce-required": True, "pkce-method-plain-allowed": False,
            "oauth-dpop-allowed": True, "oauth-dpop-iat-duration": 60, "oauth-dpop-iat-gap-duration": 5,
            "oauth-dpop-dpop_bound_access_tokens-property": "dpop_bound_access_tokens",
            "oauth-dpop-nonce-mandatory": name == "nonce", "oauth-dpop-nonce-counter": 5,
            "oauth-par-allowed": is_pushed, "oauth-par-required": is_pushed, "oauth-par-duration": 90,
            "oauth-par-request_uri-prefix": "urn:ietf:params:oauth:request_uri:",
            "session-management-allowed": True, "session-cookie-name": f"GLEWLWYD2_OIDC_{name}",
            "session-cookie-expiration": 3600, "oauth-as-iss-id": True, "request-parameter-allow": True,
            "request-uri-allow-https-non-secure": False,
            "request-parameter-ietf-strict": is_signed, "oauth-fapi-allow-jarm": is_signed,
            "introspection-revocation-allowed": True, "introspection-revocation-allow-target-client": True,
            **(self.access() if name == self.access_provider else {}),
        }

    def access(self):
        return {
            "resource-allowed": True, "resource-client-property": "", "resource-scope": {"openid": list(self.resources)},
            "resource-scope-and-client-property": False,
            "oauth-rar-allowed": True, "rar-types-client-property": "authorization_details_types",
            "rar-allow-auth-unsigned": True, "rar-allow-auth-unencrypted": True,
            "rar-types": {self.details_type: {
                "scopes": ["openid"], "locations": list(self.resources), "actions": ["read", "write"], "datatypes": [],
                "enriched": [], "privileges": [],
            }},
        }

    def issuer(self, name):
        return f"{self.origin}/api/{name}"

    def api(self, path):
        return f"{self.origin}/api/{path}"

    def add(self, administrator, kind, body):
        self.expect(administrator.post(self.api(kind), json=body, timeout=PATIENCE))

    @staticmethod
    def expect(response):
        if response.status_code != 200:
            raise StepFailed(f"{response.request.path_url}: {response.status_code} {response.text[:300]}")

    def add_confidential_client(self, method):
        """A client that shows who it is, by a method; its identifier and its secret."""
        client_id, secret = f"service-{method}", secrets.token_urlsafe(32)
        self.add(self.administrator, "client/", {
            "client_id": client_id, "name": client_id, "confidential": True, "enabled": True, "client_secret": secret,
            "authorization_type": ["client_credentials", "device_authorization", "refresh_token"],
            "token_endpoint_auth_method": [method], "scope": ["openid"], "redirect_uri": [self.redirect_uri],
        })
        return client_id, secret

    def serve_client(self, client_id, method, secret, wish):
        """What a client without a browser asks for: its key registered (JSON), or a code typed by the user."""
        if wish.startswith("{"):
            self.expect(self.administrator.put(self.api(f"client/{client_id}"), json={
                "client_id": client_id, "name": client_id, "confidential": True, "enabled": True,
                "authorization_type": ["client_credentials", "device_authorization", "refresh_token"],
                "token_endpoint_auth_method": [method], "scope": ["openid"], "redirect_uri": [self.redirect_uri],
                "jwks": json.loads(wish),
            }, timeout=PATIENCE))
        else:
            self.type_code(client_id, wish)
        return "done"

    def type_code(self, client_id, code):
        browser = requests.Session()
        login = {"username": self.username, "password": self.password}
        self.expect(browser.post(self.api("auth/"), json=login, timeout=PATIENCE))
        self.expect(browser.put(self.api(f"auth/grant/{client_id}"), json={"scope": self.scopes}, timeout=PATIENCE))
        page = self.api("plain/device")
        last = browser.get(page, params={"code": code, "g_continue": ""}, allow_redirects=False, timeout=PATIENCE)
        if "prompt=deviceComplete" not in last.headers.get("Location", ""):
            raise StepFailed(f"the code was not taken: {last.status_code} {last.headers.get('Location')} {last.text[:200]}")

    def walk_with_details(self, url):
        """The same, and the consent to a kind of authorization details, which has a page of its own."""
        def consent(browser):
            path = f"{self.access_provider}/rar/{self.client_id}/{self.details_type}/1"
            self.expect(browser.put(self.api(path), timeout=PATIENCE))

        self.walk(url, consent=consent)

    def add_signing_client(self):
        """A client that signs its requests, for which Glewlwyd wants one with a secret; its identifier and the secret."""
        client_id, secret = "keybound-signing", secrets.token_urlsafe(32)
        self.add(self.administrator, "client/", self.signing_client(client_id, secret))
        return client_id, secret

    def signing_client(self, client_id, secret):
        return {
            "client_id": client_id, "client_secret": secret, "name": client_id, "confidential": True, "enabled": True,
            "redirect_uri": [self.redirect_uri], "authorization_type": ["code", "refresh_token"],
            "post_logout_redirect_uris": [self.redirect_uri],
            # At /par the signature of a request counts as client authentication with that key, whatever else is sent.
            "token_endpoint_auth_method": ["client_secret_basic", "private_key_jwt"], "scope": [], "request_object_signing_alg": "ES256",
            "authorization_signed_response_alg": "ES256",
        }

    def serve_signing_client(self, client_id, secret, wish):
        """What it asks for: its key registered (JSON; what is returned tells it so), or the pages at a URL."""
        if not wish.startswith("{"):
            return self.walk(wish, client_id)
        keys = {"jwks": json.loads(wish)}
        self.expect(self.administrator.put(
            self.api(f"client/{client_id}"), json={**self.signing_client(client_id, secret), **keys}, timeout=PATIENCE
        ))
        return "done"

    def walk(self, url, client_id=client_id, consent=lambda browser: None):
        """What the JavaScript pages do: password, grant, and back to the authorization endpoint with `g_continue`."""
        if urlsplit(url).path.endswith("/end_session"):
            self.end_session(url)
            return
        browser = self.browser = requests.Session()
        first = browser.get(url, allow_redirects=False, timeout=PATIENCE)
        if not first.is_redirect or "login.html" not in first.headers["Location"]:
            raise StepFailed(f"no login page: {first.status_code} {first.headers.get('Location')} {first.text[:200]}")
        pages = parse_qs(urlsplit(first.headers["Location"]).query)
        login = {"username": self.username, "password": self.password}
        self.expect(browser.post(self.api("auth/"), json=login, timeout=PATIENCE))
        grant = {"scope": self.scopes}
        self.expect(browser.put(self.api(f"auth/grant/{client_id}"), json=grant, timeout=PATIENCE))
        consent(browser)
        callback_url = pages["callback_url"][0]
        last = browser.get(callback_url + "&g_continue", allow_redirects=False, timeout=PATIENCE)
        if last.status_code == 200 and "<form" in last.text.lower():
            return self.post_form(browser, last.text)
        target = last.headers.get("Location", "")
        if not target.startswith(self.redirect_uri):
            raise StepFailed(f"not sent back to the app: {last.status_code} {target} {last.text[:200]}")
        self.return_to_app(target)

    def end_session(self, url):
        """The page that asks whether to sign out, in the browser that signed in before."""
        page = self.browser.get(url, allow_redirects=False, timeout=PATIENCE)
        asked = parse_qs(urlsplit(page.headers.get("Location", "")).query)
        if asked.get("prompt") != ["end_session"]:
            raise StepFailed(f"no page to sign out: {page.status_code} {page.headers.get('Location')} {page.text[:200]}")
        session = self.api(f"{asked['plugin'][0]}/session/{asked['sid'][0]}")
        self.expect(self.browser.delete(session, timeout=PATIENCE))
        self.expect(self.browser.delete(self.api("auth/"), timeout=PATIENCE))
        self.return_to_app(asked["callback_url"][0])

    def return_to_app(self, target):
        # The app listens there, on the loopback address.
        answer = self.browser.get(target, timeout=PATIENCE)
        if answer.status_code != 200:
            raise StepFailed(f"the app answered the browser with {answer.status_code}")
        return None

    def post_form(self, browser, text):
        """The page of `form_post`, whose form a browser sends by a script."""
        page = Form(text)
        if page.action != self.redirect_uri:
            raise StepFailed(f"the form leads to {page.action}")
        answer = browser.post(page.action, data=page.fields, timeout=PATIENCE)
        if answer.status_code != 200:
            raise StepFailed(f"the app answered the form with {answer.status_code}")
