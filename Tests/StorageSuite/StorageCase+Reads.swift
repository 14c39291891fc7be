// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import JOSE
import OAuthSystem
import ServerStorage
import Testing

/// What one read gives a request is what the functions for each record give.
extension StorageCase {
    static let reads: [StorageCase] = tokenReads + browserReads

    private static let tokenReads: [StorageCase] = [
        StorageCase("one read gives the exchange of a code its client, code and grant") { store async throws in
            #expect(try await store.add(Sample.client()))
            try await store.signIn("a")
            let code = try Sample.codeSecret("a")
            var expected = CodeReads(client: try Sample.client())
            (expected.code, expected.grant) = (try Sample.code("a"), try Sample.grant("a"))
            #expect(try await store.reads(ofCode: code, for: Sample.clientID) == expected)
            try await store.revokeGrant(Sample.grantID("a"), at: Sample.now)
            expected.grant = nil
            #expect(try await store.reads(ofCode: code, for: Sample.clientID) == expected)
            #expect(try await store.reads(ofCode: nil, for: "never") == CodeReads(client: nil))
            let never = try Sample.codeSecret("never")
            #expect(try await store.reads(ofCode: never, for: Sample.clientID) == CodeReads(client: expected.client))
        },
        StorageCase("one read gives the use of a refresh token its client, token and grant") { store async throws in
            #expect(try await store.add(Sample.client()))
            try await store.signInForToken("a")
            #expect(try await store.rotate("a 0", to: "a 1", grant: "a") == .rotated)
            for label in ["a 0", "a 1"] {
                let expected = RefreshTokenReads(
                    client: try Sample.client(),
                    refreshToken: try Sample.token(label, grant: "a"),
                    grant: try Sample.grant("a")
                )
                let token = try Sample.tokenSecret(label)
                #expect(try await store.reads(ofRefreshToken: token, for: Sample.clientID) == expected)
            }
            let forged = try Sample.tokenOfAnotherFamily("a")
            let found = try await store.reads(ofRefreshToken: forged, for: Sample.clientID)
            #expect(found == RefreshTokenReads(client: try Sample.client()))
            try await store.revokeGrant(Sample.grantID("a"), at: Sample.now)
            let revoked = try await store.reads(ofRefreshToken: Sample.tokenSecret("a 1"), for: "never")
            #expect(revoked.client == nil && revoked.grant == nil && revoked.refreshToken != nil)
        },
        StorageCase("one read gives a device its client, authorization and grant") { store async throws in
            #expect(try await store.add(Sample.client()))
            try await store.waitForPerson("a")
            let code = try Sample.deviceSecret("a")
            var expected = DeviceCodeReads(client: try Sample.client(), device: try Sample.device("a"))
            #expect(try await store.reads(ofDeviceCode: code, for: Sample.clientID) == expected)
            #expect(try await store.allow("a"))
            (expected.isAllowed, expected.grant) = (true, try Sample.grant("a"))
            #expect(try await store.reads(ofDeviceCode: code, for: Sample.clientID) == expected)
            #expect(try await store.reads(ofDeviceCode: nil, for: "never") == DeviceCodeReads(client: nil))
        },
        StorageCase("one read gives introspection, revocation and exchange all tokens and their grants") {
            store async throws in
            #expect(try await store.add(Sample.client()))
            try await store.signInForToken("a")
            let access = try Sample.accessToken("1", grant: "a")
            try await store.add(access)
            #expect(try await store.rotate("a 0", to: "a 1", grant: "a") == .rotated)
            let grant = try Sample.grant("a")
            let found = try await store.reads(
                ofTokens: [
                    .accessToken(Sample.accessTokenSecret("1", grant: "a")), .refreshToken(Sample.tokenSecret("a 0")),
                    .refreshToken(Sample.tokenSecret("a 1")), .grant(grant.id), .grant("never"), .none,
                    .refreshToken(Sample.tokenOfAnotherFamily("a")),
                ],
                for: Sample.clientID,
                at: Sample.now
            )
            let expected = [
                TokenRead(accessToken: access, grant: grant),
                TokenRead(refreshToken: try Sample.token("a 0", grant: "a"), isLive: false, grant: grant),
                TokenRead(refreshToken: try Sample.token("a 1", grant: "a"), isLive: true, grant: grant),
                TokenRead(grant: grant), TokenRead(), TokenRead(), TokenRead(),
            ]
            #expect(found == TokenReads(client: try Sample.client(), tokens: expected))
        },
        StorageCase("one read gives the userinfo endpoint the user of a grant in force") { store async throws in
            try await store.record(Sample.grant("a"), until: Sample.now + .seconds(60))
            #expect(try await store.user(ofGrant: Sample.grantID("a")) == nil)
            let user = Sample.user("alice", subject: "subject")
            #expect(try await store.add(user))
            #expect(try await store.user(ofGrant: Sample.grantID("a")) == user)
            try await store.revokeGrant(Sample.grantID("a"), at: Sample.now)
            #expect(try await store.user(ofGrant: Sample.grantID("a")) == nil)
        },
        StorageCase(
            "one call records the proof of a userinfo request and reads its user, and gives no user for a used one"
        ) {
            store async throws in
            let (epoch, other) = (Sample.epoch("a"), Sample.epoch("b"))
            try await store.startReplayMemory(epoch)
            try await store.signIn("a")
            let user = Sample.user("alice", subject: "subject")
            #expect(try await store.add(user))
            func read(_ recording: Recording) async throws -> Recorded<UserAccount?> {
                try await store.user(ofGrant: Sample.grantID("a"), recording: recording, at: Sample.now)
            }
            let first = Recording.proof(try Sample.replayKey("1"), epoch: epoch)
            #expect(try await read(first) == .done(user))
            #expect(try await read(first) == .done(user), "the same attempt")
            #expect(try await read(.proof(Sample.replayKey("1"), epoch: epoch)) == .proofReplayed)
            #expect(try await read(.proof(Sample.replayKey("2"), epoch: other)) == .otherEpoch(epoch))
            // Without a nonce, and without a proof.
            #expect(try await read(.proof(Sample.replayKey("3"), epoch: nil)) == .done(user))
            #expect(try await read(.proof(Sample.replayKey("3"), epoch: nil)) == .proofReplayed)
            #expect(try await read(.unique) == .done(user))
            // A token that was revoked uses up its proof too.
            try await store.revokeGrant(Sample.grantID("a"), at: Sample.now)
            let late = Recording.proof(try Sample.replayKey("4"), epoch: epoch)
            #expect(try await read(late) == .done(nil))
            #expect(try await read(.proof(Sample.replayKey("4"), epoch: epoch)) == .proofReplayed)
        },
        StorageCase(race: "of 64 userinfo requests with one proof one gets the user") { handles async throws in
            let epoch = Sample.epoch("a")
            try await handles[0].startReplayMemory(epoch)
            try await handles[0].signIn("a")
            let user = Sample.user("alice", subject: "subject")
            #expect(try await handles[0].add(user))
            let key = try Sample.replayKey("1")
            let outcomes = try await Race.run(handles) { store, _ in
                try await store.user(ofGrant: Sample.grantID("a"), recording: .proof(key, epoch: epoch), at: Sample.now)
            }
            #expect(outcomes.count(of: .done(user)) == 1)
            #expect(outcomes.count(of: .proofReplayed) == Race.size - 1)
        },
    ]

