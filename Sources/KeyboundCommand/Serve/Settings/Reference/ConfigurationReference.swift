// SPDX-License-Identifier: Apache-2.0

/// The reference of the server's settings, generated from their declarations.
enum ConfigurationReference {
    static let introduction = [
        "An option overrides the environment variable, which overrides the configuration file. An unknown key is an "
            + "error. Durations are written 90s, 5m, 8h or 30d. --config or $KEYBOUND_CONFIG names the file. In "
            + "$KEYBOUND_SCOPE, put each scope on its own line.",
        "A path in the configuration file that does not begin with / is in the folder of that file, wherever the server "
            + "or a command is started; in options and variables it is in the working directory. keybound init writes "
            + "paths that begin with /.",
        "Two things must be set: the issuer, and how the signing key is protected: by a credential of 32 random bytes "
            + "that is stored apart from the key, or, with unencryptedKeyFile, not at all.",
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
            "`keybound serve --config FILE --check` checks a file without opening the database or the keys."
        )
        parts.append("## Settings")
        parts += Setting.all.map(section)
        parts.append("## OpenID Connect")
        parts += openID
        parts.append("## Claims about users")
        parts += claims
        parts.append("## Consent")
        parts += consent
        parts.append("## What clients can request")
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
        "With the scope `openid` the server is an OpenID Connect provider: it issues id_tokens and serves "
            + "`/userinfo`, `/logout` and `/.well-known/openid-configuration`. With `profile`, id_tokens and `/userinfo` "
            + "also have the user name, as `preferred_username`. `sub` is random, and the same for every client.",
        "`/userinfo` accepts tokens for `audience`. A token that was requested for another API (`resource`) gets 401 there, "
            + "even with the scope `openid`: a client that needs both requests one token without `resource` and one for "
            + "the API, or reads the id_token.",
        "id_tokens are valid for as long as access tokens. They are signed with RS256, by a 3072-bit key that is "
            + "created at the first start with that scope and stored with the other one; clients added with "
            + "`--id-token-alg ES256` get ES256.",
        "`max_age`, `prompt`, `acr_values`, `login_hint` and `id_token_hint` are supported; `claims`, `display` and "
            + "`ui_locales` are ignored. `prompt=none` shows no page and ends with `login_required` or "
            + "`consent_required` unless the user is signed in and has consented before.",
        "Tokens state how the user signed in (`acr`, `amr`) and when (`auth_time`). If the server supports none of "
            + "the requested `acr_values`, the request ends with `unmet_authentication_requirements` (RFC 9470). If "
            + "the session has another `acr`, the user must sign in again.",
        "`/logout` ends the session of the browser: at once with an id_token of the signed-in user, otherwise after "
            + "asking. It redirects only to exactly the URIs that the client was added with "
            + "(`--post-logout-redirect-uri`), on loopback addresses with their port. For a client that no operator "
            + "added, a page with a link comes instead, unless `errorRedirects` is `always`. Grants of apps stay until "
            + "they are revoked or expire.",
    ]

    private static let claims = [
        "Groups, addresses and everything else that a login system or you know about users are in tokens if `claims` names "
            + "them. Each scope releases the claims that are listed for it: in id_tokens, at `/userinfo`, and in access "
            + "tokens for the APIs that list the claim too.",
        """
        ```json
        "audience": "https://api.example.com",
        "scopes": { "openid": null, "email": null, "groups": "see your groups", "api:read": "read your notes" },
        "claims": { "email": ["email", "email_verified"], "groups": ["groups"] },
        "resources": { "https://api.example.com": { "claims": ["groups"] } }
        ```
        """,
        "`keybound user set ada --claim-json 'groups=[\"admin\"]'` sets a claim, or the [login "
            + "system](login-system.md) does. Tokens say what is stored when they are issued: a change shows after "
            + "the next refresh, and at `/userinfo` at once. Tokens of requests that name no API are for "
            + "`audience`: to put claims into these, list it in `resources` too, as above.",
        "A scope in `claims` must be one of `scopes`, and clients must be added with it. If no API lists it, it is in the "
            + "tokens for every API, and a client that acts for itself (`client_credentials`) does not get it. So do "
            + "not add claims to a scope that gives access to one API, such as `api:read`: the tokens for every API "
            + "would have it. `serve --check` cannot tell the two kinds apart.",
        "A client that acts for itself has no user, so it gets no claims. A service that exchanges a user's token "
            + "gets the claims of that user, if it was added with the scope. Introspection shows the claims of an "
            + "access token, opaque or not. If an API is behind the gateway, a claim that becomes a header field "
            + "has at most 1024 bytes there ([gateway.md](gateway.md#header-fields-sent-to-the-api)).",
        "For new claims use a new scope: a user who granted a scope before is not asked again when it releases "
            + "more. Describe the scope yourself in `scopes` if it releases more than its built-in text says: for "
            + "`email` that is \"See your email address\", for `profile` \"See your name and basic profile\".",
        "There are at most 32 names. A name has 1 to 64 letters, digits and `_ - . : / #`, and is none that the "
            + "server sets itself, such as `sub`, `scope` or `acr`. A value is a string, a number, `true`, `false`, "
            + "an array of these, or an object of all these. The claims of a user have at most 2048 bytes as JSON: "
            + "tokens are sent in header fields, and APIs reject an access token of more than 8192 characters. If "
            + "its authorization details are long too, give the API opaque tokens (`format`).",
    ]

    private static let keyRotation = [
        "Keys rotate automatically. The next key appears in `/jwks` for the duration `keys.publication` before it "
            + "signs, so that every API knows it by then. After `keys.rotation` it replaces the active key, which "
            + "stays published until its last token has expired and no session refers to an id_token it signed. "
            + "`keybound keys server list` shows all keys.",
        "APIs may cache `/jwks` for half of `keys.publication`, at most five minutes; the response says so in "
            + "`Cache-Control`. Some APIs cache it for longer than that: a `keys.publication` of an hour is enough "
            + "for those.",
        "Several servers on one database share the keys, and need the same settings and credential. A running server "
            + "notices `keybound keys server rotate` within five seconds. If keys may have leaked, `keybound keys "
            + "server rotate --now --revoke` creates new ones under the same credential and revokes all others.",
        "If an earlier version kept its keys in files, the first start imports them into the database, and tokens "
            + "stay valid. The files can be deleted afterwards.",
    ]

    private static let consent = [
        "The server remembers a user's consent to a client if the user ticks the box. It asks again if a "
            + "request needs more, with `prompt=consent` or `prompt=select_account`, or after the consent was "
            + "withdrawn. Withdrawing it revokes every grant of that user to that client.",
        "Consent is remembered only for https redirect URIs, which belong to one owner. With a loopback address or an "
            + "app scheme, any app on the device can impersonate another (RFC 8252 section 8.6), so the user is asked "
            + "every time; `rememberConsentForRedirectsThatAnyAppCanTake` changes that.",
        "An existing login system can replace the pages: see [login-system.md](login-system.md).",
    ]

    private static let requests = [
        "Tokens are issued for `audience` unless a request names another API (`resource`, RFC 8707) that is listed in "
            + "`resources`:",
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
        "A scope belongs to the APIs that list it. A scope that no API lists belongs to the APIs that list none; "
            + "`openid`, `profile` and the scopes in `claims` that no API lists belong to none: tokens for every API "
            + "have them. Of all other scopes a token has only those of its APIs. `lifetime` is at "
            + "most `lifetimes.accessToken`; `algorithm` is ES256 or RS256. An opaque token shows nothing: the "
            + "API introspects it at `/introspect`, as a client that was added with `--introspection-audience`, and "
            + "sees a revocation at once. APIs with different token settings or claims need separate tokens: a request "
            + "for both gets one for the first, and a refresh that names the other in `resource` gets one for that.",
        "The type of authorization details (RFC 9396) must be configured here, and the client must be added with it "
            + "(`--authorization-details-type`). `fields` lists the allowed members, each with its allowed strings, "
            + "or `null` for any value of up to 256 characters. The consent page shows all of them.",
        "A client may sign its requests (RFC 9101) with ES256, EdDSA, Ed25519 or PS256, using one of its keys "
            + "(`--jwks`); then only the signed parameters count. `aud` must be the issuer, and `nbf` and `exp` must "
            + "be present and at most an hour away.",
        """
        | bound codes are required by | request without a key | request with `dpop_jkt`, or pushed with a proof |
        |---|---|---|
        | neither | tokens are bound when the code is exchanged with a proof | only that key: another key gets `invalid_grant`, no proof gets `invalid_dpop_proof` |
        | server (`requireBoundAuthorizationCodes`) or client (`--require-bound-authorization-codes`) | `invalid_request` | as above |
        """,
    ]

    private static let keyProtection = [
        "Anyone who has a signing key can issue tokens for any user. In the database the keys are encrypted with "
            + "AES-256-GCM under a key derived from a credential: 32 random bytes that are stored elsewhere.",
        "With systemd the credential is encrypted for this machine, and only the service can read it:",
        """
        ```sh
        install -d -m 700 /etc/credstore.encrypted
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
        "In a container, mount a secret of 32 bytes and name it with `keyCredentialFile`. To try things out, "
            + "`unencryptedKeyFile` stores the keys unencrypted; the server warns about that at every start.",
        "With `keys.place` new keys are created in a PKCS #11 token, from which they cannot be copied. Keys that are "
            + "already in the database stay in use until they are rotated out, with their credential. "
            + "docs/operations.md says what happens while the token is removed.",
    ]
}
