# SPDX-License-Identifier: Apache-2.0
"""What a user types: every way to sign in, requests, keys, and what vouches for them."""

import json
import re
import time

from reader import PASSPHRASES, PASSWORDS, YES, write
from world import FOLDER


def sign_in(reader):
    """Accounts of an app: where keys are kept, and every way to sign in."""
    t, run_ = reader.type, reader.run
    for client in ("my-app", "notes"):
        run_(f"keybound client add --id {client} --redirect-uri http://127.0.0.1/callback --scope notes:read")
    run_("keybound client add --id my-tool --redirect-uri http://127.0.0.1/callback --first-party --grant-type authorization_code "
         "--grant-type refresh_token --grant-type device_code "
         "--scope openid --scope profile --scope api:read --scope notes:read")
    run_("keybound login https://auth.example.com --client-id notes --scope notes:read --key file --unencrypted-key-file")
    t("keybound login https://auth.example.com --client-id my-app --scope notes:read", answers=PASSPHRASES)
    run_("keybound logout", answers=PASSPHRASES)
    with reader.world.tpm():
        t("keybound login https://auth.example.com --client-id my-app --key tpm")
    t("keybound login https://auth.example.com --client-id my-tool --key secret-service")
    run_("keybound logout")
    t("(umask 077; head -c 32 /dev/urandom >credential)")
    t("keybound login https://auth.example.com --client-id my-tool --key-credential-file credential")
    # From here on, without a question for each use of the key.
    reader.world.environment["KEYBOUND_KEY_CREDENTIAL_FILE"] = str(reader.directory / "credential")
    t("keybound login https://auth.example.com --client-id my-tool --scope api:read")
    url = t("keybound login https://auth.example.com --client-id my-tool --print-url")
    url = re.search(r"https://auth.example.com/\S+", url)[0]
    end = run_(f"$BROWSER '{url}'").strip()
    t("keybound login --answer", answers=[(rb"ended[^\n]*: ?$", end)])
    device(reader, "keybound login https://auth.example.com --client-id my-tool --device")
    t("keybound client add --id tv --name 'My television' --grant-type device_code --grant-type refresh_token --scope api:read")
    device(reader, "keybound login https://auth.example.com --client-id tv --device")
    t("keybound login https://auth.example.com --client-id my-tool --no-browser --username ada", answers=PASSWORDS)


def device(reader, command):
    """Signs in with a code that is typed into a page."""
    shown = r"[A-Z]{4}-[A-Z]{4}"
    terminal = reader.type(command, until=shown)
    code = re.search(shown, terminal.text)[0]
    reader.run(f"$BROWSER 'https://auth.example.com/device?user_code={code}'")
    if terminal.read(lambda _: False) != 0:
        reader.fail(command, terminal.text)
    reader.stop(terminal)


def call(reader):
    """An account of an API: requests, tokens, keys, and the end of it."""
    t, run_ = reader.type, reader.run
    t("keybound login --mcp https://mcp.example.com/mcp")
    t("keybound request POST https://mcp.example.com/mcp -H 'Accept: application/json, text/event-stream' "
      """-d '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'""", prints='"tools"')
    t("""echo '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}' | keybound mcp https://mcp.example.com/mcp""", prints='"tools"')
    # Another reader, with one account.
    reader.world.environment["XDG_STATE_HOME"] = str(FOLDER / "calls")
    t("keybound login --api https://api.example.com --client-id my-tool --scope notes:read")
    t("keybound request GET https://api.example.com/notes", answers=YES, prints="subject")
    t("""keybound request POST https://api.example.com/notes -d '{"text": "hello"}' --fail""", answers=YES, prints="subject")
    proxy = t("keybound proxy https://api.example.com", answers=YES, until="listening")
    t("curl --unix-socket $XDG_RUNTIME_DIR/keybound/proxy-api.example.com.sock http://localhost/notes", prints="subject")
    reader.stop(proxy)
    proxy = t("keybound proxy https://api.example.com --port 8123", until="listening")
    write(reader.directory / "proxy-secret", re.search(r"Keybound-Proxy-Secret: [\w-]+", proxy.text)[0] + "\n", 0o600)
    t("curl -H @proxy-secret http://127.0.0.1:8123/notes", prints="subject")
    reader.stop(proxy)
    t("keybound gateway check https://api.example.com/notes --account default --yes", prints="ok")
    t("keybound token show", prints="notes:read")
    t("keybound token show --reveal | keybound jwt inspect", prints=r"at\+jwt")
    t("keybound token refresh")
    t("keybound token show --reveal >token.txt")
    t("keybound jwt inspect --jwks https://auth.example.com/jwks token.txt", prints="the signature verifies")
    proof = 'keybound proof make --access-token-file token.txt --url https://api.example.com/me'
    fields = f"""printf 'Authorization: DPoP %s\\nDPoP: %s\\n' "$(cat token.txt)" "$({proof})" >fields.txt"""
    t(fields)
    refused = run_("curl -si -H @fields.txt https://api.example.com/me | cat")
    nonce = re.search(r"(?i)dpop-nonce: (\S+)", refused)[1]
    t(fields, replacing=[("/me)", f"/me --nonce {nonce})")])
    t("curl -H @fields.txt https://api.example.com/me", prints="subject")
    run_(f"{proof} >proof.txt")
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    t("keybound proof verify --url https://api.example.com/me --access-token-file token.txt --at 2026-01-31T12:00:00Z proof.txt",
      replacing=[("2026-01-31T12:00:00Z", now)])
    run_("keybound proof make --throwaway-key --method POST --url https://auth.example.com/token >proof.txt")
    t("keybound proof verify --method POST --url https://auth.example.com/token proof.txt")
    t("keybound keys list", prints="auth.example.com")
    t("keybound keys show", prints='"kty"')
    t("keybound keys attest")
    with reader.world.tpm():
        run_("keybound login https://auth.example.com --client-id my-app --scope notes:read --key tpm")
        statement = t("keybound keys attest --challenge dGhlIG9uZSB0aGF0IHRoZXkgc2VudA --json")
        write(reader.directory / "fleet.txt", json.loads(statement)["attestation key name"] + "\n")
    t("keybound login https://auth.example.com --client-id my-tool --scope 'openid profile'")
    t("keybound userinfo", prints="preferred_username +ada")
    t("keybound logout")


