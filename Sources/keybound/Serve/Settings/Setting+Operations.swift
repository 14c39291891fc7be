// SPDX-License-Identifier: Apache-2.0

extension Setting {
    static let trustedProxies = Setting(
        "trustedProxies",
        .list,
        option: "--trusted-proxy",
        "CIDR",
        standard: "127.0.0.0/8 and ::1",
        "proxies that are believed when they say whom they speak for; none for a server that clients reach directly"
    )
    static let forwardedField = Setting(
        "forwardedField",
        .text,
        option: "--forwarded-field",
        "NAME",
        standard: "X-Forwarded-For",
        "the field in which the proxies say it: X-Forwarded-For or Forwarded; the other one is not read"
    )
    static let loginLimit = Setting(
        "limits.login",
        .text,
        option: "--login-limit",
        "COUNT/DURATION",
        standard: "300/10m",
        "how many wrong passwords one address may send, before it gets as many more in that time; or off"
    )
    static let tokenLimit = Setting(
        "limits.token",
        .text,
        option: "--token-limit",
        "COUNT/DURATION",
        standard: "600/1m",
        "how many token, revocation, introspection and registration requests of one address may be refused; or off"
    )
    static let requestLimit = Setting(
        "limits.authorizationRequest",
        .text,
        option: "--authorization-request-limit",
        "COUNT/DURATION",
        standard: "1200/1m",
        "how many authorization requests one address may send, about three for a sign-in; or off"
    )
    static let clientTokenLimit = Setting(
        "limits.clientToken",
        .text,
        option: "--client-token-limit",
        "COUNT/DURATION",
        standard: "3000/1m",
        "how many token, revocation and introspection requests of one client may be refused after it has authenticated "
            + "itself, wherever it asks from; or off"
    )
    static let clientRequestLimit = Setting(
        "limits.clientAuthorizationRequest",
        .text,
        option: "--client-authorization-request-limit",
        "COUNT/DURATION",
        standard: "6000/1m",
        "how many requests one client may push, or its devices begin, after it has authenticated itself; or off"
    )
    static let publicClientTokenLimit = Setting(
        "limits.publicClientToken",
        .text,
        option: "--public-client-token-limit",
        "COUNT/DURATION",
        standard: "300/1m",
        "how many token and revocation requests of one client without a secret may be refused at one address; or off"
    )
    static let publicClientRequestLimit = Setting(
        "limits.publicClientAuthorizationRequest",
        .text,
        option: "--public-client-authorization-request-limit",
        "COUNT/DURATION",
        standard: "600/1m",
        "how many requests one client without a secret may push, or its devices begin, at one address; or off"
    )
    static let logFormat = Setting(
        "logFormat",
        .text,
        option: "--log-format",
        "FORMAT",
        standard: "text",
        "how the log on standard error is written: text, or json for one object a line"
    )
    static let logLevel = Setting(
        "logLevel",
        .text,
        option: "--log-level",
        "LEVEL",
        standard: "notice",
        "what the log says: error, warning, notice, or info for every request"
    )
    static let auditLog = Setting(
        "auditLog",
        .text,
        option: "--audit-log",
        "FILE",
        standard: "none",
        "where audit events are added, one JSON object a line: a file, stderr or none"
    )
    static let metricsListen = Setting(
        "metricsListen",
        .text,
        option: "--metrics-listen",
        "ADDRESS:PORT",
        standard: "none",
        "where to answer monitoring (/metrics, /health, /ready); never where clients can reach it"
    )
    static let drainDelay = Setting(
        "drainDelay",
        .duration,
        option: "--drain-delay",
        "DURATION",
        standard: "0s",
        "how long /ready says 503, while requests are still answered, before the server stops"
    )
    static let signatureLanes = Setting(
        "signatureLanes",
        .text,
        option: "--signature-lanes",
        "FOLDER",
        standard: "the library path",
        "where libcrypto_mb is, which verifies up to eight proofs at a time; or off"
    )

    /// What an operator needs to run the server beside others, in the order of the reference.
    static let operations: [Setting] = [
        trustedProxies, forwardedField, loginLimit, tokenLimit, requestLimit, clientTokenLimit, clientRequestLimit,
        publicClientTokenLimit, publicClientRequestLimit, logFormat, logLevel, auditLog, metricsListen, drainDelay,
        signatureLanes,
    ]
}
