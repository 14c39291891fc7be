// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE

/// What every endpoint works with: configuration, storage, keys, clock.
struct Services: Sendable {
    let configuration: ServerConfiguration
    let addresses: EndpointAddresses
    let storage: any AuthorizationStorage
    let verifier: DPoPProofVerifier
    /// Proofs that came with a valid code or token.
    let replay: any ReplayStore
    /// Proofs of pushed requests, which anybody can make: apart, so that they cannot fill the store that tokens need.
    let pushedReplay: any ReplayStore
    let nonces: ServerNonces
    let keys: CurrentSigningKeys
    let tokens: TokenIssuer
    let idTokens: IDTokenIssuer
    let passwords: PasswordHasher
    let loginLimiter: LoginLimiter
    let limiters: AddressLimiters
    let userCodeLimiter: UserCodeLimiter
    let clock: any WallClock
    let entropy: any Entropy
    /// Tells the operator what clients are not told.
    let report: @Sendable (String) -> Void
    /// Who keeps what the operator may have to answer for.
    let audit: (any AuditSink)?

    /// Whether people sign in to clients here (OpenID Connect), and not only let them use an API.
    var isOpenIDProvider: Bool { configuration.existingScope.isForOpenID }

    /// The keys that tokens can be checked with, as they are published.
    var keySet: JWKSet {
        let signsWithAll = isOpenIDProvider || configuration.resources.contains { $0.signingAlgorithm != nil }
        return signsWithAll ? keys.now.verificationKeys : keys.now.accessTokenKeys
    }
}
