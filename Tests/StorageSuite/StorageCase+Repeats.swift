// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import JOSE
import OAuthSystem
import ServerStorage
import SigningKeys
import StrictJSON
import Testing

/// Every change, sent a second time with the same values: what a driver does that does not know whether its first call
/// was committed. It gives the same answer, changes nothing more, and never revokes.
extension StorageCase {
    static let repeats: [StorageCase] = grantRepeats + deviceRepeats + accountRepeats + keyRepeats

    private static let grantRepeats: [StorageCase] = [
        StorageCase("again: a code that was issued for a stored request is issued, also when the session ended since") {
            store async throws in
            let session = try await store.signedIn()
            try await store.add(Sample.request("a"))
            for _ in 1...2 {
                let issuance = try await store.issue(
                    Sample.code("a"),
                    under: Sample.grant("a"),
                    consuming: Sample.hash("request a"),
                    in: session,
                    by: .given,
                    at: Sample.now
                )
                #expect(issuance == .issued)
                try await store.endSession(session)
            }
            #expect(try await store.redeem(Sample.codeSecret("a"), issuing: nil, at: Sample.now) == .first)
        },
        StorageCase("again: a code that was issued at once is issued, also when the session has ended since") {
            store async throws in
            #expect(try await store.add(Sample.user("alice", subject: "subject")))
            var session = Sample.session("browser")
            session.subject = "subject"
            try await store.start(session, replacing: nil)
            #expect(try await store.issue("z", by: .givenToRemember(Sample.consent())) == .issued)
            for _ in 1...2 {
                let issuance = try await store.issue(
                    Sample.code("a"),
                    under: Sample.grant("a"),
                    in: session.idHash,
                    by: Sample.consent(),
                    at: Sample.now
                )
                #expect(issuance == .issued)
                try await store.endSession(session.idHash)
            }
        },
        StorageCase("again: a grant that was recorded is recorded once") { store async throws in
            let recording = Recording.proof(try Sample.replayKey("1"))
            let end = Sample.now + .seconds(60)
            for _ in 1...2 {
                let grant = try Sample.grant("a")
                let outcome = try await store.record(grant, until: end, recording: recording, at: Sample.now)
                #expect(outcome.isDone)
            }
            #expect(try await store.grants(of: "subject").count == 1)
        },
        StorageCase("again: the exchange that used a code is the first, with a refresh token and without") {
            store async throws in
            for (label, token) in [("a", try Sample.token("a 0", grant: "a")), ("b", nil)] {
                try await store.signIn(label)
                let recording = Recording.proof(try Sample.replayKey(label))
                for _ in 1...2 {
                    let redemption = try await store.redeem(
                        Sample.codeSecret(label),
                        issuing: token,
                        until: Sample.now + .seconds(300),
                        recording: recording,
                        at: Sample.now
                    )
                    #expect(redemption == .done(.first))
                }
                #expect(try await store.isInForce(label))
            }
            #expect(try await store.rotate("a 0", to: "a 1", grant: "a") == .rotated)
        },
        StorageCase("again: an exchange whose grant was revoked since is not the first") { store async throws in
            try await store.signIn("a")
            let recording = Recording.unique
            for expected in [CodeRedemption.first, .unknown] {
                let redemption = try await store.redeem(
                    Sample.codeSecret("a"),
                    issuing: Sample.token("a 0", grant: "a"),
                    until: Sample.now + .seconds(300),
                    recording: recording,
                    at: Sample.now
                )
                #expect(redemption == .done(expected))
                try await store.revokeGrant(Sample.grantID("a"), at: Sample.now)
            }
        },
        StorageCase("again: a rotation is carried out once, without grace too") { store async throws in
            try await store.signInForToken("a")
            let recording = Recording.proof(try Sample.replayKey("1"))
            for _ in 1...3 { #expect(try await store.rotateAgain("a 0", to: "a 1", recording) == .rotated) }
            #expect(try await store.rotate("a 1", to: "a 2", grant: "a") == .rotated)
            #expect(try await store.isInForce("a"))
        },
        StorageCase("again: a token that was issued again stays the one that is live") { store async throws in
            try await store.signInForToken("a")
            #expect(try await store.rotate("a 0", to: "a 1", grant: "a", grace: .seconds(30)) == .rotated)
            let recording = Recording.unique
            for _ in 1...3 {
                let rotation = try await store.rotateAgain("a 0", to: "a 2", recording, grace: .seconds(30))
                #expect(rotation == .reissued)
            }
            #expect(try await store.liveRefreshToken(Sample.tokenSecret("a 2"), at: Sample.now) != nil)
            // The repeats did not count: there is one more.
            #expect(try await store.rotate("a 0", to: "a 3", grant: "a", grace: .seconds(30)) == .reissued)
        },
        StorageCase("again: a rotation that comes after the client went on is unknown, and revokes nothing") {
            store async throws in
            try await store.signInForToken("a")
            let recording = Recording.unique
            #expect(try await store.rotateAgain("a 0", to: "a 1", recording) == .rotated)
            #expect(try await store.rotate("a 1", to: "a 2", grant: "a") == .rotated)
            #expect(try await store.rotateAgain("a 0", to: "a 1", recording) == .unknown)
            #expect(try await store.isInForce("a"))
            #expect(try await store.rotate("a 2", to: "a 3", grant: "a") == .rotated)
        },
        StorageCase("again: a token that is kept is extended, and a revoked grant stays revoked") {
            store async throws in
            try await store.signInForToken("a", expiresAt: Sample.now + .seconds(60))
            let recording = Recording.proof(try Sample.replayKey("1"))
            let end = Sample.now + .seconds(600)
            for _ in 1...2 {
                let token = try Sample.tokenSecret("a 0")
                let isKept = try await store.prolong(token, until: end, recording: recording, at: Sample.now)
                #expect(isKept == .done(true))
            }
            let revocation = Recording.proof(try Sample.replayKey("2"))
            for _ in 1...2 {
                let id = Sample.grantID("a")
                #expect(try await store.revokeGrant(id, recording: revocation, at: Sample.now).isDone)
            }
            #expect(try await !store.isInForce("a"))
        },
    ]

    private static let deviceRepeats: [StorageCase] = [
        StorageCase("again: a request is stored once, and consumed by the attempt that consumed it") {
            store async throws in
            let recording = Recording.proof(try Sample.replayKey("1"), in: .pushed)
            for _ in 1...2 {
                let outcome = try await store.add(Sample.request("a"), recording: recording, at: Sample.now)
                #expect(outcome.isDone)
            }
            let (first, second) = (WriteAttempt.unique, WriteAttempt.unique)
            let hash = Sample.hash("request a")
            for _ in 1...2 { #expect(try await store.consumeAuthorizationRequest(hash, by: first, at: Sample.now)) }
            #expect(try await !store.consumeAuthorizationRequest(hash, by: second, at: Sample.now))
            #expect(try await store.authorizationRequest(hash, at: Sample.now) == nil)
        },
        StorageCase("again: a device authorization is stored, allowed or denied once") { store async throws in
            let recording = Recording.proof(try Sample.replayKey("1"), in: .pushed)
            for _ in 1...2 {
                let outcome = try await store.add(Sample.device("a"), recording: recording, at: Sample.now)
                #expect(outcome == .done(true))
            }
            try await store.add(Sample.request("a"))
            let session = try await store.signedIn()
            for _ in 1...2 {
                #expect(try await store.allow("a", by: session))
                try await store.endSession(session)
            }
            try await store.waitForPerson("b")
            let attempt = WriteAttempt.unique
            for _ in 1...2 {
                let isDenied = try await store.denyDevice(
                    Sample.deviceSecret("b").hash,
                    consuming: Sample.hash("request b"),
                    by: attempt,
                    at: Sample.now
                )
                #expect(isDenied)
            }
        },
        StorageCase("again: a poll has the same result, and the interval grows once") { store async throws in
            try await store.waitForPerson("a")
            #expect(try await store.poll("a") == .pending)
            let (code, early) = (try Sample.deviceSecret("a"), Recording.unique)
            for _ in 1...3 {
                let soon = Sample.now + .seconds(1)
                #expect(try await store.pollDevice(code, recording: early, at: soon) == .done(.slowDown))
            }
            // Ten seconds from now on, and not twenty.
            #expect(try await store.poll("a", at: Sample.now + .seconds(11)) == .pending)
        },
        StorageCase("again: the exchange that used a device code is the first") { store async throws in
            try await store.waitForPerson("a")
            #expect(try await store.allow("a"))
            let recording = Recording.proof(try Sample.replayKey("1"))
            for _ in 1...2 {
                let redemption = try await store.redeemDevice(
                    Sample.deviceSecret("a"),
                    issuing: Sample.token("a 0", grant: "a"),
                    until: Sample.now + .seconds(300),
                    recording: recording,
                    at: Sample.now
                )
                #expect(redemption == .done(.first))
            }
            #expect(try await store.isInForce("a"))
        },
    ]

    private static let accountRepeats: [StorageCase] = [
        StorageCase("again: a client is added once, and its new secret is the newest once") { store async throws in
            var client = try Sample.client()
            for _ in 1...2 { #expect(try await store.add(client)) }
            for _ in 1...2 { #expect(try await store.addSecret(Sample.hash("new"), to: client.clientID)) }
            client.secretHashes = [Sample.hash("new"), Sample.hash("secret")]
            #expect(try await store.client(client.clientID) == client)
        },
        StorageCase("again: a client without a registration identifier is taken") { store async throws in
            var client = try Sample.client()
            client.registrationID = nil
            #expect(try await store.add(client))
            #expect(try await !store.add(client))
        },
        StorageCase("again: an account is added once, and a session is started once") { store async throws in
            let user = Sample.user("alice", subject: "s-1")
            for _ in 1...2 { #expect(try await store.add(user)) }
            #expect(try await store.users() == [user])
            let (claims, none) = (Sample.claims, JSONObject())
            for _ in 1...2 { #expect(try await store.setClaims(claims, of: "s-1", replacing: none)) }
            #expect(try await store.user(subject: "s-1")?.claims == claims)
            try await store.start(Sample.session("old"), replacing: nil)
            let (session, old) = (Sample.session("new", of: "s-1"), Sample.hash("old"))
            for password in [user.passwordHash, user.passwordHash, nil] {
                #expect(try await store.start(session, replacing: old, judgedBy: password))
            }
            #expect(try await store.session(session.idHash, at: Sample.now) == session)
        },
        StorageCase("again: what is absolute or gone stays so") { store async throws in
            #expect(try await store.add(Sample.client()))
            #expect(try await store.add(Sample.user("alice", subject: "subject")))
            try await store.signIn("a")
            for _ in 1...2 {
                let hash = PasswordHash(stored: "$scrypt$ln=14,r=8,p=5$bmV3$aGFzaA")
                #expect(try await store.setPassword(hash, of: "subject"))
                try await store.endSession(Sample.hash("never"))
            }
            for count in [1, 0] { #expect(try await store.revokeGrants(of: "subject", at: Sample.now) == count) }
            for isFirst in [true, false] {
                #expect(try await store.removeUser("subject", at: Sample.now) == isFirst)
                #expect(try await store.removeClient(Sample.clientID, at: Sample.now) == isFirst)
            }
        },
        StorageCase("again: a registration token is stored once, and registers a client with one use") {
            store async throws in
            let token = StoredRegistrationToken(
                tokenHash: Sample.hash("t"),
                usesLeft: 2,
                expiresAt: Sample.now + .seconds(60)
            )
            for _ in 1...2 { try await store.add(token) }
            for _ in 1...3 {
                let outcome = try await store.register(Sample.client(), with: token.tokenHash, at: Sample.now)
                #expect(outcome == .registered)
            }
            #expect(try await store.registrationPolicy(of: token.tokenHash, at: Sample.now) == token.policy)
        },
    ]

    private static let keyRepeats: [StorageCase] = [
        StorageCase("again: a signing key is added, activated and revoked once") { store async throws in
            let first = try Sample.signingKey("a")
            for _ in 1...2 { #expect(try await store.add(first, after: nil)) }
            let second = try Sample.signingKey("b", activeFrom: Sample.now + .seconds(60))
            for _ in 1...2 { #expect(try await store.add(second, after: "a")) }
            for _ in 1...2 { #expect(try await store.activateSigningKey("b", at: Sample.now)) }
            let third = try Sample.signingKey("c")
            for _ in 1...2 { try await store.revokeSigningKeys(replacingWith: third, at: Sample.now) }
            let keys = try await store.signingKeys()
            #expect(keys.filter { $0.revokedAt == nil }.map(\.keyID) == ["c"])
            #expect(keys.count == 3)
        },
        StorageCase("again: keys are rewrapped once, and deleted once") { store async throws in
            let key = try Sample.signingKey("a")
            #expect(try await store.add(key, after: nil))
            let change = RewrappedKey(keyID: "a", old: key.wrappedKey, new: WrappedKey(Sample.hash("new").bytes))
            for _ in 1...2 { #expect(try await store.rewrapSigningKeys([change])) }
            for _ in 1...2 { try await store.deleteSigningKeys(["a"]) }
            #expect(try await store.signingKeys().isEmpty)
        },
        StorageCase("again: secrets and the replay memory are those that were stored") { store async throws in
            let secret = DPoPNonceSecret(number: 1, bytes: Sample.hash("1").bytes)
            for _ in 1...2 {
                let secrets = try await store.nonceSecrets(
                    replacingAfter: .seconds(100),
                    with: secret,
                    starting: Sample.epoch("a"),
                    at: Sample.now
                )
                #expect(secrets == DPoPNonceSecrets([secret], epoch: Sample.epoch("a")))
            }
            let shards = Sample.hash("shards").bytes
            for _ in 1...2 { #expect(try await store.shardSecret(storing: shards) == shards) }
            #expect(try await store.shardSecret(storing: Sample.hash("another").bytes) == shards)
        },
    ]
}

extension AuthorizationStorage {
    /// Rotates with a given recording.
    fileprivate func rotateAgain(
        _ token: String,
        to successor: String,
        _ recording: Recording,
        grace: Duration = .zero
    ) async throws -> RefreshRotation {
        try await rotate(
            Sample.tokenSecret(token),
            to: Sample.token(successor, grant: "a"),
            grace: grace,
            recording: recording,
            at: Sample.now
        ).outcome()
    }
}
