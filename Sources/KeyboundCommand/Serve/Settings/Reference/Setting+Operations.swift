// SPDX-License-Identifier: Apache-2.0

extension Setting {
    static let trustedProxies = Setting(
        "trustedProxies",
        .list,
        option: "--trusted-proxy",
        "CIDR",
        standard: "127.0.0.0/8 and ::1",
        "proxies that are trusted to name the client's address; none if clients reach the server directly"
    )
    static let forwardedField = Setting(
        "forwardedField",
        .text,
        option: "--forwarded-field",
        "NAME",
        standard: "X-Forwarded-For",
        "the header field in which proxies name the client: X-Forwarded-For or Forwarded; the other one is ignored"
    )
    static let loginLimit = Setting(
        "limits.login",
        .text,
        option: "--login-limit",
        "COUNT/DURATION",
        standard: "300/10m",
        "how many wrong passwords, or rejected responses of an external login provider, one address may send; the "
            + "allowance refills over that time; or off"
    )
    static let tokenLimit = Setting(
        "limits.token",
        .text,
        option: "--token-limit",
        "COUNT/DURATION",
        standard: "600/1m",
        "how many token, revocation, introspection and registration requests of one address may be rejected; or off"
    )
    static let requestLimit = Setting(
        "limits.authorizationRequest",
        .text,
        option: "--authorization-request-limit",
        "COUNT/DURATION",
        standard: "1200/1m",
        "how many authorization requests one address may send; a sign-in takes about three; or off"
    )
    static let clientTokenLimit = Setting(
        "limits.clientToken",
        .text,
        option: "--client-token-limit",
        "COUNT/DURATION",
        standard: "3000/1m",
        "how many token, revocation and introspection requests of one authenticated client may be rejected, from all "
            + "addresses together; or off"
    )
    static let clientRequestLimit = Setting(
        "limits.clientAuthorizationRequest",
        .text,
        option: "--client-authorization-request-limit",
        "COUNT/DURATION",
        standard: "6000/1m",
        "how many authorization requests one authenticated client may push, or its devices may start; or off"
    )
    static let publicClientTokenLimit = Setting(
        "limits.publicClientToken",
        .text,
        option: "--public-client-token-limit",
        "COUNT/DURATION",
        standard: "300/1m",
        "how many token and revocation requests of one public client may be rejected per address; or off"
    )
    static let publicClientRequestLimit = Setting(
        "limits.publicClientAuthorizationRequest",
        .text,
        option: "--public-client-authorization-request-limit",
        "COUNT/DURATION",
        standard: "600/1m",
        "how many authorization requests one public client may push, or its devices may start, per address; or off"
    )
    static let connections = Setting(
        "connections.total",
        .number,
        option: "--connections",
        "COUNT",
        standard: "1024",
        "how many connections may be open at once; each takes up to 40 KiB and a file descriptor"
    )
    static let connectionsPerPeer = Setting(
        "connections.perPeer",
        .number,
        option: "--connections-per-peer",
        "COUNT",
        standard: "128",
        "how many connections one address may have open, for IPv6 one /64, so that it cannot take those of others; "
            + "trusted proxies may have all; or off"
    )
    static let passwordThreads = Setting(
        "passwords.threads",
        .number,
        option: "--password-threads",
        "COUNT",
        standard: "half of the processors, at least 2",
        "how many passwords are checked at once; each takes 16 MiB and a processor, which no other request gets meanwhile"
    )
    static let logFormat = Setting(
        "logFormat",
        .text,
        option: "--log-format",
        "FORMAT",
        standard: "text",
        "the format of the log on standard error: text, or json for one object per line",
        choices: LogFormat.allCases.map(\.rawValue)
    )
    static let logLevel = Setting(
        "logLevel",
        .text,
        option: "--log-level",
        "LEVEL",
        standard: "notice",
        "how much is logged: error, warning, notice, or info for every request",
        choices: LogLevel.allCases.map(\.rawValue)
    )
    static let auditLog = Setting(
        "auditLog",
        .path(or: ["stderr", "none"]),
        option: "--audit-log",
        "FILE",
        standard: "none",
        "where audit events are written, one JSON object per line: a file, stderr or none"
    )
    static let metricsListen = Setting(
        "metricsListen",
        .text,
        option: "--metrics-listen",
        "ADDRESS:PORT",
        standard: "none",
        "the address and port for monitoring (/metrics, /health, /ready); clients must not be able to reach it"
    )
    static let drainDelay = Setting(
        "drainDelay",
        .duration,
        option: "--drain-delay",
        "DURATION",
        standard: "0s",
        "how long /ready returns 503, while requests are still served, before the server stops; at most 1h"
    )
    static let signatureLanes = Setting(
        "signatureLanes",
        .path(or: ["off"]),
        option: "--signature-lanes",
        "FOLDER",
        standard: "the library path",
        "the folder of libcrypto_mb, which verifies up to eight proofs at a time; or off"
    )

    /// Proxies, limits, logs and monitoring, in the order of the reference.
    static let operations: [Setting] = [
        trustedProxies, forwardedField, loginLimit, tokenLimit, requestLimit, clientTokenLimit, clientRequestLimit,
        publicClientTokenLimit, publicClientRequestLimit, connections, connectionsPerPeer, passwordThreads, logFormat,
        logLevel,
        auditLog,
        metricsListen, drainDelay, signatureLanes,
    ]
}
