# SPDX-License-Identifier: Apache-2.0
"""Authlib (PyPI) signs in at a Keybound server that allows tokens without a key: PKCE, refresh, revocation.

Authlib has no DPoP: this server, its userinfo and the API allow tokens that are bound to no key, as RFC 6750 has them.
"""

from urllib.parse import parse_qs, urlsplit

import requests
from authlib.common.security import generate_token
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from joserfc import jwt
from joserfc.jwk import KeySet

import browser
from table import StepFailed, require

GROUP = "Authlib"
PATIENCE = 10


def run(table, server):
    with table.group(f"{GROUP} -> Keybound's server, DPoP not required"):
        flow(table, server)


def flow(table, server):
    redirect_uri = server["redirect_uri"].replace("127.0.0.1", "127.0.0.1:49201")
    with table.step(GROUP, "discovery (RFC 8414)"):
        metadata = requests.get(
            server["issuer"] + "/.well-known/oauth-authorization-server", timeout=PATIENCE
        ).json()
        require(metadata["issuer"] == server["issuer"], "another issuer")
    session = OAuth2Session(
        server["client_id"], scope=server["scope"], redirect_uri=redirect_uri, code_challenge_method="S256",
        token_endpoint_auth_method="none", revocation_endpoint_auth_method="none",
    )
    with table.step(GROUP, "authorization request with PKCE S256, sign-in and consent pages"):
        verifier = generate_token(48)
        url, state = session.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier)
        require("code_challenge_method=S256" in url, "no PKCE in the request")
        callback = browser.walk(url, server["username"], server["password"])
        require(parse_qs(urlsplit(callback).query)["iss"] == [server["issuer"]], "iss is not the issuer")
    with table.step(GROUP, "a wrong code_verifier is refused with invalid_grant"):
        refused(lambda: session.fetch_token(
            metadata["token_endpoint"], authorization_response=callback, state=state, code_verifier=generate_token(48),
        ))
    with table.step(GROUP, "code exchange with code_verifier") as note:
        token = session.fetch_token(
            metadata["token_endpoint"], authorization_response=callback, state=state, code_verifier=verifier,
        )
        require(token["token_type"].lower() == "bearer" and token["refresh_token"], "not a Bearer token")
        note(f"scope {token['scope']}")
    with table.step(GROUP, "the access token verifies with the server's JWKS (RFC 9068, checked by joserfc)") as note:
        keys = KeySet.import_key_set(requests.get(metadata["jwks_uri"], timeout=PATIENCE).json())
        decoded = jwt.decode(token["access_token"], keys, algorithms=["ES256"])
        require(decoded.header["typ"] == "at+jwt", "typ is not at+jwt")
        rules = {"iss": server["issuer"], "client_id": server["client_id"], "scope": server["scope"]}
        jwt.JWTClaimsRegistry(**{name: {"essential": True, "value": value} for name, value in rules.items()}).validate(
            decoded.claims
        )
        note("claims " + " ".join(sorted(decoded.claims)))
    with table.step(GROUP, "userinfo and the API take the Bearer token, and name DPoP and Bearer without one") as note:
        bearer_calls(session, metadata, server, note)
    with table.step(GROUP, "refresh; the refresh token is rotated"):
        refreshed = session.refresh_token(metadata["token_endpoint"], refresh_token=token["refresh_token"])
        require(refreshed["refresh_token"] != token["refresh_token"], "the refresh token is the old one")
    with table.step(GROUP, "revoke (RFC 7009); a refresh after that is refused"):
        answer = session.revoke_token(
            metadata["revocation_endpoint"], token=refreshed["refresh_token"], token_type_hint="refresh_token"
        )
        require(answer.status_code == 200, f"status {answer.status_code}")
        refused(lambda: session.refresh_token(
            metadata["token_endpoint"], refresh_token=refreshed["refresh_token"]
        ))


def bearer_calls(session, metadata, server, note):
    """What a client without keys can do with its token; shared by the clients that only know Bearer."""
    person = session.get(metadata["userinfo_endpoint"], timeout=PATIENCE)
    require(person.status_code == 200 and person.json()["sub"], f"userinfo: status {person.status_code}")
    notes = session.get(server["api"], timeout=PATIENCE)
    require(notes.status_code == 200 and notes.json()["sub"] == person.json()["sub"], f"API: status {notes.status_code}")
    for url in (metadata["userinfo_endpoint"], server["api"]):
        answer = requests.get(url, timeout=PATIENCE)
        challenge = answer.headers["WWW-Authenticate"]
        require(answer.status_code == 401 and "DPoP" in challenge and "Bearer" in challenge, challenge)
    note(f"sub {person.json()['sub']}")


def refused(action):
    try:
        action()
    except OAuthError as refusal:
        require(refusal.error == "invalid_grant", f"refused with {refusal.error}")
        return
    raise StepFailed("not refused")
