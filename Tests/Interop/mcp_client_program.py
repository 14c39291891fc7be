# SPDX-License-Identifier: Apache-2.0
"""The reference SDK (PyPI: mcp, 2.x and 1.x) as a client of an MCP server that it knows by its URL alone.

    mcp_client_program.py URL PORT [DOCUMENT_URL]

Tells its steps, one line of JSON each; asks for the pages of a sign-in with {"open": URL}, and reads where the browser went. Run in
an environment of its own, since its dependencies are not those of the other programs here.
"""

import asyncio
import json
import sys
import traceback
from importlib.metadata import version
from urllib.parse import parse_qs, urlsplit

from mcp import ClientSession
from mcp.client.auth import OAuthClientProvider
from mcp.shared.auth import OAuthClientMetadata

IS_NEW = int(version("mcp").split(".")[0]) >= 2


def tell(step, passed=True, note=""):
    print(json.dumps({"step": step, "passed": passed, "note": note}), flush=True)


class Storage:
    def __init__(self):
        self.tokens = self.client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


async def walk(url):
    query = parse_qs(urlsplit(url).query)
    walk.requests.append(query)
    print(json.dumps({"open": url}), flush=True)


walk.requests = []


async def answer():
    query = parse_qs(urlsplit(await asyncio.to_thread(sys.stdin.readline)).query)
    code, state, issuer = (query.get(name, [None])[0] for name in ("code", "state", "iss"))
    if IS_NEW:
        from mcp.shared.auth import AuthorizationCodeResult

        return AuthorizationCodeResult(code=code, state=state, iss=issuer)
    return code, state


def connect(url, provider):
    if IS_NEW:
        import httpx2
        from mcp.client.streamable_http import streamable_http_client

        return streamable_http_client(url, http_client=httpx2.AsyncClient(auth=provider, timeout=30))
    from mcp.client.streamable_http import streamablehttp_client

    return streamablehttp_client(url, auth=provider)


def text(result):
    return "".join(getattr(part, "text", "") for part in result.content)


async def main(url, port, document):
    storage = Storage()
    provider = OAuthClientProvider(
        server_url=url,
        client_metadata=OAuthClientMetadata(
            client_name="Reference SDK", redirect_uris=[f"http://127.0.0.1:{port}/callback"],
            grant_types=["authorization_code", "refresh_token"], response_types=["code"],
            token_endpoint_auth_method="none",
        ),
        storage=storage, redirect_handler=walk, callback_handler=answer,
        **({"client_metadata_url": document} if document else {}),
    )
    async with connect(url, provider) as streams, ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        tell("from a bare 401 to a session: discovery, client, sign-in, tokens")
        tell("PKCE S256 and the resource are in the request",
             walk.requests[0].get("code_challenge_method") == ["S256"] and walk.requests[0].get("resource") == [url])
        tell("the client was not registered by hand", storage.client.client_id == document if document else True,
             storage.client.client_id)
        tools = await session.list_tools()
        tell("tools/list", {tool.name for tool in tools.tools} == {"list_notes", "add_note"})
        called = await session.call_tool("list_notes", {})
        tell("tools/call with the scope of the challenge", "water the plants" in text(called))
        called = await session.call_tool("add_note", {})
        tell("tools/call that needs more scope: step-up by 403 insufficient_scope", "added for" in text(called))
        tell("the step-up asked for the union of scopes",
             set(walk.requests[-1]["scope"][0].split()) >= {"notes:read", "notes:write"})
        tell("the token is Bearer, with a refresh token",
             storage.tokens.token_type.lower() == "bearer" and bool(storage.tokens.refresh_token))


try:
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None))
except BaseException as error:  # an exception group holds the one that matters
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    traceback.print_exception(error, file=sys.stderr)
    tell("the program ran to its end", False, f"{type(error).__name__}: {error}"[:200])
    sys.exit(1)
