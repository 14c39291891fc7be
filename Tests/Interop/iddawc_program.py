# SPDX-License-Identifier: Apache-2.0
"""iddawc (Debian package, C) signs in at Keybound's server; a program of its own, since a fault in C ends the process.

Called with what the server is, as JSON. Tells each step as a line of JSON; asks for the pages with {"open": URL} and reads
where the browser was sent to from standard input. The functions of the library are called without its headers, whose package
cannot be installed next to the one that Swift needs; the numbers below are those of iddawc.h 1.1 and ulfius.h 2.7.
"""

import base64
import ctypes
import hashlib
import json
import sys
import urllib.request

from joserfc.jwk import ECKey

I_OK, I_ERROR_PARAM = 0, 2
RESPONSE_TYPE_CODE, RESPONSE_TYPE_REFRESH_TOKEN = 0x1, 0x100000
AUTH_METHOD_GET, TOKEN_AUTH_METHOD_NONE = 0x1, 0x0
PKCE_METHOD_S256 = 2
REVOKE_AUTH_CLIENT = 2
(
    OPT_RESPONSE_TYPE, OPT_SCOPE, OPT_REDIRECT_URI, OPT_REDIRECT_TO, OPT_CLIENT_ID, OPT_ERROR,
    OPT_ERROR_DESCRIPTION, OPT_REFRESH_TOKEN, OPT_ACCESS_TOKEN, OPT_AUTH_METHOD, OPT_TOKEN_METHOD, OPT_TOKEN_TYPE,
    OPT_STATE_GENERATE, OPT_TOKEN_JTI_GENERATE, OPT_TOKEN_TARGET, OPT_TOKEN_TARGET_TYPE_HINT, OPT_USE_DPOP,
    OPT_DPOP_SIGN_ALG, OPT_PKCE_CODE_VERIFIER, OPT_PKCE_CODE_VERIFIER_GENERATE, OPT_PKCE_METHOD, OPT_DPOP_NONCE_AS,
) = (1, 2, 6, 7, 8, 19, 20, 23, 24, 28, 29, 30, 38, 49, 51, 52, 70, 75, 80, 81, 82, 128)
# Which option takes which member of the metadata.
ENDPOINTS = {
    12: "authorization_endpoint", 13: "token_endpoint", 35: "issuer", 53: "revocation_endpoint",
    66: "pushed_authorization_request_endpoint",
}
U_OPT_NONE, U_OPT_HTTP_VERB, U_OPT_HTTP_URL = 0, 1, 2
# Larger than any of the structures.
ROOM = 8192

iddawc = ctypes.CDLL("libiddawc.so.1.1")
ulfius = ctypes.CDLL("libulfius.so.2.7")
jansson = ctypes.CDLL("libjansson.so.4")
iddawc.i_get_str_parameter.restype = ctypes.c_char_p
jansson.json_loads.restype = ctypes.c_void_p


class Refused(Exception):
    pass


class Session:
    """An iddawc session; each method is a function of the library."""

    def __init__(self):
        iddawc.i_global_init()
        self.session = ctypes.create_string_buffer(ROOM)
        require(iddawc.i_init_session(self.session) == I_OK, "i_init_session")

    def set_number(self, option, value):
        require(iddawc.i_set_int_parameter(self.session, option, ctypes.c_uint(value)) == I_OK, f"option {option}")

    def set_text(self, option, value):
        require(iddawc.i_set_str_parameter(self.session, option, value.encode()) == I_OK, f"option {option}")

    def add(self, name, value):
        require(iddawc.i_set_additional_parameter(self.session, name.encode(), value.encode()) == I_OK, name)

    def text(self, option):
        value = iddawc.i_get_str_parameter(self.session, option)
        return value.decode() if value else ""

    def use_key(self):
        key = ECKey.generate_key("P-256", {"kid": "interop", "alg": "ES256"}).as_dict(private=True)
        require(iddawc.i_set_client_jwks(self.session, jansson_value({"keys": [key]})) == I_OK, "i_set_client_jwks")
        self.set_number(OPT_USE_DPOP, 1)
        self.set_text(OPT_DPOP_SIGN_ALG, "ES256")

    def renew_jti(self):
        # The library leaves that to the caller.
        self.set_number(OPT_TOKEN_JTI_GENERATE, 16)

    def call(self, function, *arguments):
        """Calls a function that sends a proof; once more when the server demanded a nonce, which the library has kept."""
        self.renew_jti()
        result = function(self.session, *arguments)
        demanded = result != I_OK and self.text(OPT_ERROR) == "use_dpop_nonce"
        if demanded:
            require(self.text(OPT_DPOP_NONCE_AS), "the library kept no nonce")
            self.set_text(OPT_ERROR, "")
            self.renew_jti()
            result = function(self.session, *arguments)
        require(result == I_OK, f"result {result}, {self.text(OPT_ERROR)}: {self.text(OPT_ERROR_DESCRIPTION)}")
        return "with the nonce that was demanded" if demanded else "at once"

    def send(self, method, url):
        """Sends a request to an API; returns its status."""
        request, response = ctypes.create_string_buffer(ROOM), ctypes.create_string_buffer(ROOM)
        ulfius.ulfius_init_request(request)
        ulfius.ulfius_init_response(response)
        ulfius.ulfius_set_request_properties(
            request, U_OPT_HTTP_VERB, method.encode(), U_OPT_HTTP_URL, url.encode(), U_OPT_NONE
        )
        self.renew_jti()
        result = iddawc.i_perform_resource_service_request(
            self.session, request, response, 0, 0, 1, ctypes.c_long(0)
        )
        require(result == I_OK, f"result {result}")
        return ctypes.cast(response, ctypes.POINTER(ctypes.c_long))[0]


