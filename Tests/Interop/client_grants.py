# SPDX-License-Identifier: Apache-2.0
"""requests_oauth2client (PyPI) at Keybound's server without a browser of its own: a device, a service for itself, token exchange."""

import requests
from requests_oauth2client import AuthorizationPending, ClientSecretBasic, DPoPKey, DPoPToken, OAuth2Client, OAuth2Error, SlowDown
from requests_oauth2client.discovery import oauth2_discovery_document_url

import browser
from table import StepFailed, require

GROUP = "requests_oauth2client, device, client credentials, token exchange"
PATIENCE = 10


def run(table, server):
    with table.group(f"{GROUP} -> Keybound's server and API"):
        token = device(table, server)
        exchange(table, server, token)


def client_of(server, client_id=None, auth=None):
    metadata = requests.get(oauth2_discovery_document_url(server["issuer"]), timeout=PATIENCE).json()
    # The library does not take this one from the metadata by itself.
    device_endpoint = metadata["device_authorization_endpoint"]
    return OAuth2Client.from_discovery_document(
        metadata, issuer=server["issuer"], client_id=client_id, auth=auth, device_authorization_endpoint=device_endpoint,
        dpop_bound_access_tokens=True, testing=True,
    )


def device(table, server):
    client, key = client_of(server, server["device_client_id"]), DPoPKey.generate(alg="ES256")
    with table.step(GROUP, "device authorization (RFC 8628)") as note:
        started = client.authorize_device(scope=server["scope"])
        note(f"code {started.user_code}, every {started.interval} s")
    with table.step(GROUP, "asking before the person has decided: authorization_pending, and slow_down at once after it"):
        waits(lambda: client.device_code(started, dpop=True, dpop_key=key), AuthorizationPending)
        waits(lambda: client.device_code(started, dpop=True, dpop_key=key), SlowDown)
    with table.step(GROUP, "the person compares the code, signs in and allows"):
        page = browser.walk(started.verification_uri_complete, server["username"], server["password"], ends_on_page=True)
        require("<h1" in page, "not a page")
    with table.step(GROUP, "the device gets tokens, bound to its key") as note:
        token = client.device_code(started, dpop=True, dpop_key=key)
        require(isinstance(token, DPoPToken) and token.refresh_token, "not bound, or without a refresh token")
        note(f"expires in {token.expires_in} s")
    with table.step(GROUP, "GET the API with the device's token"):
        require(requests.get(server["api"], auth=token, timeout=PATIENCE).status_code == 200, "not accepted")
    return token


def exchange(table, server, token):
    auth = ClientSecretBasic(server["service_client_id"], server["service_secret"])
    service = client_of(server, auth=auth)
    with table.step(GROUP, "client credentials: a token for the service itself, introspected (RFC 7662), then revoked (RFC 7009)"):
        own = service.client_credentials(scope=server["scope"])
        require(isinstance(own, DPoPToken) and not own.refresh_token, "not bound, or with a refresh token")
        found = service.introspect_token(own.access_token)
        require(found["active"] is True and found["sub"] == server["service_client_id"], f"{found}")
        require(service.revoke_access_token(own) is True, "not revoked")
        require(service.introspect_token(own.access_token)["active"] is False, "still active")
    with table.step(GROUP, "token exchange (RFC 8693): the service acts for the person, with a key of its own") as note:
        exchanged = service.token_exchange(subject_token=token, scope=server["scope"], dpop=True)
        require(isinstance(exchanged, DPoPToken) and exchanged.dpop_key is not token.dpop_key, "not bound to another key")
        found = service.introspect_token(exchanged.access_token)
        require(found["active"] is True and found["act"]["sub"] == server["service_client_id"], f"{found}")
        note(f"act {found['act']['sub']}")
    with table.step(GROUP, "GET the API with the exchanged token"):
        require(requests.get(server["api"], auth=exchanged, timeout=PATIENCE).status_code == 200, "not accepted")
    with table.step(GROUP, "the device's token is revoked: the exchanged one ends with it"):
        require(client_of(server, server["device_client_id"]).revoke_refresh_token(token) is True, "not revoked")
        require(service.introspect_token(exchanged.access_token)["active"] is False, "still active")
    with table.step(GROUP, "a revoked token cannot be exchanged: invalid_request"):
        try:
            service.token_exchange(subject_token=token, scope=server["scope"], dpop=True)
        except OAuth2Error as refused:
            require(refused.error in ("invalid_request", "invalid_grant"), f"refused with {refused.error}")
        else:
            raise StepFailed("not refused")


def waits(action, kind):
    try:
        action()
    except kind:
        return
    raise StepFailed(f"not {kind.__name__}")
