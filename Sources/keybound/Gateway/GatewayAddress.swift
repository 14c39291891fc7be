// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPServer

/// Where a gateway listens, as its configuration says it.
struct GatewayAddress: Sendable, Hashable {
    let address: ListeningAddress
    private let text: String

    /// Reads `unix:/run/keybound/gateway.sock`, `systemd`, or an address and a port.
    init(_ text: String, mode: UInt16, place: String) throws {
        self.text = text
        if text == "systemd" {
            address = .inherited(descriptor: try Self.activatedSocket())
        } else if text.hasPrefix("unix:") {
            let path = String(text.dropFirst("unix:".count))
            guard path.hasPrefix("/") else { throw CommandFailure.usage("\(place) must be unix: and an absolute path") }
            address = .unixSocket(path: path, mode: mode)
        } else {
            let listen = try ListenAddress(text, place: place)
            address = .network(listen.address, port: listen.port)
        }
    }

    /// The address with the actual port.
    func text(port: UInt16) -> String {
        guard case .network(let address, _) = address else { return text }
        return address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
    }

    /// The one socket that systemd passes on (sd_listen_fds(3)), descriptor 3.
    private static func activatedSocket() throws -> Int32 {
        guard ProcessEnvironment.value("LISTEN_PID") == "\(ProcessFacts.identifier())",
            ProcessEnvironment.value("LISTEN_FDS") == "1"
        else {
            throw CommandFailure.usage(
                "systemd passed on no socket, or several",
                hint: "start the gateway by a .socket unit with one ListenStream="
            )
        }
        return 3
    }
}
#endif
