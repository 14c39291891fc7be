# SPDX-License-Identifier: Apache-2.0
"""An MCP server by the reference SDK (PyPI: mcp 2.x) that takes Bearer tokens of an authorization server it is told.

    mcp_server_program.py ISSUER PORT
"""

import sys

import jwt
from mcp.server import MCPServer
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings

ISSUER, PORT = sys.argv[1], int(sys.argv[2])
URL = f"http://127.0.0.1:{PORT}/mcp"
KEYS = jwt.PyJWKClient(ISSUER + "/jwks")


class Verifier:
    """RFC 9068 section 4; a token that is bound to a key is none for a server that checks no proofs."""

    async def verify_token(self, token):
        try:
            key = KEYS.get_signing_key_from_jwt(token)
            claims = jwt.decode(token, key.key, algorithms=["ES256"], audience=URL, issuer=ISSUER)
        except jwt.PyJWTError:
            return None
        if "cnf" in claims:
            return None
        return AccessToken(
            token=token, client_id=claims["client_id"], scopes=claims["scope"].split(), expires_at=claims["exp"],
            resource=URL, subject=claims["sub"],
        )


server = MCPServer(
    "notes", token_verifier=Verifier(),
    auth=AuthSettings(issuer_url=ISSUER, resource_server_url=URL, required_scopes=["notes:read"], validate_token_resource=True),
)


@server.tool()
def list_notes() -> str:
    """Lists your notes"""
    return "water the plants"


server.run("streamable-http", host="127.0.0.1", port=PORT, stateless_http=True)
