// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPServer
import OAuthSystem

/// Where `keybound proxy` listens: at a socket that only the user may connect to, or at a port of this machine.
struct ProxyPlace {
    static let port = Option.value(
        "--port",
        "N",
        "listen on this port of 127.0.0.1 instead of a socket, and demand a secret; 0 for any port that is free"
    )
    static let socket = Option.value(
        "--socket",
        "FILE",
        "where to make the socket",
        default: "keybound/proxy-HOST.sock in $XDG_RUNTIME_DIR, or, without that, in ~/.local/state/keybound/run"
    )

    static let options = [port, socket]

    let address: ListeningAddress
    /// The path of the socket; `nil` for a port.
    let socketPath: String?
    /// The folder of the default socket; `nil` if the user chose the place.
    private let folder: String?

    /// Chooses the place; makes nothing yet.
    ///
    /// - Parameters:
    ///   - arguments: Those of the command.
    ///   - origin: The origin of the API, normalised: it names the default socket.
    /// - Throws: ``CommandFailure``.
    init(_ arguments: ParsedArguments, origin: String) throws {
        try arguments.requireAtMostOne(of: Self.options)
        if let text = arguments.value(Self.port) {
            guard let number = UInt16(text) else {
                throw CommandFailure.usage(
                    "\(Self.port.name) is not a port",
                    hint: "write a number up to 65535, or 0 for any port that is free"
                )
            }
            address = .network("127.0.0.1", port: number)
            (socketPath, folder) = (nil, nil)
            return
        }
        let path: String
        if let chosen = arguments.value(Self.socket) {
            path = try AbsolutePath.keepingLinks(chosen)
            folder = nil
        } else {
            let standard = try Self.standardFolder()
            path = standard + "/" + Self.name(of: origin)
            folder = standard
        }
        address = .unixSocket(path: path, mode: 0o600)
        socketPath = path
    }

    /// Listens there.
    ///
    /// - Parameters:
    ///   - limits: How much memory and time a program may use.
    ///   - handler: Makes the responses.
    /// - Returns: The listener; it removes the socket when it stops.
    /// - Throws: ``CommandFailure``, also if another program listens there.
    func listen(
        _ limits: HTTPListenerLimits,
        _ handler: @escaping LateBoundHandler.Handler
    ) throws -> HTTPListener {
        if let folder {
            // Nobody else may put a socket of this name there while there is none.
            try PrivateDirectory.makeWithParents(at: folder)
            try PrivateDirectory.requirePrivate(folder)
        }
        do {
            return try HTTPListener(on: address, limits: limits, handler: handler)
        } catch {
            let failure = CommandFailure(describing: error)
            let hint = "\(Self.socket.name) FILE or \(Self.port.name) N listens elsewhere"
            throw CommandFailure(failure.exitCode, failure.message, hint: hint)
        }
    }

    /// The directory for what ends with the user's session (XDG Base Directory Specification), or else one for state.
    private static func standardFolder() throws -> String {
        if let runtime = ProcessEnvironment.value("XDG_RUNTIME_DIR"), runtime.hasPrefix("/") {
            return runtime + "/keybound"
        }
        return try StateDirectory.path() + "/run"
    }

    /// `proxy-api.example.com.sock`, `proxy-127.0.0.1-8080.sock`.
    private static func name(of origin: String) -> String {
        // The authority, an IPv6 address without its brackets.
        let host = origin.drop { $0 != "/" }.filter { $0 != "/" && $0 != "[" && $0 != "]" }
        return "proxy-" + host.split(separator: ":").joined(separator: "-") + ".sock"
    }
}
#endif
