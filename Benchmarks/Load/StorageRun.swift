// SPDX-License-Identifier: Apache-2.0

import DPoP
import Foundation
import JOSE
import OAuthCore
import OAuthSystem
import PKCE
import PostgreSQLStorage
import ServerStorage
import StrictJSON

/// Refreshes at the PostgreSQL driver itself, so many at once without a pause; `scripts/bench-cluster` starts it.
///
/// It shows what the database spends on an operation when many wait together, which a server on the same processors does
/// not achieve.
struct StorageRun {
    private let address: PostgreSQLAddress
    private let callers: Int
    private let duration: Duration

    init(reading path: String) throws {
        let file = try JSONValue(parsing: Array(Data(contentsOf: URL(fileURLWithPath: path)))).objectValue ?? [:]
        guard let address = file["address"]?.stringValue, let callers = file["callers"]?.integerValue,
            let milliseconds = file["milliseconds"]?.integerValue
        else { throw BenchmarkError("the plan has no address, no callers or no milliseconds") }
        self.address = try PostgreSQLAddress(address)
        (self.callers, duration) = (Int(callers), .milliseconds(milliseconds))
    }

    func run() async throws {
        let storage = try await PostgreSQLAuthorizationStorage(address)
        var sessions: [StoredSession] = []
        for _ in 0..<callers { sessions.append(try await StoredSession(signingInTo: storage)) }
        let end = ContinuousClock.now + duration
        let requests = try await withThrowingTaskGroup(of: Int.self) { group in
            for session in sessions {
                group.addTask {
                    var (session, count) = (session, 0)
                    while ContinuousClock.now < end {
                        try await session.refresh(at: storage)
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        await storage.close()
        let result: JSONObject = ["requests": .number(JSONNumber(Int64(requests)))]
        print(String(decoding: JSONValue.object(result).encoded(), as: UTF8.self))
    }
}

/// A grant in the database, and its current refresh token.
private struct StoredSession {
    private static let clientID = "app"
    private static let redirectURI = "http://127.0.0.1/callback"
    private static let entropy = SystemEntropy()

    private let grantID: String
    private let family: [UInt8]
    private let owner: JWKThumbprint
    private var token: GrantSecret
    /// The memory of used proofs; the first refresh learns which one the database has.
    private var epoch = ReplayEpoch(startingAt: SystemWallClock().now(), entropy: Self.entropy)

    /// Signs in: a request, its code, and the refresh token for it.
    init(signingInTo storage: PostgreSQLAuthorizationStorage) async throws {
        let (now, entropy) = (SystemWallClock().now(), Self.entropy)
        owner = try JWKThumbprint(Base64URL.encode(entropy.bytes(32)))
        grantID = Base64URL.encode(entropy.bytes(16))
        family = entropy.bytes(16)
        token = try Self.secret(.refreshToken, of: grantID, family, at: now)
        let code = try Self.secret(.code, of: grantID, at: now)
        let (scope, challenge) = (try Scope(["openid"]), try CodeVerifier().challenge(using: .s256))
        let reference = SecretHash(of: Base64URL.encode(entropy.bytes(32)))
        let request = AuthorizationRequest(
            clientID: Self.clientID,
            redirectURI: Self.redirectURI,
            scope: scope,
            state: nil,
            codeChallenge: challenge,
            dpopThumbprint: owner
        )
        let later = now + .seconds(60)
        _ = try await storage.add(
            StoredAuthorizationRequest(referenceHash: reference, request: request, expiresAt: later),
            recording: Self.recording(),
            at: now
        )
        let session = try await Self.session(of: "somebody", in: storage, at: now)
        let issuance = try await storage.issue(
            StoredCode(
                codeHash: code.hash,
                grantID: grantID,
                clientID: Self.clientID,
                redirectURI: Self.redirectURI,
                codeChallenge: challenge,
                dpopThumbprint: owner,
                expiresAt: later
            ),
            under: Grant(
                id: grantID,
                clientID: Self.clientID,
                subject: "somebody",
                scope: scope,
                authenticatedAt: now,
                createdAt: now
            ),
            consuming: reference,
            in: session,
            by: .given,
            at: now
        )
        let first = try stored(token, at: now)
        let redemption = try await storage.redeem(
            code,
            issuing: first,
            until: later,
            recording: Self.recording(),
            at: now
        )
        guard issuance == .issued, redemption == .done(.first) else { throw BenchmarkError("no grant: \(redemption)") }
    }

    /// Starts a session of a user, who gets an account the first time.
    private static func session(
        of subject: String,
        in storage: PostgreSQLAuthorizationStorage,
        at now: Timestamp
    ) async throws -> SecretHash {
        let account = UserAccount(
            subject: subject,
            username: subject,
            passwordHash: PasswordHash(stored: "$none$"),
            createdAt: now
        )
        _ = try await storage.add(account)
        let session = BrowserSession(
            idHash: SecretHash(of: Base64URL.encode(entropy.bytes(32))),
            subject: subject,
            authenticatedAt: now,
            expiresAt: now + .seconds(60)
        )
        let isStored = try await storage.start(session, replacing: nil, judgedBy: nil)
        guard isStored else { throw BenchmarkError("no session") }
        return session.idHash
    }

    /// Exchanges the refresh token, and records the proof of the request with it.
    mutating func refresh(at storage: PostgreSQLAuthorizationStorage) async throws {
        let now = SystemWallClock().now()
        let next = try Self.secret(.refreshToken, of: grantID, family, at: now)
        var recording = Self.recording()
        let proof = ReplayKey(owner: owner, jti: Base64URL.encode(Self.entropy.bytes(16)))
        recording.proof = SingleUseEntry(key: proof, end: now + .seconds(300), pool: .granted, epoch: epoch)
        let rotation = try await storage.rotate(
            token,
            to: stored(next, at: now),
            grace: .zero,
            recording: recording,
            at: now
        )
        if case .otherEpoch(let current) = rotation, current != epoch {
            epoch = current
            return try await refresh(at: storage)
        }
        guard rotation == .done(.rotated) else { throw BenchmarkError("no refresh: \(rotation)") }
        token = next
    }

    private func stored(_ token: GrantSecret, at now: Timestamp) throws -> StoredRefreshToken {
        guard let familyHash = token.familyHash else { throw BenchmarkError("a refresh token has no family") }
        return StoredRefreshToken(
            tokenHash: token.hash,
            familyHash: familyHash,
            grantID: grantID,
            clientID: Self.clientID,
            scope: try Scope(["openid"]),
            dpopThumbprint: owner,
            expiresAt: now + .seconds(30 * 86_400)
        )
    }

    private static func recording() -> Recording { Recording(WriteAttempt(entropy: entropy)) }

    private static func secret(
        _ kind: GrantSecret.Kind,
        of grantID: String,
        _ family: [UInt8]? = nil,
        at now: Timestamp
    ) throws -> GrantSecret {
        let text = GrantSecret.make(kind, for: grantID, of: family, at: now, entropy)
        guard let secret = text.flatMap({ GrantSecret($0, as: kind) }) else { throw BenchmarkError("no secret") }
        return secret
    }
}
