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
    /// An issuer of the file as it was at the start, and its keys.
    struct Issuer: Sendable {
        let settings: GatewayIssuerSettings
        let keys: IssuerKeys

        init(_ settings: GatewayIssuerSettings, _ transport: PlatformTransport) {
            self.settings = settings
            keys = IssuerKeys(of: settings.issuer, at: settings.jwksURI, transport: transport)
        }
    }

    private let issuer: Issuer
    private let furtherIssuers: [Issuer]
    let replay: GatewayReplay
    let transport: PlatformTransport

    init(_ settings: GatewaySettings, clock: any WallClock = SystemWallClock()) {
        let transport = PlatformTransport()
        self.transport = transport
        issuer = Issuer(settings.issuer, transport)
        furtherIssuers = settings.furtherIssuers.map { Issuer($0, transport) }
        replay = GatewayReplay(settings.redis, clock: clock)
    }

    /// All issuers, the first one first.
    var issuers: [Issuer] { [issuer] + furtherIssuers }

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
        let usesKeys = settings.introspection == nil
        let first = usesKeys ? current(issuer, settings) : settings.issuer
        var configuration = GuardConfiguration(
            issuer: first.name,
            address: api.address,
            audience: api.audience(of: first),
            tokenAlgorithms: first.tokenAlgorithms,
            proofs: proofs
        )
        configuration.tokenProfile = first.tokenProfile ?? api.tokenProfile
        if usesKeys {
            configuration.furtherIssuers = furtherIssuers.map { accepted($0, api, settings) }
        }
        configuration.rememberedTokens = settings.rememberedTokens
        if api.isPublished {
            var metadata = PublishedMetadata(scopes: api.scope, name: api.name)
            metadata.hasRoutesForUnboundTokens = api.acceptsUnboundTokens
            configuration.metadata = metadata
        }
        return configuration
    }

    private func accepted(
        _ issuer: Issuer,
        _ api: GatewayAPISettings,
        _ settings: GatewaySettings
    ) -> AcceptedIssuer {
        let current = current(issuer, settings)
        var accepted = AcceptedIssuer(issuer: current.name, keys: issuer.keys)
        accepted.audience = api.audience(of: current)
        accepted.tokenAlgorithms = current.tokenAlgorithms
        accepted.tokenProfile = current.tokenProfile ?? api.tokenProfile
        return accepted
    }

    /// What the settings say about an issuer of the start: its algorithms and its profile need no restart.
    private func current(_ issuer: Issuer, _ settings: GatewaySettings) -> GatewayIssuerSettings {
        settings.issuers.first { $0.name.isIdentical(to: issuer.settings.name) } ?? issuer.settings
    }

    private func accessTokens(
        _ configuration: GuardConfiguration,
        _ settings: GatewaySettings
    ) throws(ResourceServerError) -> any AccessTokenReader {
        guard let introspection = settings.introspection else {
            return SignedAccessTokens(configuration, keys: issuer.keys)
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