    private static let browserReads: [StorageCase] = [
        StorageCase("one read gives a page its request, client, user and consent") { store async throws in
            #expect(try await store.add(Sample.client()))
            let (alice, bob) = (Sample.user("alice", subject: "subject"), Sample.user("bob", subject: "other"))
            for user in [alice, bob] { #expect(try await store.add(user)) }
            var session = Sample.session("browser")
            session.subject = "subject"
            try await store.start(session, replacing: nil)
            let request = try Sample.request("a")
            try await store.add(request)
            let consent = request.request.consent(of: "subject", at: Sample.now)
            #expect(try await store.issue("z", by: .givenToRemember(consent)) == .issued)
            #expect(try await store.issue("y", by: .givenToRemember(Sample.consent())) == .issued)
            let found = try await store.reads(
                ofRequest: request.referenceHash,
                in: session.idHash,
                userNamed: "bob",
                at: Sample.now
            )
            let expected = PendingRequestReads(
                request: request,
                client: try Sample.client(),
                browser: SessionReads(session: session, user: alice, consent: consent),
                namedUser: bob
            )
            #expect(found == expected)
            let outside = try await store.reads(
                ofRequest: request.referenceHash,
                in: nil,
                userNamed: nil,
                at: Sample.now
            )
            #expect(outside == PendingRequestReads(request: request, client: try Sample.client()))
            #expect(try await store.consumeAuthorizationRequest(request.referenceHash, at: Sample.now))
            let used = try await store.reads(
                ofRequest: request.referenceHash,
                in: session.idHash,
                userNamed: "bob",
                at: Sample.now
            )
            #expect(used == PendingRequestReads())
        },
        StorageCase("one read gives a request that is not stored its client and the user") { store async throws in
            #expect(try await store.add(Sample.client()))
            let alice = Sample.user("alice", subject: "subject")
            #expect(try await store.add(alice))
            var session = Sample.session("browser")
            session.subject = "subject"
            try await store.start(session, replacing: nil)
            let found = try await store.reads(ofClient: Sample.clientID, in: session.idHash, at: Sample.now)
            #expect(found.client == (try Sample.client()))
            #expect(found.browser == SessionReads(session: session, user: alice))
            let late = try await store.reads(ofClient: nil, in: session.idHash, at: session.expiresAt)
            #expect(late.client == nil && late.browser == SessionReads())
        },
    ]
}
