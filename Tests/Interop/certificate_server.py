# SPDX-License-Identifier: Apache-2.0
"""An authorization server and an API that know clients by their certificates (RFC 8705), behind a proxy that has the TLS.

Two issuers: /issued knows a client by the subject of a certificate that an authority issued (section 2.1), /any by the
certificate itself (section 2.2). Tokens are bound to the certificate (section 3). For one run, in memory.
"""

import base64
import hashlib
import http.server
import json
import secrets
import ssl
import threading
import urllib.parse

CLIENT = "service"
REDIRECT_URI = "https://service.example/callback"


class Refused(Exception):
    def __init__(self, status, error):
        super().__init__(error)
        self.status, self.error = status, error


def thumbprint(pem):
    """x5t#S256 (RFC 8705 section 3.1)."""
    return encoded(hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).digest())


def encoded(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


class CertificateServer:
    """Use it in a `with` statement; set `addresses` before the first request: of the proxy, by name."""

    def __init__(self, registered_pem):
        self.registered = thumbprint(registered_pem)
        self.addresses = {}
        # What a correct client never does.
        self.violations = []
        self.pushed, self.codes, self.tokens, self.refresh_tokens = {}, {}, {}, {}
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.respond(self, {})

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                outer.respond(self, dict(urllib.parse.parse_qsl(body, strict_parsing=bool(body))))

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def respond(self, request, form):
        try:
            status, answer = self.answer(request, form)
        except Refused as refused:
            status, answer = refused.status, {"error": refused.error}
        body = json.dumps(answer).encode()
        request.send_response(status)
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def answer(self, request, form):
        path = request.path.split("/")
        if request.headers["X-Protocol"] not in ("TLSv1.2", "TLSv1.3"):
            self.violations.append("a connection without TLS 1.2 or 1.3")
        if path[1] == ".well-known":
            return 200, self.metadata(path[3])
        if path[2] == "api":
            return 200, self.api(request)
        if self.addresses["open"].endswith("//" + request.headers["Host"]):
            self.violations.append(f"{request.path} was asked at the address without certificates")
        shown = self.authenticate(request, path[1], form)
        return {"par": self.push, "token": self.token, "revoke": self.revoke}[path[2]](request, form, shown)

    def metadata(self, name):
        issuer = f"{self.addresses['open']}/{name}"
        alias = f"{self.addresses[name]}/{name}"
        endpoints = {"pushed_authorization_request_endpoint": "par", "token_endpoint": "token", "revocation_endpoint": "revoke"}
        return {
            "issuer": issuer,
            "authorization_endpoint": issuer + "/authorize",
            **{endpoint: f"{issuer}/{path}" for endpoint, path in endpoints.items()},
            "mtls_endpoint_aliases": {endpoint: f"{alias}/{path}" for endpoint, path in endpoints.items()},
            "token_endpoint_auth_methods_supported": ["tls_client_auth", "self_signed_tls_client_auth"],
            "tls_client_certificate_bound_access_tokens": True,
            "dpop_signing_alg_values_supported": ["ES256"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
            "require_pushed_authorization_requests": True,
        }

    def certificate(self, request):
        pem = urllib.parse.unquote(request.headers.get("X-Client-Certificate", ""))
        return thumbprint(pem) if pem else None

    def authenticate(self, request, name, form):
        shown = self.certificate(request)
        if name == "issued":
            is_known = request.headers["X-Client-Verify"] == "SUCCESS" and request.headers["X-Client-Subject"] == f"CN={CLIENT}"
        else:
            is_known = shown == self.registered
        if not shown or not is_known or form.get("client_id") != CLIENT:
            raise Refused(401, "invalid_client")
        if {"client_secret", "client_assertion"} & form.keys() or "Authorization" in request.headers:
            self.violations.append("two ways to authenticate")
        return shown

    def push(self, request, form, shown):
        handle = "urn:ietf:params:oauth:request_uri:" + secrets.token_urlsafe(16)
        self.pushed[handle] = form
        return 201, {"request_uri": handle, "expires_in": 60}

    def approve(self, url):
        """What the browser brings back after the user has said yes."""
        address = urllib.parse.urlsplit(url)
        query = dict(urllib.parse.parse_qsl(address.query))
        if query.keys() != {"client_id", "request_uri"}:
            self.violations.append(f"the browser carries {sorted(query)}")
        asked = self.pushed.pop(query["request_uri"])
        code = secrets.token_urlsafe(16)
        self.codes[code] = asked
        issuer = f"{address.scheme}://{address.netloc}{address.path.removesuffix('/authorize')}"
        answer = {"code": code, "state": asked["state"], "iss": issuer}
        return f"{asked['redirect_uri']}?{urllib.parse.urlencode(answer)}"

    def token(self, request, form, shown):
        grant = form.get("grant_type")
        if grant == "authorization_code":
            asked = self.codes.pop(form.get("code"), None)
            challenge = encoded(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
            if not asked or challenge != asked["code_challenge"] or form.get("redirect_uri") != asked["redirect_uri"]:
                raise Refused(400, "invalid_grant")
        elif grant == "refresh_token":
            if self.refresh_tokens.pop(form.get("refresh_token"), None) != shown:
                raise Refused(400, "invalid_grant")
        elif grant != "client_credentials":
            raise Refused(400, "unsupported_grant_type")
        token, refresh = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        self.tokens[token], self.refresh_tokens[refresh] = shown, shown
        kind = "DPoP" if "DPoP" in request.headers else "Bearer"
        return 200, {"access_token": token, "token_type": kind, "expires_in": 300, "refresh_token": refresh}

    def revoke(self, request, form, shown):
        self.refresh_tokens.pop(form.get("token"), None)
        return 200, {}

    def api(self, request):
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme != "Bearer" or self.tokens.get(token) is None or self.tokens[token] != self.certificate(request):
            raise Refused(401, "invalid_token")
        return {"bound": "to the certificate of the connection"}