def work(reader):
    """docs/grants.md: a job that calls an API, without a user."""
    t, run_ = reader.type, reader.run
    reader.world.environment["XDG_STATE_HOME"] = str(FOLDER / "job")
    added = t("keybound client add --id billing --auth-method client_secret_basic --grant-type client_credentials --scope api:read")
    write(reader.directory / "secret", re.search(r"kbs_[\w-]+", added)[0] + "\n", 0o600)
    t("keybound login --api https://api.example.com --client-id billing --client-credentials --client-secret-file secret "
      "--scope api:read --key-credential-file credential", prints="as the client billing itself")
    t("keybound request GET https://api.example.com/me --fail", prints="subject")
    run_("keybound token refresh")
    t("keybound logout")
    run_("keybound client remove billing --yes")
    reader.world.environment["XDG_STATE_HOME"] = str(FOLDER / "calls")


def attest(reader):
    """docs/attestation.md: an attester whose key is in a TPM."""
    t, run_ = reader.type, reader.run
    with reader.world.tpm():
        attester = t("keybound attester serve --client notes-app --attestation-key fleet.txt "
                     "--url https://attester.example.com --key tpm", until="listening")
        reader.stop(attester)
    with reader.world.tpm():
        t("keybound attester jwks --key tpm > attester.jwks")
    # Another key, not in the TPM.
    reader.world.environment["XDG_STATE_HOME"] = str(FOLDER / "another")
    reader.stop(t("keybound attester serve --client notes-app --allow-unproven --unencrypted-key-file", until="listening"))
    reader.world.environment["XDG_STATE_HOME"] = str(FOLDER / "issuing")
    reader.world.environment["KEYBOUND_KEY_CREDENTIAL_FILE"] = str(reader.directory / "credential")
    t("keybound attester jwks > attester.jwks")
    run_("keybound proof make --throwaway-key --url https://a.example | keybound jwt inspect --json | jq .header.jwk > device.jwk")
    t("keybound attester issue --client notes-app --jwk device.jwk")
    del reader.world.environment["KEYBOUND_KEY_CREDENTIAL_FILE"]


def forget(reader):
    """The account of a server that is gone."""
    database = f"--data-directory {FOLDER}/old"
    del reader.world.environment["KEYBOUND_CONFIG"]
    reader.run(f"mkdir {FOLDER}/old && keybound user add ada --password-file /run/ada {database}")
    reader.run(f"keybound client add --id my-tool --redirect-uri http://127.0.0.1/callback --scope openid {database}")
    old = reader.run("keybound serve --issuer https://old.example.com --listen 127.0.0.1:8082 --unencrypted-key-file --scope openid "
                     f"{database}", until="listening")
    reader.run("keybound login https://old.example.com --client-id my-tool --unencrypted-key-file")
    reader.stop(old)
    reader.type("keybound keys delete --issuer https://old.example.com")
