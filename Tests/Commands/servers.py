# SPDX-License-Identifier: Apache-2.0
"""What an operator types: a server, its users and clients, and an API behind a proxy."""

import json
import re
import secrets
import shutil
from pathlib import Path

from reader import PASSPHRASES, PASSWORDS, YES, write
from world import PASSWORD, USER, change, run


def set_up(reader):
    """docs/install.md: a server behind nginx."""
    t = reader.type
    for command in ("sudo keybound init", "sudo keybound init > keybound.conf"):
        t(command, answers=[
            (rb"Issuer[^\n]*: ?$", "https://auth.example.com"), (rb"first user[^\n]*: ?$", USER),
            (rb"first app[^\n]*: ?$", "notes-cli"), *PASSWORDS,
        ])
        for folder in ("/etc/keybound", "/var/lib/keybound", "/etc/credstore.encrypted"):
            shutil.rmtree(folder, ignore_errors=True)
    t("sudo cp keybound.conf /etc/nginx/conf.d/")
    write("/run/ada", PASSWORD, 0o600)
    t("sudo keybound init --no-questions --issuer https://auth.example.com --user ada --password-file /run/ada "
      "--client notes-cli > /etc/nginx/conf.d/keybound.conf")
    write("/etc/keybound/attester.jwks", reader.run("keybound attester jwks --unencrypted-key-file --directory fleet"))
    change("/etc/keybound/keybound.json", {
        "audience": "https://api.example.com",
        "scopes": {name: None for name in ("openid", "profile", "api:read", "notes:read", "notes:write", "payments", "tools:use")},
        "resources": {"https://mcp.example.com/mcp": {"scopes": ["tools:use"]}},
        "unregisteredClients": {"openRegistration": True, "scopes": ["tools:use"]},
        "attesters": {"apps": {"jwks": "/etc/keybound/attester.jwks", "clients": ["notes-app"]}},
        "firstParty": True, "allowUnattestedFirstParty": True,
    })
    shutil.copy("/etc/keybound/keybound.json", "/etc/keybound.json")
    reader.world.start_proxy()
    t("sudo nginx -t", prints="successful")
    reader.world.environment["KEYBOUND_CONFIG"] = "/etc/keybound/keybound.json"
    t("keybound aasa --app ABCDE12345.com.example.app --check https://app.example.com/callback")
    server = t("keybound serve --config /etc/keybound.json", until="listening")
    t('HEALTHCHECK CMD ["/usr/bin/keybound", "health", "http://127.0.0.1:8080"]',
      replacing=[('HEALTHCHECK CMD ["/usr/bin/keybound", "health", "http://127.0.0.1:8080"]',
                  "/usr/bin/keybound health http://127.0.0.1:8080")], prints="ready")
    t("keybound health --config /etc/keybound/keybound.json", prints="ready")
    t("keybound health unix:/run/keybound/server.sock", replacing=[("unix:/run/keybound/server.sock", "http://127.0.0.1:8080")], prints="ready")
    t("keybound doctor --config /etc/keybound/keybound.json", prints="https://auth.example.com")
    t("sudo -u keybound keybound doctor --config /etc/keybound/keybound.json", prints="https://auth.example.com")
    t("keybound login https://auth.example.com --client-id notes-cli --scope openid", answers=PASSPHRASES)
    return server


