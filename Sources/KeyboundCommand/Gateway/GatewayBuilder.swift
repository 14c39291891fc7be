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
    /// The issuer of the keys.
    private let issuer: URI
    let keys: IssuerKeys
    let replay: GatewayReplay
    let transport: PlatformTransport

    init(_ settings: GatewaySettings, clock: any WallClock = SystemWallClock()) {
        transport = PlatformTransport()
        issuer = settings.issuer
        keys = IssuerKeys(of: settings.issuer, at: settings.jwksURI, transport: transport)
        replay = GatewayReplay(settings.redis, clock: clock)
    }

    /// The rules of an API that can never apply, or let more pass than the operator may expect.
    static func findings(
        _ api: GatewayAPISettings,
        _ settings: GatewaySettings,
        _ builder: GatewayBuilder
    ) throws -> [String] {
        let configuration = builder.guardConfiguration(api, settings)
        let requestGuard = try RequestGuard(
            configuration: configuration,
            accessTokens: builder.accessTokens(configuration, settings)
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
        report: @escaping @Sendable (GatewayDecision) -> Void
    ) throws -> (engine: GatewayEngine, tokens: TokenMemory) {
        var readers: [SignedAccessTokens] = []
        let apis = try settings.apis.map { api in
            let configuration = guardConfiguration(api, settings)
            let reader = try accessTokens(configuration, settings)
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

    private func guardConfiguration(_ api: GatewayAPISettings, _ settings: GatewaySettings) -> GuardConfiguration {
        var proofs = ProofPolicy(nonces: .required)
        proofs.replayMemorySince = replay.since
        // Settings that are read again may name another issuer. Its tokens would be verified with the keys of this one, so
        // whoever has one of these keys could make them. Issuer and keys change together, with a restart; the issuer and
        // the endpoint that introspects its tokens, at once.
        let issuer = settings.introspection == nil ? self.issuer : settings.issuer
        var configuration = GuardConfiguration(
            issuer: issuer.description,
            address: api.address,
            audience: api.audience,
            tokenAlgorithms: settings.tokenAlgorithms,
            proofs: proofs
        )
        configuration.tokenProfile = api.tokenProfile
        configuration.rememberedTokens = settings.rememberedTokens
        if api.isPublished {
            var metadata = PublishedMetadata(scopes: api.scope, name: api.name)
            metadata.hasRoutesForUnboundTokens = api.acceptsUnboundTokens
            configuration.metadata = metadata
        }
        return configuration
    }

    private func accessTokens(
        _ configuration: GuardConfiguration,
        _ settings: GatewaySettings
    ) throws(ResourceServerError) -> any AccessTokenReader {
        guard let introspection = settings.introspection else {
            return SignedAccessTokens(configuration, keys: keys)
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
