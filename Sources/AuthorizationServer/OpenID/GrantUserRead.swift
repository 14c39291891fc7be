// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import OAuthSystem
import ServerStorage
import Synchronization

/// Reads the user of the grant of one request's access token, together with the recording of its proof: one call to the
/// storage in place of two.
final class GrantUserRead: ReplayStore {
    private struct State {
        var grantID: String?
        /// The user, after the proof was recorded; `.some(nil)` if the grant is not in force.
        var user: UserAccount??
    }

    private let services: Services
    private let state = Mutex(State())

    init(_ services: Services) {
        self.services = services
    }

    /// Where the proof of the request is recorded, now that its token was verified.
    func store(for claims: JWTClaims) -> any ReplayStore {
        let grantID = claims.string(TokenIssuer.grantClaim)
        state.withLock { $0.grantID = grantID }
        // Another store than the storage cannot read users; nor can one be read without a grant.
        guard grantID != nil, services.replay.memory(of: .granted) == nil else {
            return services.replay.store(in: services.storage, services.entropy)
        }
        return self
    }

    /// Records the proof, and reads the user.
    func insert(
        _ key: ReplayKey,
        until end: Timestamp,
        now: Timestamp,
        in epoch: ReplayEpoch?
    ) async throws -> ReplayInsertion {
        var recording = Recording(services.newAttempt())
        recording.proof = SingleUseEntry(key: key, end: end, pool: .granted, epoch: epoch)
        let grantID = state.withLock { $0.grantID } ?? ""
        let recorded = try await services.storage.user(ofGrant: grantID, recording: recording, at: now)
        if case .done(let user) = recorded { state.withLock { $0.user = .some(user) } }
        return recorded.insertion
    }

    /// The user; asks the storage if no proof was recorded there.
    ///
    /// - Returns: `nil` if the grant was revoked, or the token has none.
    func user() async throws(ProtocolFailure) -> UserAccount? {
        let state = state.withLock { $0 }
        if let user = state.user { return user }
        guard let grantID = state.grantID else { return nil }
        return try await services.stored { try await $0.user(ofGrant: grantID) }
    }
}
