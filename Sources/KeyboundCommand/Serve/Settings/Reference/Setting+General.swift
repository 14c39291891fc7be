// SPDX-License-Identifier: Apache-2.0

/// The settings that every server has.
extension Setting {
    static let issuer = Setting(
        "issuer",
        .text,
        option: "--issuer",
        "URL",
        standard: "none: required",
        "the public address of the server: an https URL without a slash at the end"
    )
    static let listen = Setting(
        "listen",
        .text,
        option: "--listen",
        "ADDRESS:PORT",
        standard: "127.0.0.1:8080",
        "where to listen: an address and port, of which 0 is any free port; unix: and a path; or systemd for the socket "
            + "that a .socket unit passes on"
    )
    static let audience = Setting(
        "audience",
        .text,
        option: "--audience",
        "URI",
        standard: "the issuer",
        "the API that access tokens are issued for (aud)"
    )
    static let serverName = Setting(
        "serverName",
        .text,
        option: "--server-name",
        "NAME",
        standard: "Keybound",
        "the name shown on the sign-in and consent pages"
    )
    static let scopes = Setting(
        "scopes",
        .scopes,
        option: "--scope",
        "NAME[=TEXT]",
        standard: "none",
        "a scope, with its description for the consent page; openid turns on id_tokens"
    )
    static let dataDirectory = Setting(
        "dataDirectory",
        .path(),
        option: "--data-directory",
        "DIRECTORY",
        standard: "$STATE_DIRECTORY of systemd, or else ~/.local/state/keybound/server",
        "the directory of the database and of key files, unless other settings name them"
    )
    static let database = Setting(
        "database",
        .path(),
        option: "--database",
        "DATABASE",
        standard: "keybound.db in the data directory",
        "a SQLite file, which is created if it does not exist, or the postgresql:// address of a database that several "
            + "servers share (keybound db migrate prepares it)"
    )
    static let keyDirectory = Setting(
        "keyDirectory",
        .path(),
        option: "--key-directory",
        "DIRECTORY",
        standard: "keys in the data directory",
        "where an earlier version kept its keys; they are imported into the database"
    )
    static let keyCredential = Setting(
        "keyCredential",
        .text,
        option: "--key-credential",
        "NAME",
        standard: "keybound-key, when $CREDENTIALS_DIRECTORY of systemd has it",
        "the systemd credential with the 32 bytes that encrypt the keys"
    )
    static let keyCredentialFile = Setting(
        "keyCredentialFile",
        .path(),
        option: "--key-credential-file",
        "FILE",
        standard: "none",
        "a file with the 32 bytes that encrypt the keys: store it apart from the database and its backups"
    )
    static let keyCredentialDescriptor = Setting(
        "keyCredentialFD",
        .number,
        option: "--key-credential-fd",
        "N",
        standard: "none",
        "an open file descriptor from which to read the 32 bytes that encrypt the keys"
    )
    static let unencryptedKeyFile = Setting(
        "unencryptedKeyFile",
        .flag,
        option: "--unencrypted-key-file",
        standard: "false",
        "store the keys unencrypted: anyone with a copy of a backup can then issue tokens"
    )
    static let noncePolicy = Setting(
        "noncePolicy",
        .text,
        option: "--nonce-policy",
        "POLICY",
        standard: "required",
        "when DPoP proofs need a nonce from the server: required, on-skew or off",
        choices: ["required", "on-skew", "off"]
    )
    static let replayStore = Setting(
        "replayStore",
        .text,
        option: "--replay-store",
        "STORE",
        standard: "memory with a SQLite file, database with PostgreSQL",
        "where used proofs are remembered: memory of the process, or database. With several processes on one database, "
            + "memory makes a client fetch a nonce whenever it reaches another process",
        choices: ["memory", "database"]
    )
    static let requirePushedRequests = Setting(
        "requirePushedAuthorizationRequests",
        .flag,
        option: "--require-pushed-authorization-requests",
        standard: "false",
        "accept only pushed authorization requests (RFC 9126)"
    )
    static let insecureLoopbackIssuer = Setting(
        "allowInsecureLoopbackIssuer",
        .flag,
        option: "--allow-insecure-loopback-issuer",
        standard: "false",
        "allow an http issuer on 127.0.0.1 or [::1], to try things out on one machine"
    )
    static let drainTimeout = Setting(
        "drainTimeout",
        .duration,
        option: "--drain-timeout",
        "DURATION",
        standard: "10s",
        "how long requests in progress may take after SIGTERM or SIGINT, at most 1h; a second signal ends them at once"
    )
    static let codeLifetime = Setting(
        "lifetimes.authorizationCode",
        .duration,
        option: "--authorization-code-lifetime",
        "DURATION",
        standard: "60s",
        "how long an authorization code is valid; at most 60s"
    )
    static let accessTokenLifetime = Setting(
        "lifetimes.accessToken",
        .duration,
        option: "--access-token-lifetime",
        "DURATION",
        standard: "5m",
        "how long an access token is valid"
    )
    static let refreshTokenLifetime = Setting(
        "lifetimes.refreshToken",
        .duration,
        option: "--refresh-token-lifetime",
        "DURATION",
        standard: "30d",
        "how long a refresh token is valid after its last use"
    )
    static let grantLifetime = Setting(
        "lifetimes.grant",
        .duration,
        option: "--grant-lifetime",
        "DURATION",
        standard: "none: no limit",
        "how long after the user's consent an app has to ask again, even if it uses its refresh tokens; at least as long "
            + "as an access token is valid"
    )
    static let requestLifetime = Setting(
        "lifetimes.authorizationRequest",
        .duration,
        option: "--authorization-request-lifetime",
        "DURATION",
        standard: "590s",
        "how long a user has to sign in and consent; less than 600s"
    )
    static let sessionLifetime = Setting(
        "lifetimes.session",
        .duration,
        option: "--session-lifetime",
        "DURATION",
        standard: "8h",
        "how long a browser stays signed in"
    )
    static let deviceCodeLifetime = Setting(
        "lifetimes.deviceCode",
        .duration,
        option: "--device-code-lifetime",
        "DURATION",
        standard: "10m",
        "how long a user has to type the code of a device, sign in and consent; at most 1h"
    )
    static let refreshGrace = Setting(
        "lifetimes.refreshGrace",
        .duration,
        option: "--refresh-grace",
        "DURATION",
        standard: "30s",
        "how long a used refresh token may be used again with the same key, for clients that lose a response; at most "
            + "twice, then the sign-in ends"
    )

    static let keyRotation = Setting(
        "keys.rotation",
        .duration,
        option: "--key-rotation",
        "DURATION",
        standard: "30d",
        "how long a key signs tokens before the next key replaces it"
    )
    static let keyPublication = Setting(
        "keys.publication",
        .duration,
        option: "--key-publication",
        "DURATION",
        standard: "1h",
        "how long a key is published before it signs; must be longer than APIs cache the key set"
    )
}
