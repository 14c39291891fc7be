// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import HTTPServer

extension TrustedProxies {
    /// The proxies that are trusted to name the address of a client.
    init(_ settings: ServerSettings) throws {
        try self.init(
            ranges: settings.isGiven(.trustedProxies) ? settings.values(.trustedProxies) : nil,
            from: settings.place(of: .trustedProxies),
            field: settings.text(.forwardedField),
            from: settings.place(of: .forwardedField)
        )
    }

    /// The proxies and the field as texts, each with the name of its setting; `nil` for what is not given.
    init(ranges texts: [String]?, from place: String, field name: String?, from fieldPlace: String) throws {
        self = .loopback
        if let texts {
            ranges = try (texts == ["none"] ? [] : texts).map { text in
                guard let range = IPAddressRange(parsing: text) else {
                    throw CommandFailure.usage(
                        "\(place) has a value that is not an address range",
                        hint: "write 10.0.0.0/8, 192.0.2.7 or 2001:db8::/32, without bits beyond the length; or none"
                    )
                }
                return range
            }
        }
        switch name?.lowercased() {
        case nil, "x-forwarded-for": field = .xForwardedFor
        case "forwarded": field = .forwarded
        default: throw CommandFailure.usage("\(fieldPlace) is neither X-Forwarded-For nor Forwarded")
        }
    }
}

extension RateLimits {
    /// Rate limits per address and per client.
    init(_ settings: ServerSettings) throws {
        let standard = RateLimits.standard
        self.init(
            login: try Self.limit(settings, .loginLimit, standard.login),
            token: try Self.limit(settings, .tokenLimit, standard.token),
            authorizationRequest: try Self.limit(settings, .requestLimit, standard.authorizationRequest)
        )
        registration = try Self.limit(settings, .registrationLimit, registration)
        clientDocument = try Self.limit(settings, .clientDocumentLimit, clientDocument)
        clientToken = try Self.limit(settings, .clientTokenLimit, clientToken)
        clientAuthorizationRequest = try Self.limit(settings, .clientRequestLimit, clientAuthorizationRequest)
        publicClientToken = try Self.limit(settings, .publicClientTokenLimit, publicClientToken)
        publicClientAuthorizationRequest = try Self.limit(
            settings,
            .publicClientRequestLimit,
            publicClientAuthorizationRequest
        )
    }

    /// `300/10m`, or `off`.
    private static func limit(
        _ settings: ServerSettings,
        _ setting: Setting,
        _ standard: RateLimit?
    ) throws -> RateLimit? {
        guard let text = settings.text(setting) else { return standard }
        if text == "off" { return nil }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let count = Int(parts[0]), let period = DurationText.parse(parts[1]),
            let limit = RateLimit(count, per: period)
        else {
            throw CommandFailure.usage(
                "\(settings.place(of: setting)) is not a limit",
                hint: "write 300/10m for 300 in ten minutes, at most 1000 a second and for a day; or off"
            )
        }
        return limit
    }
}

#if os(Linux)
extension HTTPListenerLimits {
    /// Limits of connections.
    init(_ settings: ServerSettings, proxies: TrustedProxies) throws {
        self.init()
        trustedPeers = proxies.ranges
        connections = try settings.count(.connections) ?? connections
        if settings.text(.connectionsPerPeer) == "off" {
            connectionsPerPeer = nil
        } else {
            connectionsPerPeer = try settings.count(.connectionsPerPeer) ?? connectionsPerPeer
        }
    }
}
#endif

extension PasswordHasher {
    /// The hasher with as many threads as configured.
    convenience init(_ settings: ServerSettings) throws {
        self.init(threads: try settings.count(.passwordThreads) ?? Self.defaultThreads)
    }
}
