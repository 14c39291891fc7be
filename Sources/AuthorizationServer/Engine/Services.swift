// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthSystem
import ServerStorage

/// The dependencies of every endpoint: configuration, storage, keys, clock.
///
/// A class: as a struct, passing it on would retain each of its forty references.
final class Services: Sendable {
    let configuration: ServerConfiguration
    let addresses: EndpointAddresses
    let storage: any AuthorizationStorage
    let verifier: DPoPProofVerifier
    /// Where used proofs are recorded.
    let replay: UsedProofs
    let nonces: ServerNonces
    let keys: CurrentSigningKeys
    let tokens: TokenIssuer
    let idTokens: IDTokenIssuer
    let passwords: PasswordHasher
    let loginLimiter: LoginLimiter
    let limiters: AddressLimiters
    let clientLimiters: ClientLimiters
    let userCodeLimiter: UserCodeLimiter
    let pushedProofShares: PushedProofShares
    let unregisteredClientShares: UnregisteredClientShares
    let firstPartyLimiters: FirstPartyLimiters
    /// Failed checks of responses of a login provider, by the request that is signed in for.
    let loginResponseChecks = KeyedLimiter<SecretHash>(RateLimit(10, per: .seconds(600)))
    /// Assigns users to shards.
    let shards = KnownShardKey()
    /// Sends the server's own requests; `nil` if it sends none.
    let outgoing: OutgoingRequests?
    /// The key sets of clients; `nil` if the server sends no requests.
    let clientKeySets: ClientKeySets?
    let clock: any WallClock
    let entropy: any Entropy
    /// Logs for the operator what clients must not learn.
    let report: @Sendable (String) -> Void
    /// Receives the events that the operator must keep for audits.
    let audit: (any AuditSink)?

    /// `Strict-Transport-Security` with an https issuer: for a year, and for this host only, since others may have no TLS.
    var fieldsOfEveryResponse: HTTPFields {
        configuration.issuer.scheme == "https" ? ["Strict-Transport-Security": "max-age=31536000"] : [:]
    }

    init(
        configuration: ServerConfiguration,
        addresses: EndpointAddresses,
        storage: any AuthorizationStorage,
        verifier: DPoPProofVerifier,
        replay: UsedProofs,
        nonces: ServerNonces,
        keys: CurrentSigningKeys,
        tokens: TokenIssuer,
        idTokens: IDTokenIssuer,
        passwords: PasswordHasher,
        loginLimiter: LoginLimiter,
        limiters: AddressLimiters,
        clientLimiters: ClientLimiters,
        userCodeLimiter: UserCodeLimiter,
        outgoing: OutgoingRequests?,
        clock: any WallClock,
        entropy: any Entropy,
        report: @escaping @Sendable (String) -> Void,
        audit: (any AuditSink)?
    ) {
        self.configuration = configuration
        self.addresses = addresses
        self.storage = storage
        self.verifier = verifier
        self.replay = replay
        self.nonces = nonces
        self.keys = keys
        self.tokens = tokens
        self.idTokens = idTokens
        self.passwords = passwords
        self.loginLimiter = loginLimiter
        self.limiters = limiters
        self.clientLimiters = clientLimiters
        self.userCodeLimiter = userCodeLimiter
        self.outgoing = outgoing
        clientKeySets = outgoing.map { ClientKeySets($0, report: report) }
        pushedProofShares = PushedProofShares(configuration.rateLimits)
        unregisteredClientShares = UnregisteredClientShares(configuration.rateLimits)
        firstPartyLimiters = FirstPartyLimiters(configuration.firstParty)
        self.clock = clock
        self.entropy = entropy
        self.report = report
        self.audit = audit
    }

    /// Whether users sign in to clients here (OpenID Connect), rather than only authorize access to an API.
    var isOpenIDProvider: Bool { configuration.existingScope.isForOpenID }

    /// The public keys that verify tokens, as published.
    var keySet: JWKSet {
        let signsWithAll = isOpenIDProvider || configuration.resources.contains { $0.signingAlgorithm != nil }
        return signsWithAll ? keys.now.verificationKeys : keys.now.accessTokenKeys
    }
}
