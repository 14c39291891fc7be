// SPDX-License-Identifier: Apache-2.0

import HTTPServer

/// An address and a port to listen on: `127.0.0.1:8080`, `[::1]:8080`.
struct ListenAddress: Sendable, Hashable {
    /// An IPv4 or IPv6 literal, without brackets.
    let address: String
    let port: UInt16

    /// Whether only programs of this machine can connect.
    var isLoopback: Bool { address == "::1" || address.hasPrefix("127.") }

    /// The address for monitoring; `nil` for none.
    static func ofMetrics(_ settings: ServerSettings) throws -> ListenAddress? {
        guard let text = settings.text(.metricsListen), text != "none" else { return nil }
        return try ListenAddress(text, place: settings.place(of: .metricsListen))
    }

    init(_ text: String, place: String) throws {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw Self.malformed(place)
        }
        let host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            address = String(host.dropFirst().dropLast())
        } else {
            guard !host.isEmpty, !host.contains(":") else { throw Self.malformed(place) }
            address = String(host)
        }
        #if os(Linux)
        guard HTTPListener.isAddress(address) else { throw Self.malformed(place) }
        #endif
        self.port = port
    }

    /// An address that is known to be one.
    init(address: String, port: UInt16) {
        self.address = address
        self.port = port
    }

    private static func malformed(_ place: String) -> CommandFailure {
        CommandFailure.usage(
            "\(place) is not an address and a port",
            hint: "write 127.0.0.1:8080, [::1]:8080, or 0.0.0.0:8080 for every IPv4 address"
        )
    }

    /// The address with the actual port.
    func text(port: UInt16) -> String {
        address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
    }
}
