# SPDX-License-Identifier: Apache-2.0
"""requests_oauth2client (PyPI) signs in at Keybound's server and calls Keybound's API: PAR, PKCE, DPoP, RFC 9207."""

import requests
from requests_oauth2client import DPoPToken, OAuth2Client, OAuth2Error
from requests_oauth2client.discovery import oauth2_discovery_document_url

import browser
from table import require

PATIENCE = 10


def run(table, server, pushes):
    group = "requests_oauth2client, " + ("pushed request" if pushes else "plain request")
    with table.group(f"{group} -> Keybound's server and API"):
        flow(table, group, server, pushes)


def flow(table, group, server, pushes):
    redirect_uri = server["redirect_uri"].replace("127.0.0.1", "127.0.0.1:49200")
    with table.step(group, "discovery (RFC 8414)") as note:
        url = oauth2_discovery_document_url(server["issuer"])
        client = OAuth2Client.from_discovery_endpoint(
            url, issuer=server["issuer"], client_id=server["client_id"], redirect_uri=redirect_uri,
            dpop_bound_access_tokens=True, testing=True,
        )
        require(client.authorization_response_iss_parameter_supported, "the metadata does not promise iss")
        note(url)
    with table.step(group, "authorization request: PKCE S256, dpop_jkt"):
        request = client.authorization_request(
            scope=server["scope"], authorization_response_iss_parameter_supported=True,
        )
        require(request.args["code_challenge_method"] == "S256" and request.args["dpop_jkt"], "not what it should be")
        url = request.uri
    if pushes:
        with table.step(group, "pushed authorization request with a proof (RFC 9126, RFC 9449 section 10.1)") as note:
            pushed = client.pushed_authorization_request(request)
            require(request.dpop_key.as_nonce, "no nonce was learned")
            url = pushed.uri
            note("with the nonce the server demanded")
    with table.step(group, "sign-in and consent pages, redirect back"):
        callback = browser.walk(url, server["username"], server["password"])
    with table.step(group, "authorization response: state and iss (RFC 9207)"):
        response = request.validate_callback(callback)
    with table.step(group, "code exchange with code_verifier, proof and nonce") as note:
        token = client.authorization_code(response)
        require(isinstance(token, DPoPToken) and token.token_type == "DPoP", "the token is not bound to the key")
        require(token.refresh_token, "there is no refresh token")
        note(f"expires in {token.expires_in} s")
    api = requests.Session()
    with table.step(group, "GET the API with a proof (ath, nonce of the API)") as note:
        answer = api.get(server["api"], auth=token, timeout=PATIENCE)
        require(answer.status_code == 200, f"status {answer.status_code}: {answer.headers}")
        note(f"client_id {answer.json()['client_id']}")
    with table.step(group, "POST to the API with a query, a second proof"):
        answer = api.post(server["api"] + "?a=1&b=%2F", auth=token, data={"x": "y"}, timeout=PATIENCE)
        require(answer.status_code == 200 and answer.json()["method"] == "POST", f"status {answer.status_code}")
    with table.step(group, "the API refuses the token without a proof, as Bearer"):
        answer = api.get(server["api"], headers={"Authorization": f"Bearer {token.access_token}"}, timeout=PATIENCE)
        require(answer.status_code == 401, f"status {answer.status_code}")
    with table.step(group, "refresh with the same key; both tokens are new"):
        refreshed = client.refresh_token(token)
        require(refreshed.access_token != token.access_token, "the access token is the old one")
        require(refreshed.refresh_token != token.refresh_token, "the refresh token is the old one")
        require(refreshed.dpop_key is token.dpop_key, "another key")
    with table.step(group, "GET the API with the refreshed token"):
        require(api.get(server["api"], auth=refreshed, timeout=PATIENCE).status_code == 200, "not accepted")
    with table.step(group, "revoke the refresh token (RFC 7009)"):
        require(client.revoke_refresh_token(refreshed) is True, "not revoked")
    with table.step(group, "a refresh after that is refused with invalid_grant") as note:
        note(refusal(lambda: client.refresh_token(refreshed), "invalid_grant"))


def refusal(action, error):
    try:
        action()
    except OAuth2Error as refused:
        require(refused.error == error, f"refused with {refused.error}")
        return refused.description or ""
    require(False, "not refused")
