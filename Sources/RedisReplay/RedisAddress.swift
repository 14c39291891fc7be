// SPDX-License-Identifier: Apache-2.0

/// Where Redis listens: a unix socket, or a port of this machine.
///
/// hiredis 0.14 has no TLS, so no other machine is connected to: put a tunnel such as stunnel in between.
public struct RedisAddress: Sendable, Hashable, CustomStringConvertible {
    enum Kind: Sendable, Hashable {
        case socket(path: String)
        case port(host: String, Int32)
    }

    let kind: Kind
    /// The address as it was given.
    public let description: String

    /// Checks an address.
    ///
    /// - Parameter text: `unix:` and an absolute path of at most 107 bytes, or `127.0.0.1:6379`, or `[::1]:6379`.
    /// - Throws: ``RedisReplayError/Code/invalidAddress``.
    public init(_ text: String) throws(RedisReplayError) {
        description = text
        guard !text.utf8.contains(0) else { throw Self.invalid }
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst("unix:".count))
            guard path.hasPrefix("/"), path.utf8.count <= 107 else { throw Self.invalid }
            kind = .socket(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
            throw Self.invalid
        }
        switch text[..<colon] {
        case "127.0.0.1": kind = .port(host: "127.0.0.1", Int32(port))
        case "[::1]": kind = .port(host: "::1", Int32(port))
        default: throw Self.invalid
        }
    }

    private static var invalid: RedisReplayError {
        RedisReplayError(
            .invalidAddress,
            "the address of Redis must be unix:/path, 127.0.0.1:port or [::1]:port; to another machine use a tunnel with TLS"
        )
    }
}
