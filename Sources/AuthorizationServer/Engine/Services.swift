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
    let tokens: TokenIssuer
    let passwords: PasswordHasher
    let loginLimiter: LoginLimiter
    let clock: any WallClock
    let entropy: any Entropy
    /// Tells the operator what clients are not told.
    let report: @Sendable (String) -> Void
}
