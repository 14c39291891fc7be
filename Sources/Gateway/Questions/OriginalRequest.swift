// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// The request that a proxy asks about.
///
/// Each part is read from one field that the proxy is configured to set; nothing is guessed, and no other field is read.
struct OriginalRequest {
    /// The method as the client sent it, whatever it is.
    let method: String
    let scheme: String
    /// The host, without port and final dot, in lower case; `nil` if what the client sent is none.
    let host: String?
    /// Path and query as the client sent them.
    let target: String

    /// Reads the request from a question; `nil` if the proxy does not send what it must, each exactly once.
    ///
    /// Nothing else is the proxy's fault: it passes on the method and the host of the client, who may send any.
    ///
    /// - Parameters:
    ///   - question: The question of a trusted proxy.
    ///   - isEnvoy: Whether method, host and target are those of the question itself, behind its prefix.
    init?(_ question: HTTPRequest, isEnvoy: Bool) {
        let fields = question.fields
        let method = isEnvoy ? question.method : Self.only("X-Forwarded-Method", in: fields)
        let host = Self.only(isEnvoy ? "Host" : "X-Forwarded-Host", in: fields)
        let target =
            isEnvoy
            ? String(question.target.dropFirst(ProxyKind.envoy.path.count)) : Self.only("X-Forwarded-Uri", in: fields)
        guard let method, let host, let target, let scheme = Self.only("X-Forwarded-Proto", in: fields),
            !method.isEmpty, !scheme.utf8.contains(UInt8(ascii: ",")), !target.isEmpty
        else { return nil }
        self.method = method
        self.scheme = scheme
        self.host = HostName.normalized(host)
        self.target = target
    }

    private static func only(_ name: String, in fields: HTTPFields) -> String? {
        let values = fields.values(for: name)
        return values.count == 1 ? values[0] : nil
    }
}
