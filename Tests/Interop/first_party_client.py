# SPDX-License-Identifier: Apache-2.0
"""One installation of an app that signs in without a browser, and the attester of its publisher, after the drafts.

OAuth 2.0 for First-Party Applications and OAuth 2.0 Attestation-Based Client Authentication, with `cryptography` and `http.client`
alone: nothing of Keybound and no OAuth library. Used by client_first_party.py.
"""

import base64
import contextlib
import hashlib
import http.client
import json
import secrets
import time
from urllib.parse import urlencode, urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

PATIENCE = 60


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def sha256(text):
    return b64(hashlib.sha256(text.encode()).digest())


class Key:
    """A P-256 key: signs JWTs (RFC 7515), and has a thumbprint (RFC 7638)."""

    def __init__(self):
        self.private = ec.generate_private_key(ec.SECP256R1())
        numbers = self.private.public_key().public_numbers()
        self.jwk = {
            "crv": "P-256", "kty": "EC", "x": b64(numbers.x.to_bytes(32, "big")), "y": b64(numbers.y.to_bytes(32, "big"))
        }
        self.thumbprint = sha256(json.dumps(self.jwk, sort_keys=True, separators=(",", ":")))

    def sign(self, header, claims):
        parts = [b64(json.dumps(part).encode()) for part in ({"alg": "ES256", **header}, claims)]
        r, s = decode_dss_signature(self.private.sign(".".join(parts).encode(), ec.ECDSA(hashes.SHA256())))
        return ".".join([*parts, b64(r.to_bytes(32, "big") + s.to_bytes(32, "big"))])


class Attester:
    """Signs attestations (ABCA section 4)."""

    def __init__(self):
        self.key = Key()
        self.kid = secrets.token_hex(4)

    @property
    def jwks(self):
        return {"keys": [{**self.key.jwk, "kid": self.kid, "alg": "ES256", "use": "sig"}]}

    def attest(self, client_id, key, *, header=None, **changes):
        now = int(time.time())
        claims = {"sub": client_id, "iat": now, "exp": now + 3600, "cnf": {"jwk": key.jwk}, **changes}
        return self.key.sign({"typ": "oauth-client-attestation+jwt", "kid": self.kid, **(header or {})}, claims)


class Client:
    """One installation of the app: a key, an attestation for it, the newest nonce."""

    def __init__(self, issuer, client_id, attester=None, key=None):
        self.issuer, self.client_id = issuer, client_id
        self.key = key or Key()
        self.attestation = attester.attest(client_id, self.key) if attester else None
        self.nonce = None
        self.verifier = None

    def metadata(self):
        return exchange("GET", self.issuer + "/.well-known/oauth-authorization-server")[2]

    def proof(self, url, **changes):
        claims = {"jti": secrets.token_urlsafe(16), "htm": "POST", "htu": url, "iat": int(time.time()), **changes}
        if self.nonce and "nonce" not in changes:
            claims["nonce"] = self.nonce
        return self.key.sign({"typ": "dpop+jwt", "jwk": self.key.jwk}, claims)

    def post(self, url, form, *, fields=None, proof=None, without=()):
        """Posts with a proof, once more for a nonce; `fields` replace those of the client, `without` are left out."""
        for _ in range(2):
            own = {"DPoP": proof or self.proof(url), "Content-Type": "application/x-www-form-urlencoded"}
            if self.attestation:
                own["OAuth-Client-Attestation"] = self.attestation
            sent = {name: value for name, value in {**own, **(fields or {})}.items() if name not in without}
            status, answered, body = exchange("POST", url, sent, urlencode(form))
            self.nonce = answered.get("dpop-nonce", self.nonce)
            if body.get("error") != "use_dpop_nonce" or proof:
                break
        return status, body

    def first(self, endpoint, *, sending=(), **changes):
        """The request that begins a sign-in (FiPA section 5.1)."""
        self.verifier = secrets.token_urlsafe(48)
        form = {
            "client_id": self.client_id, "response_type": "code", "scope": "notes:read",
            "code_challenge": sha256(self.verifier), "code_challenge_method": "S256", **changes,
        }
        return self.post(endpoint, {name: value for name, value in form.items() if value is not None}, **dict(sending))

    def answer(self, endpoint, auth_session, *, sending=(), **parameters):
        """The answer to a step (FiPA section 5.3)."""
        form = {"auth_session": auth_session, "step": "password", **parameters}
        return self.post(endpoint, {name: value for name, value in form.items() if value is not None}, **dict(sending))

    def redeem(self, code, **changes):
        form = {
            "grant_type": "authorization_code", "code": code, "client_id": self.client_id, "code_verifier": self.verifier,
            **changes,
        }
        return self.post(self.issuer + "/token", form)


def exchange(method, url, fields=None, body=None):
    """One request on a connection of its own; the names of the answer's fields are in lower case."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=PATIENCE)
    try:
        connection.request(method, parts.path + ("?" + parts.query if parts.query else ""), body, fields or {})
        response = connection.getresponse()
        text = response.read()
        answered = {name.lower(): value for name, value in response.getheaders()}
    finally:
        connection.close()
    with contextlib.suppress(ValueError):
        return response.status, answered, json.loads(text)
    return response.status, answered, {}
