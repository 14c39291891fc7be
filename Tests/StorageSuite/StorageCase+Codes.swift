// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import JOSE
import OAuthSystem
import ServerStorage
import Testing

extension StorageCase {
    static let redemption: [StorageCase] = [
        StorageCase("an unknown code issues nothing") { store async throws in
            let token = try Sample.token("a 0", grant: "a")
            #expect(try await store.redeem(Sample.codeSecret("never"), issuing: token, at: Sample.now) == .unknown)
            #expect(try await store.refreshToken(Sample.tokenSecret("a 0")) == nil)
            #expect(try await store.code(Sample.codeSecret("never")) == nil)
        },
        StorageCase("the first exchange stores the refresh token") { store async throws in
            try await store.signIn("a")
            let token = try Sample.token("a 0", grant: "a", thumbprint: Sample.thumbprint("key"))
            #expect(try await store.redeem(Sample.codeSecret("a"), issuing: token, at: Sample.now) == .first)
            #expect(try await store.refreshToken(Sample.tokenSecret("a 0")) == token)
            #expect(try await store.isInForce("a"))
        },
        StorageCase("a code can be exchanged without a refresh token, once") { store async throws in
            try await store.signIn("a")
            #expect(try await store.redeem(Sample.codeSecret("a"), issuing: nil, at: Sample.now) == .first)
            #expect(try await store.redeem(Sample.codeSecret("a"), issuing: nil, at: Sample.now) == .replayed)
        },
        StorageCase("the second exchange revokes the grant and stores nothing") { store async throws in
            try await store.signInForToken("a")
            let second = try Sample.token("a 1", grant: "a")
            #expect(try await store.redeem(Sample.codeSecret("a"), issuing: second, at: Sample.now) == .replayed)
            #expect(try await store.liveRefreshToken(Sample.tokenSecret("a 1"), at: Sample.now) == nil)
            #expect(try await !store.isInForce("a"))
            #expect(try await store.rotate("a 0", to: "a 2", grant: "a") == .unknown)
        },
        StorageCase("the third exchange finds the grant revoked") { store async throws in
            try await store.signInForToken("a")
            #expect(try await store.redeem(Sample.codeSecret("a"), issuing: nil, at: Sample.now) == .replayed)
            #expect(try await store.redeem(Sample.codeSecret("a"), issuing: nil, at: Sample.now) == .unknown)
        },
        StorageCase("a code that was exchanged is still found, unchanged") { store async throws in
            try await store.signInForToken("a")
            #expect(try await store.code(Sample.codeSecret("a")) == Sample.code("a"))
        },
        StorageCase("a code that is replayed after it expired still revokes the grant") { store async throws in
            try await store.signInForToken("a")
            let late = Sample.now + .seconds(3600)
            #expect(try await store.redeem(Sample.codeSecret("a"), issuing: nil, at: late) == .replayed)
            #expect(try await !store.isInForce("a"))
        },
        StorageCase("a replay revokes one grant only") { store async throws in
            try await store.signInForToken("a")
            try await store.signInForToken("b")
            #expect(try await store.redeem(Sample.codeSecret("a"), issuing: nil, at: Sample.now) == .replayed)
            #expect(try await store.isInForce("b"))
            #expect(try await store.rotate("b 0", to: "b 1", grant: "b") == .rotated)
        },
        StorageCase("a refresh token of another grant leaves the code unused") { store async throws in
            try await store.signInForToken("a")
            try await store.signIn("b")
            let ofAnother = try Sample.token("b 0", grant: "a")
            await #expect(throws: (any Error).self) {
                try await store.redeem(Sample.codeSecret("b"), issuing: ofAnother, at: Sample.now)
            }
            #expect(try await store.refreshToken(Sample.tokenSecret("a 0")) == Sample.token("a 0", grant: "a"))
            let token = try Sample.token("b 1", grant: "b")
            #expect(try await store.redeem(Sample.codeSecret("b"), issuing: token, at: Sample.now) == .first)
        },
    ]

    static let revocation: [StorageCase] = [
        StorageCase("a revoked grant is not found, even if it is revoked again") { store async throws in
            try await store.signIn("a")
            #expect(try await store.isInForce("a"))
            for _ in 1...2 {
                try await store.revokeGrant(Sample.grantID("a"), at: Sample.now)
                #expect(try await !store.isInForce("a"))
            }
        },
        StorageCase("revoking an unknown grant does nothing") { store async throws in
            try await store.signIn("a")
            try await store.revokeGrant(Sample.grantID("never"), at: Sample.now)
            #expect(try await store.isInForce("a"))
            #expect(try await store.grant(Sample.grantID("never")) == nil)
        },
        StorageCase("identifiers of grants are compared byte by byte") { store async throws in
            try await store.signIn("K")
            try await store.revokeGrant(Sample.grantID("\u{212A}"), at: Sample.now)
            #expect(try await store.isInForce("K"))
        },
        StorageCase("a revoked grant invalidates its code") { store async throws in
            try await store.signIn("a")
            try await store.revokeGrant(Sample.grantID("a"), at: Sample.now)
            let token = try Sample.token("a 0", grant: "a")
            #expect(try await store.redeem(Sample.codeSecret("a"), issuing: token, at: Sample.now) == .unknown)
            #expect(try await store.refreshToken(Sample.tokenSecret("a 0")) == nil)
        },
        StorageCase("a revoked grant invalidates every refresh token: the live, the used and the replaced one") {
            store in
            try await store.signInForToken("a")
            let grace = Duration.seconds(30)
            #expect(try await store.rotate("a 0", to: "a 1", grant: "a", grace: grace) == .rotated)
            #expect(try await store.rotate("a 0", to: "a 2", grant: "a", grace: grace) == .reissued)
            try await store.revokeGrant(Sample.grantID("a"), at: Sample.now)
            for token in ["a 0", "a 1", "a 2"] {
                #expect(try await store.rotate(token, to: "a 3", grant: "a", grace: grace) == .unknown)
            }
            #expect(try await store.liveRefreshToken(Sample.tokenSecret("a 3"), at: Sample.now) == nil)
        },
        StorageCase("revoking one grant does not affect the others") { store async throws in
            for label in ["a", "b"] { try await store.signInForToken(label) }
            try await store.revokeGrant(Sample.grantID("a"), at: Sample.now)
            #expect(try await store.isInForce("b"))
            #expect(try await store.rotate("b 0", to: "b 1", grant: "b") == .rotated)
        },
    ]
}
