// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage

extension TrustedProxies {
    /// Whose word on the address of a client is believed.
    init(_ settings: ServerSettings) throws {
        self = .loopback
        let texts = settings.values(.trustedProxies)
        if settings.isGiven(.trustedProxies) {
            ranges = try (texts == ["none"] ? [] : texts).map { text in
                guard let range = IPAddressRange(parsing: text) else {
                    throw CommandFailure.usage(
                        "\(settings.place(of: .trustedProxies)) has an address that is none",
                        hint: "write 10.0.0.0/8, 192.0.2.7 or 2001:db8::/32, without bits beyond the length; or none"
                    )
                }
                return range
            }
        }
        switch settings.text(.forwardedField)?.lowercased() {
        case nil, "x-forwarded-for": field = .xForwardedFor
        case "forwarded": field = .forwarded
        default:
            throw CommandFailure.usage(
                "\(settings.place(of: .forwardedField)) is neither X-Forwarded-For nor Forwarded"
            )
        }
    }
}

extension RateLimits {
    /// How often one address, and one client, may do what costs something.
    init(_ settings: ServerSettings) throws {
        let standard = RateLimits.standard
        self.init(
            login: try Self.limit(settings, .loginLimit, standard.login),
            token: try Self.limit(settings, .tokenLimit, standard.token),
            authorizationRequest: try Self.limit(settings, .requestLimit, standard.authorizationRequest)
        )
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
