// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPServer

/// Where a server or a gateway listens: an address and a port, a socket in the file system, or a socket of systemd.
struct ServiceAddress: Sendable, Hashable {
    private enum Kind: Hashable {
        case network(ListenAddress)
        case unixSocket(path: String, mode: UInt16)
        case systemd
    }

    private let kind: Kind
    private let text: String

    /// Reads `unix:/run/keybound/server.sock`, `systemd`, or an address and a port.
    init(_ text: String, mode: UInt16, place: String) throws {
        self.text = text
        if text == "systemd" {
            kind = .systemd
        } else if text.hasPrefix("unix:") {
            let path = String(text.dropFirst("unix:".count))
            guard path.hasPrefix("/") else { throw CommandFailure.usage("\(place) must be unix: and an absolute path") }
            guard HTTPListener.isSocketPath(path) else {
                throw CommandFailure.usage(
                    "\(place) names a path with more than 107 bytes, or with a zero byte, which no socket can have",
                    hint: "choose a shorter directory, such as /run/keybound"
                )
            }
            kind = .unixSocket(path: path, mode: mode)
        } else {
            kind = .network(try ListenAddress(text, place: place))
        }
    }

    /// Where a server listens.
    init(_ settings: ServerSettings) throws {
        // A proxy is of another user as a rule, which can be put into the server's group.
        try self.init(
            settings.text(.listen) ?? Setting.listen.standard,
            mode: 0o660,
            place: settings.place(of: .listen)
        )
    }

    /// The address for the listener; takes the socket of systemd over.
    var address: ListeningAddress {
        get throws {
            switch kind {
            case .network(let listen): .network(listen.address, port: listen.port)
            case .unixSocket(let path, let mode): .unixSocket(path: path, mode: mode)
            case .systemd: .inherited(descriptor: try Self.activatedSocket())
            }
        }
    }

    /// The address and port; `nil` for a socket in the file system or of systemd.
    var network: ListenAddress? {
        guard case .network(let address) = kind else { return nil }
        return address
    }

    /// The path of a socket in the file system; `nil` for another address.
    var socketPath: String? {
        guard case .unixSocket(let path, _) = kind else { return nil }
        return path
    }

    /// Whether systemd passes the socket on.
    var isOfSystemd: Bool { kind == .systemd }

    /// Whether only programs of this machine can connect; a socket of systemd may be of any kind.
    var isLocal: Bool {
        switch kind {
        case .network(let address): address.isLoopback
        case .unixSocket: true
        case .systemd: false
        }
    }

    /// The address with the actual port.
    func text(port: UInt16) -> String {
        network?.text(port: port) ?? text
    }

    /// The address as the start says it: with `http://` where a client can use that.
    func url(port: UInt16) -> String {
        network == nil ? text : "http://" + text(port: port)
    }

    /// The one socket that systemd passes on (sd_listen_fds(3)), descriptor 3.
    private static func activatedSocket() throws -> Int32 {
        guard ProcessEnvironment.value("LISTEN_PID") == "\(ProcessFacts.identifier())",
            ProcessEnvironment.value("LISTEN_FDS") == "1"
        else {
            throw CommandFailure.usage(
                "systemd passed on no socket, or several",
                hint: "start it by a .socket unit with one ListenStream="
            )
        }
        return 3
    }
}
#endif
