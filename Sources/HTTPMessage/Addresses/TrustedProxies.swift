// SPDX-License-Identifier: Apache-2.0

/// The proxies whose forwarding field is trusted to name the client's address.
///
/// Any client can send such a field, so it counts only if one of your own proxies wrote it. It is read only if the
/// connection comes from a trusted address, or through a socket in the file system, whose mode says who may connect. It
/// is read from the right, where the nearest proxy wrote, up to the first
/// address that is not trusted; the client may have written anything to the left of that. Only the field that the
/// proxies set is read: proxies pass the other one on as the client sent it.
public struct TrustedProxies: Sendable, Hashable {
    /// The addresses of the proxies.
    public var ranges: [IPAddressRange]
    /// The field that they set.
    public var field: ForwardedField

    /// Trusts proxies.
    ///
    /// - Parameters:
    ///   - ranges: The addresses of the proxies; none for a server that clients reach directly.
    ///   - field: The field that they set.
    public init(_ ranges: [IPAddressRange] = [], field: ForwardedField = .xForwardedFor) {
        self.ranges = ranges
        self.field = field
    }

    /// The proxies of the same machine: 127.0.0.0/8 and ::1, with `X-Forwarded-For`.
    public static let loopback = TrustedProxies(["127.0.0.0/8", "::1"].compactMap { IPAddressRange(parsing: $0) })

    /// Whether an address is that of a trusted proxy.
    ///
    /// - Parameter address: The address.
    /// - Returns: Whether it is in one of ``ranges``.
    public func contains(_ address: IPAddress) -> Bool {
        ranges.contains { $0.contains(address) }
    }

    /// Whether a request comes from a trusted proxy.
    ///
    /// - Parameter request: The request as it arrived.
    /// - Returns: Whether its peer is in one of ``ranges``, or it came through a socket in the file system.
    public func sent(_ request: HTTPRequest) -> Bool {
        request.isFromUnixSocket || Self.peer(of: request).map(contains) ?? false
    }

    private static func peer(of request: HTTPRequest) -> IPAddress? {
        request.peerAddress.flatMap { IPAddress(parsing: $0) }
    }

    /// The address from which a request comes.
    ///
    /// - Parameter request: The request as it arrived.
    /// - Returns: The right-most address that is not a trusted proxy. If a trusted proxy names no address, the address
    ///   of that proxy. `nil` if there is none: a request through a socket in the file system has no
    ///   ``HTTPRequest/peerAddress``.
    public func clientAddress(of request: HTTPRequest) -> IPAddress? {
        source(of: request).address
    }

    /// The address against which limits count a request.
    ///
    /// - Parameter request: The request as it arrived.
    /// - Returns: The address of the client, if it is not that of a trusted proxy. If a proxy names its client with
    ///   something that is not an address, the address of that proxy, or `::` for a request through a socket in the
    ///   file system: such requests share one limit, so that a strange field escapes none. `nil` if a trusted proxy
    ///   asks for itself, without the field.
    public func limitedAddress(of request: HTTPRequest) -> IPAddress? {
        limitedAddress(source(of: request))
    }

    /// Both addresses of a request, for which its fields are read only once.
    ///
    /// - Parameter request: The request as it arrived.
    /// - Returns: What ``clientAddress(of:)`` and ``limitedAddress(of:)`` return.
    package func addresses(of request: HTTPRequest) -> (client: IPAddress?, limited: IPAddress?) {
        let source = source(of: request)
        return (source.address, limitedAddress(source))
    }

    private func limitedAddress(_ source: (address: IPAddress?, isUnreadable: Bool)) -> IPAddress? {
        if source.isUnreadable { return source.address ?? IPAddress(high: 0, low: 0) }
        return source.address.flatMap { contains($0) ? nil : $0 }
    }

    /// The nearest address that is not a trusted proxy, or the last before a node that is not an address.
    private func source(of request: HTTPRequest) -> (address: IPAddress?, isUnreadable: Bool) {
        var known = Self.peer(of: request)
        guard sent(request) else { return (known, false) }
        for node in field.nodes(in: request.fields) {
            guard let node else { return (known, true) }
            known = node
            guard contains(node) else { break }
        }
        return (known, false)
    }
}
