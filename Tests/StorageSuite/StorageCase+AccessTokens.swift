// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import JOSE
import OAuthSystem
import ServerStorage
import Testing

extension StorageCase {
    static let accessTokens: [StorageCase] = [
        StorageCase("an opaque access token is found as it was stored, and by nothing else") { store async throws in
            try await store.signIn("a")
            let token = try Sample.accessToken("1", grant: "a")
            try await store.add(token)
            let never = try Sample.accessTokenSecret("never", grant: "a")
            #expect(try await store.liveAccessToken(Sample.accessTokenSecret("1", grant: "a"), at: Sample.now) == token)
            #expect(try await store.liveAccessToken(never, at: Sample.now) == nil)
            var other = token
            other.expiresAt = token.expiresAt + .seconds(1)
            await expectAlreadyStored { [other] in try await store.add(other) }
        },
        StorageCase("an opaque access token works after its grant is stored, until that is revoked") {
            store async throws in
            let token = try Sample.accessToken("1", grant: "a")
            try await store.add(token)
            #expect(try await store.liveAccessToken(Sample.accessTokenSecret("1", grant: "a"), at: Sample.now) == nil)
            try await store.record(Sample.grant("a"), until: Sample.now + .seconds(300))
            #expect(try await store.liveAccessToken(Sample.accessTokenSecret("1", grant: "a"), at: Sample.now) == token)
            try await store.revokeGrant(Sample.grantID("a"), at: Sample.now)
            #expect(try await store.liveAccessToken(Sample.accessTokenSecret("1", grant: "a"), at: Sample.now) == nil)
        },
        StorageCase("an opaque access token expires, and is then deleted") { store async throws in
            try await store.signIn("a")
            let (first, second) = (
                try Sample.accessToken("1", grant: "a"),
                try Sample.accessToken("2", grant: "a", expiresAt: Sample.now + .seconds(301))
            )
            for token in [first, second] { try await store.add(token) }
            let (end, secret) = (first.expiresAt, try Sample.accessTokenSecret("1", grant: "a"))
            #expect(try await store.liveAccessToken(secret, at: end - .milliseconds(1)) != nil)
            #expect(try await store.liveAccessToken(secret, at: end) == nil)
            #expect(try await store.deleteExpired(at: end - .milliseconds(1), limit: 100) == 0)
            #expect(try await store.deleteExpired(at: end, limit: 100) == 1)
            #expect(try await store.liveAccessToken(Sample.accessTokenSecret("2", grant: "a"), at: end) == second)
        },
    ]
}
