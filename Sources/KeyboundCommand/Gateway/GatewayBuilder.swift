// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import DPoP
import Gateway
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import OAuthTransport
import ResourceServer

/// Makes the engine of a gateway from settings, with the memory that outlives a change of the settings.
struct GatewayBuilder: Sendable {
    /// The issuers at the start, with their keys.
    let issuers: GatewayIssuers
    let replay: GatewayReplay
    let transport: PlatformTransport

    init(_ settings: GatewaySettings, clock: any WallClock = SystemWallClock()) {
        let transport = PlatformTransport()
        self.transport = transport
        issuers = GatewayIssuers(settings, transport)
        replay = GatewayReplay(settings.redis, clock: clock)
    }

    /// The rules of an API that can never apply, or let more pass than the operator may expect.
    static func findings(
        _ api: GatewayAPISettings,
        _ settings: GatewaySettings,
        _ builder: GatewayBuilder
    ) throws -> [String] {
        let configuration = builder.guardConfiguration(api, settings, builder.issuers)
        let requestGuard = try RequestGuard(
            configuration: configuration,
            accessTokens: builder.accessTokens(configuration, settings, builder.issuers)
        )
        return api.api(requestGuard).findings()
    }

    /// What is measured of the tokens of one engine.
    struct TokenMemory: Sendable {
        let readers: [SignedAccessTokens]

        var count: Int { readers.reduce(0) { $0 + $1.rememberedCount } }
        var hits: Int { readers.reduce(0) { $0 + $1.rememberedHits } }
    }

    func engine(
        _ settings: GatewaySettings,
        _ issuers: GatewayIssuers,
        report: @escaping @Sendable (GatewayDecision) -> Void
    ) throws -> (engine: GatewayEngine, tokens: TokenMemory) {
        var readers: [SignedAccessTokens] = []
        let apis = try settings.apis.map { api in
            let configuration = guardConfiguration(api, settings, issuers)
            let reader = try accessTokens(configuration, settings, issuers)
            if let signed = reader as? SignedAccessTokens { readers.append(signed) }
            do {
                return api.api(
                    try RequestGuard(
                        configuration: configuration,
                        accessTokens: reader,
                        replay: replay.store,
                        nonces: replay.nonces
                    )
                )
            } catch {
                throw CommandFailure.usage(
                    "the API \(SafeText.of(api.address.description)): \(CommandFailure(describing: error).message)"
                )
            }
        }
        var configuration = GatewayConfiguration(apis: apis, proxies: settings.proxies)
        configuration.trustedPeers = settings.trustedPeers
        do {
            return (try GatewayEngine(configuration, report: report), TokenMemory(readers: readers))
        } catch {
            throw CommandFailure.usage(CommandFailure(describing: error).message)
        }
    }

    private func guardConfiguration(
        _ api: GatewayAPISettings,
        _ settings: GatewaySettings,
        _ issuers: GatewayIssuers
    ) -> GuardConfiguration {
        var proofs = ProofPolicy(nonces: .required)
        proofs.replayMemorySince = replay.since
        // Settings that are read again may name another issuer. Its tokens would be verified with the keys of this one, so
        // whoever has one of these keys could make them. An issuer and its keys come together, with a restart, and go
        // together, at once; the issuer and the endpoint that introspects its tokens change at once.
        let usesKeys = settings.introspection == nil
        let first = usesKeys ? issuers.first.settings : settings.issuer
        var configuration = GuardConfiguration(
            issuer: first.name,
            address: api.address,
            audience: usesKeys
                ? issuers.audience(of: issuers.first, at: api) : api.ownAudience(of: first) ?? api.audience,
            tokenAlgorithms: first.tokenAlgorithms,
            proofs: proofs
        )
        let rules = usesKeys ? issuers.rules(of: api) : api
        configuration.tokenProfile = first.tokenProfile ?? rules.tokenProfile
        if usesKeys { configuration.furtherIssuers = issuers.further.map { accepted($0, api, issuers) } }
        configuration.rememberedTokens = settings.rememberedTokens
        if api.isPublished {
            var metadata = PublishedMetadata(scopes: api.scope, name: api.name)
            metadata.hasRoutesForUnboundTokens = api.acceptsUnboundTokens
            configuration.metadata = metadata
        }
        return configuration
    }

    private func accepted(
        _ issuer: GatewayIssuers.Issuer,
        _ api: GatewayAPISettings,
        _ issuers: GatewayIssuers
    ) -> AcceptedIssuer {
        var accepted = AcceptedIssuer(issuer: issuer.settings.name, keys: issuer.keys)
        accepted.audience = issuers.audience(of: issuer, at: api)
        accepted.tokenAlgorithms = issuer.settings.tokenAlgorithms
        accepted.tokenProfile = issuer.settings.tokenProfile ?? issuers.rules(of: api).tokenProfile
        return accepted
    }

    private func accessTokens(
        _ configuration: GuardConfiguration,
        _ settings: GatewaySettings,
        _ issuers: GatewayIssuers
    ) throws(ResourceServerError) -> any AccessTokenReader {
        guard let introspection = settings.introspection else {
            return SignedAccessTokens(configuration, keys: issuers.first.keys)
        }
        return try IntrospectingAccessTokens(
            configuration,
            endpoint: introspection.endpoint,
            clientID: introspection.clientID,
            clientSecret: introspection.secret,
            transport: transport,
            cacheLifetime: introspection.cache
        )
    }
}
#endif
