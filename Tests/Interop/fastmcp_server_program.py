# SPDX-License-Identifier: Apache-2.0
"""An MCP server by fastmcp (PyPI) that takes Bearer tokens of an authorization server it is told, or is one itself.

    fastmcp_server_program.py ISSUER PORT    tokens of that issuer
    fastmcp_server_program.py - PORT         its own: anybody may register, and is signed in without a question
"""

import sys

from fastmcp import FastMCP
from fastmcp.server.auth import RemoteAuthProvider
from fastmcp.server.auth.providers.in_memory import InMemoryOAuthProvider
from fastmcp.server.auth.providers.jwt import JWTVerifier
from mcp.server.auth.settings import ClientRegistrationOptions, RevocationOptions

ISSUER, PORT = sys.argv[1], int(sys.argv[2])
BASE = f"http://127.0.0.1:{PORT}"
SCOPES = ["notes:read"]


def tokens_of_another():
    verifier = JWTVerifier(
        jwks_uri=ISSUER + "/jwks", issuer=ISSUER, audience=BASE + "/mcp", algorithm="ES256", required_scopes=SCOPES
    )
    return RemoteAuthProvider(verifier, [ISSUER], BASE, challenge_scopes=SCOPES)


def own_tokens():
    return InMemoryOAuthProvider(
        base_url=BASE, required_scopes=SCOPES, revocation_options=RevocationOptions(enabled=True),
        client_registration_options=ClientRegistrationOptions(enabled=True, valid_scopes=SCOPES, default_scopes=SCOPES),
    )


server = FastMCP("notes", auth=own_tokens() if ISSUER == "-" else tokens_of_another())


@server.tool()
def list_notes() -> str:
    """Lists your notes"""
    return "water the plants"


server.run("http", host="127.0.0.1", port=PORT, stateless_http=True, show_banner=False)
