// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import JOSE
import OAuthSystem
import ServerStorage
import Testing

extension StorageCase {
    /// Refresh tokens that are not rotated.
    static let keptTokens: [StorageCase] = [
        StorageCase("a refresh token that is extended expires later, and works as before") { store async throws in
            try await store.signInForToken("a", expiresAt: Sample.now + .seconds(60))
            let (token, end) = (try Sample.tokenSecret("a 0"), Sample.now + .seconds(600))
            #expect(try await store.prolong(token, until: end, at: Sample.now + .seconds(59)))
            #expect(try await store.refreshToken(token)?.expiresAt == end)
            #expect(try await store.liveRefreshToken(token, at: Sample.now + .seconds(599)) != nil)
            #expect(try await store.liveRefreshToken(token, at: end) == nil)
            #expect(try await store.prolong(token, until: end + .seconds(1), at: Sample.now + .seconds(599)))
        },
        StorageCase("a refresh token that is expired, unknown, used or revoked is not extended") { store async throws in
            let end = Sample.now + .seconds(600)
            #expect(try await !store.prolong(Sample.tokenSecret("never"), until: end, at: Sample.now))
            for label in ["a", "b", "c"] {
                try await store.signInForToken(label, expiresAt: Sample.now + .seconds(60))
            }
            let late = Sample.now + .seconds(60)
            #expect(try await !store.prolong(Sample.tokenSecret("a 0"), until: end, at: late))
            #expect(try await store.rotate("b 0", to: "b 1", grant: "b") == .rotated)
            #expect(try await !store.prolong(Sample.tokenSecret("b 0"), until: end, at: Sample.now))
            try await store.revokeGrant(Sample.grantID("c"), at: Sample.now)
            #expect(try await !store.prolong(Sample.tokenSecret("c 0"), until: end, at: Sample.now))
            for label in ["a", "b", "c"] {
                #expect(try await store.refreshToken(Sample.tokenSecret("\(label) 0"))?.expiresAt == late)
            }
        },
    ]
}
