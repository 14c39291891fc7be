// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import JOSE
import OAuthSystem
import ServerStorage
import Testing

extension StorageCase {
    static let expiry: [StorageCase] = [
        StorageCase("an empty store has nothing to delete, and a limit of zero deletes nothing") { store async throws in
            #expect(try await store.deleteExpired(at: Sample.now, limit: 100) == 0)
            try await store.start(Sample.session("a", expiresAt: Sample.now), replacing: nil)
            #expect(try await store.deleteExpired(at: Sample.now, limit: 0) == 0)
            #expect(try await store.deleteExpired(at: Sample.now, limit: 100) == 1)
        },
        StorageCase("a client that no operator registered is deleted when its life ends, and its consents with it") {
            store async throws in
            var client = try Sample.client("short-lived")
            client.origin = .document
            client.expiresAt = Sample.now + .seconds(60)
            client.documentExpiresAt = Sample.now + .seconds(30)
            #expect(try await store.add(client))
            #expect(try await store.add(Sample.client("lasting")))
            #expect(try await store.client("short-lived") == client)
            #expect(try await store.deleteExpired(at: Sample.now + .seconds(59), limit: 100) == 0)
            client.expiresAt = Sample.now + .seconds(90)
            let attempt = WriteAttempt(entropy: SystemEntropy())
            #expect(try await store.replace(client, by: attempt))
            client.changedBy = attempt
            #expect(try await store.client("short-lived") == client)
            #expect(try await store.deleteExpired(at: Sample.now + .seconds(60), limit: 100) == 0)
            #expect(try await store.deleteExpired(at: Sample.now + .seconds(90), limit: 100) == 1)
            #expect(try await store.client("short-lived") == nil)
            #expect(try await store.client("lasting") != nil)
            #expect(try await store.add(client))
        },
        StorageCase("what has not expired is never deleted") { store async throws in
            try await store.start(Sample.session("a"), replacing: nil)
            try await store.add(Sample.request("a"))
            try await store.signInForToken("b")
            #expect(try await store.deleteExpired(at: Sample.now, limit: 100) == 0)
            #expect(try await store.session(Sample.hash("a"), at: Sample.now) != nil)
            #expect(try await store.authorizationRequest(Sample.hash("request a"), at: Sample.now) != nil)
            #expect(try await store.rotate("b 0", to: "b 1", grant: "b") == .rotated)
        },
        StorageCase("requests and sessions are deleted when they expire") { store async throws in
            try await store.start(Sample.session("a", expiresAt: Sample.now + .seconds(60)), replacing: nil)
            try await store.add(Sample.request("a", expiresAt: Sample.now + .seconds(60)))
            let end = Sample.now + .seconds(60)
            #expect(try await store.deleteExpired(at: end - .milliseconds(1), limit: 100) == 0)
            #expect(try await store.deleteExpired(at: end, limit: 100) == 2)
            try await store.add(Sample.request("a"))
        },
        StorageCase("a code stays a day after it expires, so that a late replay is detected") { store async throws in
            try await store.signInForToken("a")
            let nearlyADay = Sample.now + .seconds(60 + 86_399)
            #expect(try await store.deleteExpired(at: nearlyADay, limit: 100) == 0)
            #expect(try await store.redeem(Sample.codeSecret("a"), issuing: nil, at: nearlyADay) == .replayed)
            #expect(try await store.deleteExpired(at: nearlyADay + .seconds(1), limit: 100) == 1)
            #expect(try await store.code(Sample.codeSecret("a")) == nil)
            #expect(try await store.redeem(Sample.codeSecret("a"), issuing: nil, at: nearlyADay) == .unknown)
        },
        StorageCase("a grant whose code was never used is deleted, one with a token stays") { store async throws in
            try await store.signIn("a")
            try await store.signInForToken("b")
            let afterTwoDays = Sample.now + .seconds(2 * 86_400)
            // Two codes and the grant that then has no token.
            #expect(try await store.deleteExpired(at: afterTwoDays, limit: 100) == 3)
            #expect(try await !store.isInForce("a"))
            #expect(try await store.isInForce("b"))
            #expect(try await store.rotate("b 0", to: "b 1", grant: "b", at: afterTwoDays) == .rotated)
        },
        StorageCase("a grant is deleted a day, and at most an hour more, after its refresh token expires") {
            store async throws in
            try await store.signInForToken("a")
            #expect(try await store.rotate("a 0", to: "a 1", grant: "a", grace: .seconds(30)) == .rotated)
            #expect(try await store.rotate("a 0", to: "a 2", grant: "a", grace: .seconds(30)) == .reissued)
            let end = Sample.now + .seconds(31 * 86_400)
            // The code.
            #expect(try await store.deleteExpired(at: end - .milliseconds(1), limit: 100) == 1)
            #expect(try await store.isInForce("a"))
            #expect(try await store.deleteExpired(at: end + .seconds(3600), limit: 100) == 1)
            #expect(try await !store.isInForce("a"))
            #expect(try await store.refreshToken(Sample.tokenSecret("a 2")) == nil)
        },
        StorageCase("a revoked grant is deleted with its tokens too") { store async throws in
            try await store.signInForToken("a")
            try await store.revokeGrant(Sample.grantID("a"), at: Sample.now)
            #expect(try await store.deleteExpired(at: Sample.now + .seconds(40 * 86_400), limit: 100) == 2)
            try await store.signIn("a")
        },
        StorageCase("no more rows than the limit are deleted at once, and in the end all are") { store async throws in
            for label in ["a", "b", "c"] {
                try await store.signInForToken(label)
                try await store.add(Sample.request("open \(label)"))
                try await store.start(Sample.session(label), replacing: nil)
            }
            let later = Sample.now + .seconds(40 * 86_400)
            for limit in [1, 2, 4] { #expect(try await store.deleteExpired(at: later, limit: limit) == limit) }
            // Three each of requests, sessions, codes and grants.
            #expect(try await store.deleteExpired(at: later, limit: 100) == 12 - 7)
            #expect(try await store.deleteExpired(at: later, limit: 100) == 0)
        },
        StorageCase("a code challenge can be used again after its code is deleted") { store async throws in
            try await store.signIn("a")
            #expect(try await store.deleteExpired(at: Sample.now + .seconds(2 * 86_400), limit: 100) == 2)
            try await store.signIn("a")
        },
        StorageCase("clients, accounts and nonce secrets never expire") { store async throws in
            #expect(try await store.add(Sample.client()))
            #expect(try await store.add(Sample.user("alice", subject: "s-1")))
            let later = Timestamp(millisecondsSince1970: .max)
            #expect(try await store.deleteExpired(at: later, limit: 100) == 0)
            #expect(try await store.client(Sample.clientID) != nil)
            #expect(try await store.user(subject: "s-1") != nil)
        },
    ]
}
