# SPDX-License-Identifier: Apache-2.0
"""Fills the database of a stopped server with grants and refresh tokens, as if many users had signed in."""

import base64
import itertools
import os
import sqlite3
import time

DAY = 24 * 60 * 60 * 1000
MONTH = 30 * 24 * 60 * 60 * 1000
THUMBPRINT = "the-thumbprint-of-a-key-of-somebody-43-long"


def store_tokens(path, count):
    """Stores `count` grants with a refresh token each, spread over the last month, all of them still valid."""
    now = time.time_ns() // 1_000_000
    records = (record(now - MONTH + number * MONTH // count, now + MONTH) for number in range(count))
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA synchronous = OFF")
        database.execute("PRAGMA cache_size = -262144")
        while batch := list(itertools.islice(records, 100_000)):
            database.executemany(
                "INSERT INTO grants (id, client_id, subject, scope, authenticated_at, created_at, expires_at, "
                "family_hash, refresh_scope, refresh_hash, refresh_thumbprint, refresh_ends) "
                "VALUES (:id, 'app', 'somebody', 'openid', 0, :created, :ends, :family, 'openid', :hash, :thumbprint, "
                ":expires)",
                batch,
            )
            # Each for itself: what is in no transaction need not wait in the log.
            database.commit()
    database.close()


def record(created, expires):
    """Identifier and hash begin with the time and the shard, as the server makes them."""
    start = created.to_bytes(6, "big") + os.urandom(1)
    identifier = base64.urlsafe_b64encode(start + os.urandom(9)).rstrip(b"=").decode()
    return {
        "id": identifier,
        "created": created,
        "hash": start + os.urandom(25),
        "family": os.urandom(32),
        "thumbprint": THUMBPRINT,
        "expires": expires,
        "ends": expires + DAY,
    }