def operate(reader):
    """What an operator does while the server runs."""
    t, run_ = reader.type, reader.run
    # For the server it would be the secret of its signing keys.
    del reader.world.environment["KEYBOUND_KEY_CREDENTIAL_FILE"]
    t("sudo -u keybound keybound user add grace --config /etc/keybound/keybound.json", answers=PASSWORDS)
    t("keybound user password ada", answers=PASSWORDS)
    t("keybound user list", prints="grace")
    t("""keybound user set ada --claim-json 'groups=["admin"]'""", prints="admin")
    t("keybound user set ada --claim email=ada@example.com", prints="ada@example.com")
    t("keybound user set ada --no-claim groups", prints="ada@example.com")
    t("keybound user show ada", prints="ada@example.com")
    t("keybound grant list ada", prints="notes")
    t("keybound grant revoke --user ada --client notes", answers=YES)
    t("keybound user remove ada", answers=YES)
    t("keybound user add ada", answers=PASSWORDS)
    run_("keybound user remove ada --yes")
    t("pass show keybound/ada | keybound user add ada --password-file -")
    register(reader)
    t("keybound grant revoke --all", answers=YES)
    kid = re.search(r"[\w-]{43}", t("keybound keys server list"))[0]
    # After `--`, as its help says: one of 64 begins with a hyphen.
    t("keybound keys server show w0Nc...", replacing=[("w0Nc...", f"-- {kid}")], prints=kid)
    t("keybound keys server rotate --config /etc/keybound.json")
    t("keybound keys server rotate --config /etc/keybound.json --now --revoke", answers=YES)
    t('keybound db backup "/var/backups/keybound-$(date +%F).sqlite"')
    t("keybound gc")


def register(reader):
    """Every registration of the documents; a name that another one has is free again after it."""
    t, run_ = reader.type, reader.run
    shutil.copy("/etc/keybound/attester.jwks", reader.directory / "billing.jwks")
    t("keybound client add --name 'My tool' --redirect-uri http://127.0.0.1/callback --scope api:read")
    t("keybound client add --name 'My page' --application-type web --redirect-uri https://app.example/callback "
      "--allowed-web-origin https://app.example --scope api:read")
    t("keybound client add --name 'My app' --redirect-uri com.example.app:/callback --scope api:read")
    t("keybound client add --id com.example.keybound-app --name 'Keybound' "
      "--redirect-uri com.example.keybound-app:/callback --scope api:read")
    t("keybound client add --name 'My television' --grant-type device_code --grant-type refresh_token --scope api:read")
    for audience in ("https://notes.example.com", "https://api.example.com"):
        t(f"keybound client add --id notes-api --auth-method client_secret_basic --introspection-audience {audience}")
        run_("keybound client remove notes-api --yes")
    t("keybound client add --id page --application-type web --redirect-uri https://app.example/callback.html "
      "--allowed-web-origin https://app.example --scope openid --scope notes:read")
    for command in (
        "keybound client add --id notes-app --redirect-uri com.example.notes:/callback --scope api:read "
        "--auth-method attest_jwt_client_auth_dpop",
        'keybound client add --id notes-app --auth-method attest_jwt_client_auth_dpop --redirect-uri com.example.notes:/callback '
        '--scope "openid notes:read"',
        "keybound client add --id notes-app --first-party --auth-method attest_jwt_client_auth_dpop "
        "--redirect-uri com.example.notes:/callback --scope notes:read",
        "sudo -u keybound keybound client add --config /etc/keybound/keybound.json --id notes-app --name 'Notes' "
        "--redirect-uri com.example.notes:/callback --scope openid --scope notes:read",
    ):
        t(command)
        run_("keybound client remove notes-app --yes")
    run_("keybound client remove my-tool --yes")
    t("sudo -u keybound keybound client add --config /etc/keybound/keybound.json --id my-tool --name 'My tool' "
      "--redirect-uri http://127.0.0.1/callback --scope notes:read --scope notes:write --scope payments")
    t("keybound client add --id billing --auth-method private_key_jwt --jwks billing.jwks --grant-type client_credentials --scope api:read")
    t("keybound client set billing --jwks billing.jwks")
    t("keybound client remove billing", answers=YES)
    t("keybound client add --id billing --auth-method client_secret_basic --grant-type token-exchange --scope api:read "
      "--introspection-audience https://api.example.com")
    t("keybound client secret new billing")
    t("keybound client show billing", prints="token-exchange")
    run_("keybound client remove billing --yes")
    run_("keybound client add --id billing --redirect-uri https://old.example/cb --application-type web")
    t("keybound client set billing --add-redirect-uri https://new.example/cb --remove-redirect-uri https://old.example/cb")
    t("keybound client set billing --scope api:read")
    t("keybound client list", prints="My television")
    t("""keybound client list --json | jq 'map(select(.registered_by == "operator"))' > clients.json""")
    t("keybound client apply clients.json --dry-run", prints="billing: unchanged")
    run_("keybound client add --id unlisted --redirect-uri http://127.0.0.1/callback")
    t("keybound client apply clients.json --prune", answers=YES, prints="unlisted: removed")
    t('keybound client registration-token new --uses 10 --lifetime 1h --scope "openid notes:read"', prints="kbi_")
    token = re.search(r"[0-9a-f]{16}", t("keybound client registration-token list", prints="10 uses"))[0]
    t("keybound client registration-token remove 3f1c9a0b5d7e2468", replacing=[("3f1c9a0b5d7e2468", token)], answers=YES)


