// SPDX-License-Identifier: Apache-2.0

import Gateway
import HTTPMessage

/// What the configuration of a proxy for one API depends on.
struct ProxySettings {
    /// The public address of the API.
    let api: URI
    let upstream: ServerPlace
    let gateway: ServerPlace
    let certificate: String
    let key: String
    let luaFile: String
    /// More fields that the gateway sends, as in `claims` of its configuration.
    let claimFields: [String]
    /// Whose scripts may call the API; `nil` if the API answers CORS itself, or nobody may.
    let cors: CORSPolicy?

    /// The fields by which the API learns who sent a request.
    var identityFields: [String] { IdentityFields.names + claimFields }

    /// Whether the API is tried out on this machine, without TLS.
    var isPlain: Bool { api.scheme == "http" }
    var host: String { api.host ?? "" }
    /// Where the proxy listens: on every address, or without TLS only on that of the API.
    var listeningAddress: String { isPlain ? host.filter { $0 != "[" && $0 != "]" } : "0.0.0.0" }
    /// `Host` and `X-Forwarded-Host` for the API: host and port of its public address (RFC 9110 section 7.2).
    ///
    /// The gateway has compared the host by then. What the client wrote, such as another port, a final dot or capitals, would
    /// be in the addresses that an API makes of it.
    var authority: String { String((api.origin ?? "").dropFirst(api.scheme.count + "://".count)) }
    var port: UInt16 { api.port ?? (isPlain ? 80 : 443) }
    /// Host and port in names of a configuration, with an underscore for each character that is none of names or addresses.
    ///
    /// The port is always there: APIs at several ports of a host would otherwise have one name, which nginx rejects.
    var label: String { String(host.map { ASCII.isUnreserved($0.asciiValue ?? 0) ? $0 : "_" }) + "_\(port)" }

    /// What frameworks let replace the method or path that was decided about, or the address of the API (RFC 7239).
    static let overridingFields = [
        "X-Original-URL", "X-Rewrite-URL", "X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override",
        "Forwarded", "X-Forwarded-Port", "X-Forwarded-Prefix",
    ]

    /// The characters of field names besides letters, digits and hyphens (RFC 9110 section 5.6.2).
    ///
    /// Programs behind CGI, WSGI and PHP read each of them as a hyphen.
    static let ambiguousCharacters = Array("!#$%&'*+.^_`|~")

    /// Names between gateway and proxy, which an API need not see.
    static let reservedFields = [IdentityFields.status, "X-Keybound-Nonce"]

    /// The first lines of every configuration, for this API and others in the same file.
    func comment(_ tried: String, _ file: String, others: [ProxySettings] = []) -> String {
        let places = ([self] + others).map(\.upstream.text).joined(separator: ", ")
        return """
            # Keybound gateway for \(tried)
            # Save as \(file). The \(others.isEmpty ? "API" : "APIs") at \(places) must be reachable through this proxy only.
            """
    }
}
