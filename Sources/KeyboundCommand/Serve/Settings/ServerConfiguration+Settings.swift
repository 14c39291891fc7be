// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import HTTPMessage
import OAuthCore

extension ServerConfiguration {
    /// Makes the configuration of the engine from the settings, and validates it.
    init(_ settings: ServerSettings) throws {
        try self.init(unchecked: settings)
        do {
            try validate()
        } catch {
            throw settings.failure(error, hint: Self.hint(for: error, issuer))
        }
    }

    /// Makes the configuration without validating it.
    init(unchecked settings: ServerSettings) throws {
        guard let issuer = settings.text(.issuer) else {
            throw CommandFailure(
                .usage,
                "the issuer is missing",
                hints: [
                    "--issuer https://auth.example.com, or 'issuer' in the configuration file",
                    "to try it out: --issuer http://127.0.0.1:8080 --allow-insecure-loopback-issuer "
                        + "--unencrypted-key-file",
                ]
            )
        }
        guard let issuerURI = try? URI(parsing: issuer) else {
            throw CommandFailure.usage(
                "\(settings.place(of: .issuer)) is not an absolute URL",
                hint: "such as https://auth.example.com"
            )
        }
        let profile = try settings.word(.profile, SecurityProfile.native)
        self.init(
            issuer: issuerURI,
            audience: settings.text(.audience) ?? issuer,
            serverName: settings.text(.serverName) ?? Setting.serverName.standard,
            scopes: try Self.scopes(settings),
            // A profile's requirements need not be set; a setting that differs contradicts the profile.
            requirePushedAuthorizationRequests: settings.isGiven(.requirePushedRequests)
                ? try settings.flag(.requirePushedRequests) : profile == .fapi2,
            noncePolicy: try Self.noncePolicy(settings),
            lifetimes: try Lifetimes(settings),
            trustedProxies: try TrustedProxies(settings),
            rateLimits: try RateLimits(settings),
            allowsInsecureLoopbackIssuer: try settings.flag(.insecureLoopbackIssuer)
        )
        self.profile = profile
        passwordContext = settings.text(.passwordContext) ?? passwordContext
        remembersConsentForRedirectsThatAnyAppCanTake = try settings.flag(.rememberConsentForAnyApp)
        loginSystem = try LoginProvider(settings)
        try addRequests(settings)
    }

    private static func hint(for error: AuthorizationServerError, _ issuer: URI) -> String {
        error.setting == Setting.issuer.key && issuer.scheme == "http"
            ? "to try it out on this machine: http://127.0.0.1:PORT and --allow-insecure-loopback-issuer"
            : "keybound help configuration explains each setting"
    }

    /// The configured scopes.
    static func scopes(_ settings: ServerSettings) throws -> [ScopeDescription] {
        let scopes = try settings.values(.scopes).map { text in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard !parts[0].isEmpty, (try? Scope([parts[0]])) != nil else {
                throw CommandFailure.usage(
                    "\(settings.place(of: .scopes)) has a name that cannot be a scope",
                    hint: "a scope is ASCII without spaces and quotes, such as api:read"
                )
            }
            return ScopeDescription(name: parts[0], text: parts.count > 1 ? parts[1] : nil)
        }
        guard Set(scopes.map(\.name)).count == scopes.count else {
            throw CommandFailure.usage("\(settings.place(of: .scopes)) has a scope twice")
        }
        return scopes
    }

    private static func noncePolicy(_ settings: ServerSettings) throws -> DPoPNoncePolicy {
        let known: [DPoPNoncePolicy] = [.required, .onSkew, .off]
        guard let text = settings.text(.noncePolicy) else { return .required }
        guard let policy = known.first(where: { $0.rawValue == text }) else {
            throw CommandFailure.usage("\(settings.place(of: .noncePolicy)) must be required, on-skew or off")
        }
        return policy
    }
}

extension Lifetimes {
    init(_ settings: ServerSettings) throws {
        let standard = Lifetimes()
        self.init(
            authorizationCode: try settings.duration(.codeLifetime, standard.authorizationCode),
            accessToken: try settings.duration(.accessTokenLifetime, standard.accessToken),
            refreshToken: try settings.duration(.refreshTokenLifetime, standard.refreshToken),
            authorizationRequest: try settings.duration(.requestLifetime, standard.authorizationRequest),
            session: try settings.duration(.sessionLifetime, standard.session),
            refreshGrace: try settings.duration(.refreshGrace, standard.refreshGrace)
        )
        deviceCode = try settings.duration(.deviceCodeLifetime, standard.deviceCode)
        if settings.isGiven(.grantLifetime) { grant = try settings.duration(.grantLifetime, .zero) }
    }
}
