// SPDX-License-Identifier: Apache-2.0

import DPoP
import OAuthSystem
import ServerStorage

/// The functions that requests of clients and browsers call.
extension CountedStorage {
    func add(
        _ request: StoredAuthorizationRequest,
        recording: Recording,
        at now: Timestamp
    ) async throws -> Recorded<Void> {
        try await intervene()
        return try await count().add(request, recording: recording, at: now)
    }

    func authorizationRequest(
        _ referenceHash: SecretHash,
        at now: Timestamp
    ) async throws -> StoredAuthorizationRequest? {
        try await count().authorizationRequest(referenceHash, at: now)
    }

    func consumeAuthorizationRequest(
        _ referenceHash: SecretHash,
        by attempt: WriteAttempt,
        at now: Timestamp
    ) async throws -> Bool {
        try await count().consumeAuthorizationRequest(referenceHash, by: attempt, at: now)
    }

    func issue(
        _ code: StoredCode,
        under grant: Grant,
        consuming referenceHash: SecretHash,
        in sessionHash: SecretHash,
        by decision: ConsentDecision,
        at now: Timestamp
    ) async throws -> CodeIssuance {
        try await intervene()
        return try await count().issue(
            code,
            under: grant,
            consuming: referenceHash,
            in: sessionHash,
            by: decision,
            at: now
        )
    }

    func issue(
        _ code: StoredCode,
        under grant: Grant,
        in sessionHash: SecretHash,
        by consent: StoredConsent,
        at now: Timestamp
    ) async throws -> CodeIssuance {
        try await count().issue(code, under: grant, in: sessionHash, by: consent, at: now)
    }

    func record(
        _ grant: Grant,
        until end: Timestamp,
        recording: Recording,
        at now: Timestamp
    ) async throws -> Recorded<Void> {
        try await count().record(grant, until: end, recording: recording, at: now)
    }

    func code(_ code: GrantSecret) async throws -> StoredCode? {
        try await count().code(code)
    }

    func redeem(
        _ code: GrantSecret,
        issuing refreshToken: StoredRefreshToken?,
        until end: Timestamp,
        recording: Recording,
        at now: Timestamp
    ) async throws -> Recorded<CodeRedemption> {
        try await count().redeem(code, issuing: refreshToken, until: end, recording: recording, at: now)
    }

    func refreshToken(_ token: GrantSecret) async throws -> StoredRefreshToken? {
        try await count().refreshToken(token)
    }

    func liveRefreshToken(_ token: GrantSecret, at now: Timestamp) async throws -> StoredRefreshToken? {
        try await count().liveRefreshToken(token, at: now)
    }

    func rotate(
        _ token: GrantSecret,
        to successor: StoredRefreshToken,
        grace: Duration,
        recording: Recording,
        at now: Timestamp
    ) async throws -> Recorded<RefreshRotation> {
        try await count().rotate(token, to: successor, grace: grace, recording: recording, at: now)
    }

    func prolong(
        _ token: GrantSecret,
        until end: Timestamp,
        recording: Recording,
        at now: Timestamp
    ) async throws -> Recorded<Bool> {
        try await count().prolong(token, until: end, recording: recording, at: now)
    }

    func grant(_ id: String) async throws -> Grant? {
        try await count().grant(id)
    }

    func revokeGrant(_ id: String, recording: Recording, at now: Timestamp) async throws -> Recorded<Void> {
        try await count().revokeGrant(id, recording: recording, at: now)
    }

    func add(
        _ device: StoredDeviceAuthorization,
        recording: Recording,
        at now: Timestamp
    ) async throws -> Recorded<Bool> {
        try await count().add(device, recording: recording, at: now)
    }

    func deviceAuthorization(_ deviceCode: GrantSecret) async throws -> StoredDeviceAuthorization? {
        try await count().deviceAuthorization(deviceCode)
    }

    func waitingDevice(
        ofUserCode userCodeHash: SecretHash,
        at now: Timestamp
    ) async throws -> StoredDeviceAuthorization? {
        try await count().waitingDevice(ofUserCode: userCodeHash, at: now)
    }

    func allowDevice(
        _ deviceCodeHash: SecretHash,
        under grant: Grant,
        consuming referenceHash: SecretHash,
        in sessionHash: SecretHash,
        at now: Timestamp
    ) async throws -> Bool {
        try await intervene()
        return try await count().allowDevice(
            deviceCodeHash,
            under: grant,
            consuming: referenceHash,
            in: sessionHash,
            at: now
        )
    }

    func denyDevice(
        _ deviceCodeHash: SecretHash,
        consuming referenceHash: SecretHash,
        by attempt: WriteAttempt,
        at now: Timestamp
    ) async throws -> Bool {
        try await count().denyDevice(deviceCodeHash, consuming: referenceHash, by: attempt, at: now)
    }

    func pollDevice(
        _ deviceCode: GrantSecret,
        recording: Recording,
        at now: Timestamp
    ) async throws -> Recorded<DevicePoll> {
        try await count().pollDevice(deviceCode, recording: recording, at: now)
    }

    func redeemDevice(
        _ deviceCode: GrantSecret,
        issuing refreshToken: StoredRefreshToken?,
        until end: Timestamp,
        recording: Recording,
        at now: Timestamp
    ) async throws -> Recorded<CodeRedemption> {
        try await count().redeemDevice(deviceCode, issuing: refreshToken, until: end, recording: recording, at: now)
    }

    func liveAccessToken(_ token: GrantSecret, at now: Timestamp) async throws -> StoredAccessToken? {
        try await count().liveAccessToken(token, at: now)
    }

    func record(_ recording: Recording, at now: Timestamp) async throws -> Recorded<Void> {
        try await count().record(recording, at: now)
    }

    func startReplayMemory(_ epoch: ReplayEpoch) async throws {
        try await count().startReplayMemory(epoch)
    }

    func reads(ofCode code: GrantSecret?, for clientID: String) async throws -> CodeReads {
        try await count().reads(ofCode: code, for: clientID)
    }

    func reads(ofRefreshToken token: GrantSecret?, for clientID: String) async throws -> RefreshTokenReads {
        try await count().reads(ofRefreshToken: token, for: clientID)
    }

    func reads(ofDeviceCode code: GrantSecret?, for clientID: String) async throws -> DeviceCodeReads {
        try await count().reads(ofDeviceCode: code, for: clientID)
    }

    func reads(ofTokens tokens: [TokenReference], for clientID: String, at now: Timestamp) async throws -> TokenReads {
        try await count().reads(ofTokens: tokens, for: clientID, at: now)
    }

    func user(ofGrant grantID: String) async throws -> UserAccount? {
        try await count().user(ofGrant: grantID)
    }

    func user(
        ofGrant grantID: String,
        recording: Recording,
        at now: Timestamp
    ) async throws -> Recorded<UserAccount?> {
        try await count().user(ofGrant: grantID, recording: recording, at: now)
    }

    func reads(
        ofRequest referenceHash: SecretHash,
        in sessionHash: SecretHash?,
        userNamed username: String?,
        at now: Timestamp
    ) async throws -> PendingRequestReads {
        try await count().reads(ofRequest: referenceHash, in: sessionHash, userNamed: username, at: now)
    }

    func reads(
        ofClient clientID: String?,
        in sessionHash: SecretHash?,
        at now: Timestamp
    ) async throws -> (client: RegisteredClient?, browser: SessionReads) {
        try await count().reads(ofClient: clientID, in: sessionHash, at: now)
    }
}