def guard(reader):
    """docs/gateway.md: an API and an MCP server behind nginx and the gateway."""
    t = reader.type
    write("/etc/keybound/gateway.json", json.dumps({
        "listen": "unix:/run/keybound/gateway.sock", "proxy": ["nginx"], "issuer": "https://auth.example.com", "apis": [
            {"address": "https://api.example.com", "rules": [{"path": "/notes", "scope": "notes:read"}, {"path": "/me"}]},
            {"address": "https://mcp.example.com", "audience": "https://mcp.example.com/mcp", "rules": [{"path": "/mcp", "scope": "tools:use"}]},
        ],
    }))
    shutil.copy("/etc/keybound/gateway.json", reader.directory / "gateway.json")
    for folder in ("/run/keybound", "/etc/caddy", "/etc/haproxy"):
        Path(folder).mkdir(exist_ok=True)
    t("keybound gateway --config gateway.json --check")
    t("sudo -u keybound keybound gateway --config /etc/keybound/gateway.json --check")
    # The package makes it, with a user; with this user, keybound init would give files to it, and here all are of one.
    reader.run("getent group keybound || groupadd --system keybound")
    t("sudo adduser www-data keybound", prints="keybound")
    t("keybound gateway --config /etc/keybound/gateway.json", until="listening")
    t("keybound gateway config caddy --api https://api.example.com --upstream 127.0.0.1:9000 > /etc/caddy/Caddyfile")
    t("keybound gateway config haproxy --api https://api.example.com --upstream 127.0.0.1:9000 > /etc/haproxy/haproxy.cfg")
    t(
        "keybound gateway config haproxy --api https://api.example.com --upstream 127.0.0.1:9000"
        " --api https://mcp.example.com --upstream 127.0.0.1:9001 > /etc/haproxy/haproxy.cfg"
    )
    t("keybound gateway config haproxy --lua > /etc/haproxy/keybound.lua")
    t("keybound gateway config haproxy --api https://api.example.com --lua > /etc/haproxy/keybound.lua")
    reader.run("keybound gateway config nginx --api https://mcp.example.com --upstream 127.0.0.1:9000 > /etc/nginx/conf.d/mcp.conf")
    t("keybound gateway config nginx --api https://api.example.com --upstream 127.0.0.1:9000 > /etc/nginx/conf.d/api.conf")
    reader.world.restart_proxy()
    t("keybound gateway check https://api.example.com/notes --yes", prints="ok")


def issue(reader):
    """An authorization server of one's own: tried out here, and in production."""
    t = reader.type
    write(reader.directory / "keybound.json", json.dumps({
        "issuer": "http://127.0.0.1:8080", "allowInsecureLoopbackIssuer": True, "unencryptedKeyFile": True, "scopes": {"openid": None},
        "dataDirectory": "served",
    }))
    reader.stop(t("keybound serve --config keybound.json", until="listening"))
    reader.stop(t("keybound serve --issuer http://127.0.0.1:8080 --allow-insecure-loopback-issuer --unencrypted-key-file "
                  "--scope api:read='read your notes'", until="listening"))
    (reader.directory / "keybound.json").unlink()
    t("keybound init --config keybound.json --data-directory data --issuer http://127.0.0.1:8080 "
      "--allow-insecure-loopback-issuer --user ada --client notes-cli", answers=PASSWORDS)
    write("/etc/keybound-new-credential", "", 0o600)
    Path("/etc/keybound-new-credential").write_bytes(secrets.token_bytes(32))
    t("keybound keys server reseal --config /etc/keybound.json --new-key-credential-file /etc/keybound-new-credential")
