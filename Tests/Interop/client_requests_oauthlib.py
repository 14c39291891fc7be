# SPDX-License-Identifier: Apache-2.0
"""requests-oauthlib (PyPI), which only knows Bearer, signs in at a Keybound server that allows tokens without a key."""

import os

import requests
from requests_oauthlib import OAuth2Session

import browser
from client_authlib import bearer_calls
from table import require

GROUP = "requests-oauthlib"
PATIENCE = 10


def run(table, server):
    with table.group(f"{GROUP} -> Keybound's server, DPoP not required"):
        # The server of this run is on a loopback address, without TLS.
        os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"
        flow(table, server)


def flow(table, server):
    redirect_uri = server["redirect_uri"].replace("127.0.0.1", "127.0.0.1:49203")
    metadata = requests.get(server["issuer"] + "/.well-known/openid-configuration", timeout=PATIENCE).json()
    session = OAuth2Session(server["client_id"], scope=server["scope"], redirect_uri=redirect_uri, pkce="S256")
    with table.step(GROUP, "authorization request with PKCE S256, sign-in and consent pages"):
        url, _ = session.authorization_url(metadata["authorization_endpoint"])
        require("code_challenge_method=S256" in url, "no PKCE in the request")
        callback = browser.walk(url, server["username"], server["password"])
    with table.step(GROUP, "code exchange with code_verifier") as note:
        token = session.fetch_token(
            metadata["token_endpoint"], authorization_response=callback, client_id=server["client_id"],
            include_client_id=True,
        )
        require(token["token_type"].lower() == "bearer" and token["refresh_token"], "not a Bearer token")
        note(f"scope {' '.join(token['scope'])}")
    with table.step(GROUP, "userinfo and the API take the Bearer token, and name DPoP and Bearer without one") as note:
        bearer_calls(session, metadata, server, note)
    with table.step(GROUP, "refresh; the refresh token is rotated"):
        refreshed = session.refresh_token(metadata["token_endpoint"], client_id=server["client_id"])
        require(refreshed["refresh_token"] != token["refresh_token"], "the refresh token is the old one")
