# SPDX-License-Identifier: Apache-2.0
"""What the operator of several nodes types: their database."""

import re
import shutil
from pathlib import Path

from documented import block
from reader import write

PAGE = "docs/cluster.md"
OWNER = "postgresql://keybound_owner@db.example/keybound?sslrootcert=/etc/keybound/db-ca.pem"


def share(reader):
    """docs/cluster.md: the database of several nodes."""
    t, world = reader.type, reader.world
    world.start_database()
    shutil.copy(world.authority, "/etc/keybound/db-ca.pem")
    shutil.copy(world.authority, reader.directory / "db-ca.pem")
    (world.home / ".postgresql").mkdir()
    shutil.copy(world.authority, world.home / ".postgresql" / "root.crt")
    for role in ("owner", "server"):
        write(f"/etc/keybound/{role}.pgpass", f"db.example:5432:*:keybound_{role}:{role}\n", 0o600)
    write(world.home / ".pgpass", "db.example:5432:*:keybound_owner:owner\ndb.example:5432:*:keybound_server:server\n", 0o600)
    # The page shortens the address where it has been given before.
    whole = [("postgresql://...", OWNER)]
    prepare(world)
    t("keybound db migrate --database 'postgresql://keybound_owner@db.example/keybound?sslrootcert=/etc/keybound/db-ca.pem&"
      "passfile=/etc/keybound/owner.pgpass'")
    t("keybound db migrate --database 'postgresql://keybound_owner@db.example/keybound?sslrootcert=db-ca.pem'")
    t("keybound db migrate --database 'postgresql://...'", replacing=whole)
    t("sudo -u keybound keybound db copy /var/lib/keybound/keybound.db --database 'postgresql://...'", replacing=whole)
    prepare(world)
    reader.run(f"keybound db migrate --database '{OWNER}'")
    t("keybound db copy /var/lib/keybound/keybound.db --database 'postgresql://keybound_owner@db.example/keybound'")
    first_node(reader, "postgresql://keybound_server@db.example/keybound?sslrootcert=/etc/keybound/db-ca.pem&"
               "passfile=/etc/keybound/server.pgpass")
    first_node(reader, "postgresql://keybound_server@db.example/keybound?sslrootcert=/etc/keybound/db-ca.pem")
    world.environment["KEYBOUND_CONFIG"] = "/etc/keybound/keybound.json"
    t("keybound db status", prints="schema")


def prepare(world):
    """Roles and an empty database, as the page has them."""
    world.database.sql("DROP DATABASE IF EXISTS keybound; DROP ROLE IF EXISTS keybound_owner, keybound_server;")
    # The password of each role is its last word.
    world.database.sql(re.sub(r"ROLE keybound_(\w+) LOGIN PASSWORD '...'", r"ROLE keybound_\1 LOGIN PASSWORD '\1'", block(PAGE, "CREATE ROLE")))


def first_node(reader, database):
    """Its configuration and credential, on a database without keys."""
    prepare(reader.world)
    reader.run(f"keybound db migrate --database '{OWNER}'")
    reader.world.database.sql("\\c keybound\n" + block(PAGE, "GRANT USAGE"))
    for name in ("keybound.json", "keybound-key"):
        Path("/etc/keybound", name).unlink(missing_ok=True)
    reader.type("sudo keybound init --issuer https://auth.example.com --listen 10.0.0.11:8080 --trusted-proxy 10.0.0.2 "
                f"--database '{database}'", answers=[(rb"first user[^\n]*: ?$", ""), (rb"first app[^\n]*: ?$", "")], prints="10.0.0.11:8080")