def jansson_value(value):
    return ctypes.c_void_p(jansson.json_loads(json.dumps(value).encode(), ctypes.c_size_t(0), None))


def fetch(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return json.load(answer)


def require(condition, message):
    if not condition:
        raise Refused(message)


def tell(**what):
    print(json.dumps(what), flush=True)


def step(name, action):
    try:
        note = action()
    except Refused as refusal:
        tell(step=name, passed=False, note=str(refusal))
        sys.exit(1)
    tell(step=name, passed=True, note=note or "")


def main(server, pushes):
    session = Session()

    def discover():
        # iddawc itself reads the metadata of OpenID providers only: it insists on members that RFC 8414 does not have.
        metadata = fetch(server["issuer"] + "/.well-known/oauth-authorization-server")
        for option, name in ENDPOINTS.items():
            session.set_text(option, metadata[name])
        keys = jansson_value(fetch(metadata["jwks_uri"]))
        require(iddawc.i_set_server_jwks(session.session, keys) == I_OK, "the keys of the server were not taken")

    def prepare():
        session.use_key()
        session.set_number(OPT_RESPONSE_TYPE, RESPONSE_TYPE_CODE)
        session.set_number(OPT_AUTH_METHOD, AUTH_METHOD_GET)
        session.set_number(OPT_TOKEN_METHOD, TOKEN_AUTH_METHOD_NONE)
        session.set_text(OPT_CLIENT_ID, server["client_id"])
        session.set_text(OPT_REDIRECT_URI, server["redirect_uri"])
        session.set_text(OPT_SCOPE, server["scope"])
        session.set_number(OPT_STATE_GENERATE, 32)
        session.set_number(OPT_PKCE_METHOD, PKCE_METHOD_S256)
        session.set_number(OPT_PKCE_CODE_VERIFIER_GENERATE, 43)

    def push():
        # iddawc puts the challenge into the URL only; where requests are pushed, the caller must put it in.
        digest = hashlib.sha256(session.text(OPT_PKCE_CODE_VERIFIER).encode()).digest()
        session.add("code_challenge", base64.urlsafe_b64encode(digest).rstrip(b"=").decode())
        session.add("code_challenge_method", "S256")
        return session.call(iddawc.i_run_par_request)

    def receive():
        tell(open=session.text(OPT_REDIRECT_TO))
        session.set_text(OPT_REDIRECT_TO, sys.stdin.readline().strip())
        require(iddawc.i_parse_redirect_to(session.session) == I_OK, "the answer was not taken")

    def exchange():
        note = session.call(iddawc.i_run_token_request)
        require(session.text(OPT_TOKEN_TYPE) == "DPoP", f"token_type {session.text(OPT_TOKEN_TYPE)}")
        require(session.text(OPT_REFRESH_TOKEN), "no refresh token")
        return note + "; the library verified the access token with the server's keys"

    def call_api():
        statuses = [session.send("GET", server["api"])]
        if statuses == [401]:
            statuses.append(session.send("GET", server["api"] + "?a=1"))
        require(statuses[-1] == 200, f"statuses {statuses}")
        return f"statuses {statuses}"

    def refresh():
        before = session.text(OPT_ACCESS_TOKEN), session.text(OPT_REFRESH_TOKEN)
        session.set_number(OPT_RESPONSE_TYPE, RESPONSE_TYPE_REFRESH_TOKEN)
        note = session.call(iddawc.i_run_token_request)
        require(session.text(OPT_ACCESS_TOKEN) != before[0], "the access token is the old one")
        require(session.text(OPT_REFRESH_TOKEN) != before[1], "the refresh token is the old one")
        return note

    def revoke():
        session.set_text(OPT_TOKEN_TARGET, session.text(OPT_REFRESH_TOKEN))
        session.set_text(OPT_TOKEN_TARGET_TYPE_HINT, "refresh_token")
        require(iddawc.i_revoke_token(session.session, REVOKE_AUTH_CLIENT) == I_OK, session.text(OPT_ERROR))

    def refresh_in_vain():
        session.renew_jti()
        result = iddawc.i_run_token_request(session.session)
        require(result == I_ERROR_PARAM and session.text(OPT_ERROR) == "invalid_grant", f"result {result}")

    step("the endpoints, from the metadata", discover)
    step("a key, PKCE S256 and state", prepare)
    if pushes:
        step("pushed authorization request with a proof", push)
    else:
        step("authorization URL", lambda: session.call(iddawc.i_build_auth_url_get))
    step("authorization response", receive)
    step("code exchange with code_verifier and proof", exchange)
    step("GET the API with a proof (ath, nonce of the API)", call_api)
    step("refresh with the same key; both tokens are new", refresh)
    step("GET the API with the refreshed token", call_api)
    step("revoke the refresh token", revoke)
    step("a refresh after that is refused with invalid_grant", refresh_in_vain)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), pushes=sys.argv[2] == "pushed")
