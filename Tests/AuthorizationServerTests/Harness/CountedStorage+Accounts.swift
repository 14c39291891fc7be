// SPDX-License-Identifier: Apache-2.0

import DPoP
import OAuthSystem
import ServerStorage
import SigningKeys
import StrictJSON

/// Everything else.
extension CountedStorage {
    func client(_ clientID: String) async throws -> RegisteredClient? {
        try await count().client(clientID)
    }

    func add(_ client: RegisteredClient) async throws -> Bool {
        try await count().add(client)
    }

    func clients() async throws -> [RegisteredClient] {
        try await count().clients()
    }

    func replace(_ client: RegisteredClient, by attempt: WriteAttempt) async throws -> Bool {
        try await count().replace(client, by: attempt)
    }

    func isAllowed(webOrigin origin: String) async throws -> Bool {
        try await count().isAllowed(webOrigin: origin)
    }

    func addSecret(_ secretHash: SecretHash, to clientID: String) async throws -> Bool {
        try await count().addSecret(secretHash, to: clientID)
    }

    func removeClient(_ clientID: String, at now: Timestamp) async throws -> Bool {
        try await count().removeClient(clientID, at: now)
    }

    func user(named username: String) async throws -> UserAccount? {
        try await count().user(named: username)
    }

    func user(subject: String) async throws -> UserAccount? {
        try await count().user(subject: subject)
    }

    func add(_ user: UserAccount) async throws -> Bool {
        try await count().add(user)
    }

    func setClaims(_ claims: JSONObject, of subject: String, replacing expected: JSONObject?) async throws -> Bool {
        try await count().setClaims(claims, of: subject, replacing: expected)
    }

    func start(
        _ session: BrowserSession,
        replacing previous: SecretHash?,
        judgedBy password: PasswordHash?
    ) async throws -> Bool {
        try await intervene()
        return try await count().start(session, replacing: previous, judgedBy: password)
    }

    func session(_ idHash: SecretHash, at now: Timestamp) async throws -> BrowserSession? {
        try await count().session(idHash, at: now)
    }

    func endSession(_ idHash: SecretHash) async throws {
        try await count().endSession(idHash)
    }

    func consent(
        of subject: String,
        to clientID: String,
        details detailsHash: SecretHash
    ) async throws -> StoredConsent? {
        try await count().consent(of: subject, to: clientID, details: detailsHash)
    }

    func consents(of subject: String) async throws -> [StoredConsent] {
        try await count().consents(of: subject)
    }

    func withdrawConsent(of subject: String, to clientID: String, at now: Timestamp) async throws -> Bool {
        try await count().withdrawConsent(of: subject, to: clientID, at: now)
    }

    func users() async throws -> [UserAccount] {
        try await count().users()
    }

    func setPassword(_ password: PasswordHash, of subject: String) async throws -> Bool {
        try await count().setPassword(password, of: subject)
    }

    func removeUser(_ subject: String, at now: Timestamp) async throws -> Bool {
        try await count().removeUser(subject, at: now)
    }

    func grants(of subject: String) async throws -> [Grant] {
        try await count().grants(of: subject)
    }

    func revokeGrants(of subject: String?, at now: Timestamp) async throws -> Int {
        try await count().revokeGrants(of: subject, at: now)
    }

    func nonceSecrets(
        replacingAfter age: Duration,
        with proposed: DPoPNonceSecret,
        starting epoch: ReplayEpoch,
        at now: Timestamp
    ) async throws -> DPoPNonceSecrets {
        try await count().nonceSecrets(replacingAfter: age, with: proposed, starting: epoch, at: now)
    }

    func shardSecret(storing proposed: [UInt8]) async throws -> [UInt8] {
        try await count().shardSecret(storing: proposed)
    }

    func signingKeys() async throws -> [StoredSigningKey] {
        try await count().signingKeys()
    }

    func add(_ key: StoredSigningKey, after last: String?) async throws -> Bool {
        try await count().add(key, after: last)
    }

    func activateSigningKey(_ keyID: String, at time: Timestamp) async throws -> Bool {
        try await count().activateSigningKey(keyID, at: time)
    }

    func revokeSigningKeys(replacingWith key: StoredSigningKey, at now: Timestamp) async throws {
        try await count().revokeSigningKeys(replacingWith: key, at: now)
    }

    func raiseTokenLifetime(ofSigningKeys lifetime: Duration) async throws {
        try await count().raiseTokenLifetime(ofSigningKeys: lifetime)
    }

    func rewrapSigningKeys(_ keys: [RewrappedKey]) async throws -> Bool {
        try await count().rewrapSigningKeys(keys)
    }

    func deleteSigningKeys(_ keyIDs: [String]) async throws {
        try await count().deleteSigningKeys(keyIDs)
    }

    func add(_ token: StoredRegistrationToken) async throws {
        try await count().add(token)
    }

    func registrationPolicy(
        of tokenHash: SecretHash,
        at now: Timestamp
    ) async throws -> RegistrationTokenPolicy? {
        try await count().registrationPolicy(of: tokenHash, at: now)
    }

    func register(
        _ client: RegisteredClient,
        with tokenHash: SecretHash,
        at now: Timestamp
    ) async throws -> ClientRegistrationOutcome {
        try await count().register(client, with: tokenHash, at: now)
    }

    func registrationTokens(at now: Timestamp) async throws -> [StoredRegistrationToken] {
        try await count().registrationTokens(at: now)
    }

    func removeRegistrationToken(_ tokenHash: SecretHash) async throws -> Bool {
        try await count().removeRegistrationToken(tokenHash)
    }

    func deleteExpired(at now: Timestamp, limit: Int) async throws -> Int {
        try await count().deleteExpired(at: now, limit: limit)
    }

    func changeAttempts<Outcome: Sendable>(
        of keys: [AttemptKey],
        at now: Timestamp,
        by rule: @escaping @Sendable (_ states: inout [AttemptState?]) -> Outcome
    ) async throws -> Outcome {
        try await count().changeAttempts(of: keys, at: now, by: rule)
    }
}
