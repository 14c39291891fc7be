// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import StrictJSON

/// Where `keybound health` sends its request: to a URL, or to a socket in the file system.
struct HealthTarget: Sendable, Equatable {
    /// Where requests go, as scheme, host and port.
    let origin: String
    /// The socket that is connected to in place of that; `nil` for none.
    let socket: String?
    /// What an operator calls it.
    let name: String

    private init(origin: String, socket: String? = nil) {
        self.origin = origin
        self.socket = socket
        name = socket.map { "unix:" + $0 } ?? origin
    }

    /// Reads an http URL, or `unix:` and an absolute path.
    init(_ text: String) throws {
        if text.hasPrefix("unix:") {
            try self.init(ServiceAddress(text, mode: 0o660, place: "URL"), place: "URL")
            return
        }
        guard let origin = (try? URI(parsing: text))?.origin else {
            throw CommandFailure.usage(
                "URL is not an address",
                hint: "write http://127.0.0.1:8080, or unix: and the path of a socket"
            )
        }
        self.init(origin: origin)
    }

    /// The address of a server with these settings.
    init(_ settings: ServerSettings) throws {
        let listen = try ServiceAddress(settings)
        // Only systemd knows the address of its socket.
        if listen.isOfSystemd, let metrics = try ListenAddress.ofMetrics(settings) {
            try self.init(metrics, place: settings.place(of: .metricsListen))
        } else {
            try self.init(listen, place: settings.place(of: .listen))
        }
    }

    /// The address for monitoring of a gateway with this configuration: its other address is for the proxy only.
    init(gateway object: JSONObject, file: String) throws {
        guard let text = object["metricsListen"]?.stringValue else {
            throw CommandFailure.usage(
                "\(SafeText.of(file)) has no 'metricsListen', the address at which a gateway reports whether it is ready",
                hint: "add \"metricsListen\": \"127.0.0.1:9091\" to it"
            )
        }
        let place = "'metricsListen' in \(SafeText.of(file))"
        try self.init(ListenAddress(text, place: place), place: place)
    }

    private init(_ listen: ServiceAddress, place: String) throws {
        if let address = listen.network {
            try self.init(address, place: place)
        } else if let path = listen.socketPath {
            self.init(origin: "http://localhost", socket: path)
        } else {
            throw CommandFailure.usage(
                "\(place) is 'systemd', so only systemd knows the address of the socket",
                hint: "give ListenStream= of the .socket unit: keybound health unix:/run/keybound/server.sock"
            )
        }
    }

    private init(_ listen: ListenAddress, place: String) throws {
        guard listen.port != 0 else {
            throw CommandFailure.usage(
                "\(place) is port 0, any free port, and only the server knows which one it got",
                hint: "give the address that it printed when it started: keybound health http://127.0.0.1:PORT"
            )
        }
        self.init(origin: "http://" + listen.reachable.text(port: listen.port))
    }
}

extension ListenAddress {
    /// The same port at an address that programs on this machine can connect to: 0.0.0.0 and :: stand for all addresses.
    fileprivate var reachable: ListenAddress {
        switch address {
        case "0.0.0.0": ListenAddress(address: "127.0.0.1", port: port)
        case "::": ListenAddress(address: "::1", port: port)
        default: self
        }
    }
}
#endif
