# SPDX-License-Identifier: Apache-2.0
"""Fills the database of a server that is stopped, as if so many people had signed in."""

import sqlite3


def store_tokens(path, count):
    """So many grants with a refresh token each that is valid for a month, in random order as hashes are."""
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA synchronous = OFF")
        database.execute("PRAGMA cache_size = -262144")
        database.execute(
            """
            CREATE TEMP TABLE numbers AS WITH RECURSIVE n(i, hash) AS (
                SELECT 1, randomblob(32) UNION ALL SELECT i + 1, randomblob(32) FROM n WHERE i < ?
            ) SELECT i, hash FROM n ORDER BY hash
            """,
            [count],
        )
        database.execute(
            """
            INSERT INTO grants (id, client_id, subject, scope, authenticated_at, created_at)
            SELECT 'stored-' || printf('%010d', i), 'app', 'somebody', 'openid', 0, unixepoch() * 1000 FROM numbers ORDER BY i
            """
        )
        database.execute(
            """
            INSERT INTO refresh_tokens (token_hash, grant_id, client_id, scope, dpop_thumbprint, expires_at)
            SELECT hash, 'stored-' || printf('%010d', i), 'app', 'openid', 'the-thumbprint-of-a-key-of-somebody-43-long',
                (unixepoch() + 2592000) * 1000 + i FROM numbers
            """
        )
    database.close()
