// SPDX-License-Identifier: Apache-2.0

/// The reference of the server's settings, from their declarations.
enum ConfigurationReference {
    private static let introduction = [
        "An option goes before the environment variable, and that before the configuration file. A key that is not known "
            + "is an error. Durations are written 90s, 5m, 8h or 30d. The file is named by --config, or by $KEYBOUND_CONFIG; in "
            + "$KEYBOUND_SCOPE each scope stands on a line of its own.",
        "Only the issuer must be set. What protects the signing key must be said too: a credential of 32 random bytes "
            + "that is kept away from the key, or, by its long name, nothing.",
    ]

    static let example = """
        {
          "issuer": "https://auth.example.com",
          "listen": "127.0.0.1:8080",
          "audience": "https://api.example.com",
          "serverName": "Example",
          "scopes": {
            "api:read": "read your notes",
            "api:write": "write and delete notes"
          },
          "dataDirectory": "/var/lib/keybound",
          "keyCredential": "keybound-key",
          "lifetimes": { "accessToken": "5m", "refreshToken": "30d" }
        }
        """

    static func text() -> String {
        var parts = introduction.map(HelpText.paragraph)
        parts += Setting.all.map { setting in
            "\(setting.key)\n"
                + HelpText.table([
                    ("what", setting.option.help), ("default", setting.standard), ("type", setting.kind.description),
                    ("option", setting.option.usage), ("variable", setting.variable),
                ])
        }
        parts.append("Example of a configuration file:\n" + example)
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// `docs/configuration.md`.
    static func markdown() -> String {
        var parts = [
            "# Configuration of keybound serve",
            "This page is written by `keybound help configuration --markdown`; a test compares them.",
        ]
        parts += introduction
        parts.append("```json\n\(example)\n```")
        parts.append(
            "`keybound serve --config FILE --check` says whether a file is in order, and opens no database and no "
                + "key of the server."
        )
        parts.append("## Settings")
        parts += Setting.all.map(section)
        parts.append("## OpenID Connect")
        parts += openID
        parts.append("## Consent")
        parts += consent
        parts.append("## What clients ask for")
        parts += requests
        parts.append("## Protecting the signing keys")
        parts += keyProtection
        parts.append("## Changing the signing keys")
        parts += keyRotation
        return parts.joined(separator: "\n\n") + "\n"
    }

    private static func section(_ setting: Setting) -> String {
        """
        ### \(setting.key)

        \(HelpText.sentence(setting.option.help))

        | type | default | option | variable |
        |---|---|---|---|
        | \(setting.kind.description) | \(setting.standard) | `\(setting.option.usage)` | `\(setting.variable)` |
        """
    }

    private static let openID = [
        "With the scope `openid` the server says who signed in: id_tokens, `/userinfo`, `/logout`, and "
            + "`/.well-known/openid-configuration` with what it supports. With `profile` `/userinfo` says the user name too. "
            + "`sub` is random, and the same for every client.",
        "id_tokens live as long as access tokens. They are signed with RS256, by a key of 3072 bits that is made at the first "
            + "start with that scope and kept beside the other one; clients added with `--id-token-alg ES256` get ES256.",
        "`max_age`, `prompt`, `acr_values`, `login_hint` and `id_token_hint` are honoured; `claims`, `display` and "
            + "`ui_locales` change nothing. `prompt=none` shows no page and ends with `login_required` or `consent_required` "
            + "unless the person is signed in and has agreed before.",
        "Tokens say how a person signed in (`acr`, `amr`) and when (`auth_time`). `acr_values` of which none exists end with "
            + "`unmet_authentication_requirements` (RFC 9470); a session of another way asks for a login.",
        "`/logout` ends the session of the browser, at once for the id_token of who is signed in, or else after a question, "
            + "and leads to addresses only that the client was added with (`--post-logout-redirect-uri`). What apps were "
            + "allowed stays until they revoke it, or it expires.",
    ]

    private static let keyRotation = [
        "Keys replace each other by themselves. `keys.publication` before its time the next key appears in `/jwks`, so that "
            + "every API knows it when it signs; after `keys.rotation` it takes the place of the active one, which stays "
            + "published until its last token has expired and no session knows an id_token of it. "
            + "`keybound keys server list` shows them.",
        "APIs may keep `/jwks` for half of `keys.publication`, five minutes at most; the answer says so. Some keep it for longer "
            + "than they are told: an hour is enough for those.",
        "Several servers on one database have the same keys, and need the same settings and credential. A running server notices "
            + "within five seconds what `keybound keys server rotate` did. When keys may have leaked, `keybound keys server rotate --now --revoke` "
            + "makes new ones, under the same credential, and withdraws all others.",
        "Where an earlier version kept its keys in files, the first start takes them into the database: tokens stay valid. The files "
            + "can be deleted then.",
    ]

    private static let consent = [
        "What a person allows a client is remembered, unless they untick the box, and asked for again when a request wants "
            + "more, with `prompt=consent` or `prompt=select_account`, or after it was withdrawn. Withdrawing it revokes every "
            + "grant of that person to that client.",
        "It is remembered for https addresses only, which lead to their owner. At a loopback address or with the scheme of an "
            + "app any app on the device can pass for another one (RFC 8252 section 8.6), so there people are asked every time; "
            + "`rememberConsentForRedirectsThatAnyAppCanTake` changes that.",
        "A login system that exists already can take the place of the pages: see [login-system.md](login-system.md).",
    ]

    private static let requests = [
        "Tokens are for `audience` unless a request names another API (`resource`, RFC 8707), which `resources` must know:",
        """
        ```json
        "resources": {
          "https://files.example.com": { "scopes": ["files:read"] },
          "https://vault.example.com": { "scopes": ["vault:open"], "format": "opaque", "lifetime": "1m" }
        },
        "authorizationDetails": {
          "payment": {
            "text": "Make a payment",
            "fields": { "actions": ["initiate", "status"], "amount": null },
            "required": ["amount"]
          }
        }
        ```
        """,
        "A scope belongs to the APIs that list it; what none lists, to those that list none; `openid` and `profile` to no API. A token "
            + "has the scope of its APIs only. `lifetime` is at most `lifetimes.accessToken`; `algorithm` is ES256 or RS256. An "
            + "opaque token says nothing by itself: the API asks about it at `/introspect`, as a client that was added with "
            + "`--introspection-audience`, and learns at once that it was revoked. APIs whose tokens differ need a token each.",
        "Authorization details (RFC 9396) have a type that is described here and that the client was added with "
            + "(`--authorization-details-type`). `fields` are the members that they may have, each with the texts that are allowed, "
            + "or `null` for any value of up to 256 characters. The consent page shows every one of them.",
        "Requests may be signed (RFC 9101) with ES256, EdDSA, Ed25519 or PS256 by a key of the client (`--jwks`); then only what is signed "
            + "counts. `aud` is the issuer, `nbf` and `exp` are there, an hour away at most.",
        """
        | bound codes required by | request without a key | request with `dpop_jkt`, or pushed with a proof |
        |---|---|---|
        | nobody | tokens are bound when the code is exchanged with a proof | that key only: else `invalid_grant`, without proof `invalid_dpop_proof` |
        | server (`requireBoundAuthorizationCodes`) or client (`--require-bound-authorization-codes`) | `invalid_request` | as above |
        """,
    ]

    private static let keyProtection = [
        "Whoever has a key that signs access tokens can make tokens for anybody. In the database the keys are encrypted "
            + "with AES-256-GCM under a key derived from a credential: 32 random bytes that do not lie beside it.",
        "With systemd the credential is encrypted for this machine, and the service alone can read it:",
        """
        ```sh
        head -c 32 /dev/urandom | systemd-creds encrypt --name=keybound-key - /etc/credstore.encrypted/keybound-key
        ```
        """,
        """
        ```ini
        [Service]
        ExecStart=/usr/bin/keybound serve --config /etc/keybound.json
        LoadCredentialEncrypted=keybound-key
        StateDirectory=keybound
        DynamicUser=yes
        ```
        """,
        "In a container, mount a secret of 32 bytes and name it with `keyCredentialFile`. To keep the keys in clear, for "
            + "trying things out, there is `unencryptedKeyFile`; the server says so at every start.",
        "With `keys.place` new keys are made in a PKCS #11 token, from which nobody copies them; keys that are in the database "
            + "go on until they are over, with their credential. docs/operations.md says what happens when the token is out.",
    ]
}
