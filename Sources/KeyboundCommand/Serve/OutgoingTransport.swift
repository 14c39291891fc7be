// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import HTTPMessage
import OAuthCore
import OAuthTransport

/// How the server sends requests of its own, to URLs that strangers choose.
enum OutgoingTransport {
    /// The transport; `nil` if nothing is configured that sends requests.
    ///
    /// It connects to addresses that everybody reaches, as they are resolved, and uses no proxy.
    static func make(_ configuration: ServerConfiguration) -> (any HTTPTransport)? {
        let rules = configuration.unregisteredClients
        guard rules.documents != .off else { return nil }
        var transport = CurlTransportConfiguration()
        transport.timeout = .seconds(3)
        transport.exchangeTimeout = .seconds(3)
        transport.maximumResponseSize = 64 << 10
        transport.proxy = ""
        let loopback = ["127.0.0.0/8", "::1/128"].compactMap { IPAddressRange(parsing: $0) }
        transport.addresses = .globallyReachable(exceptions: rules.allowsInsecureLoopbackDocuments ? loopback : [])
        return CurlTransport(transport)
    }
}
#endif
