// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import JOSE
import OAuthSystem
import ServerStorage
import Testing

extension StorageCase {
    static let rotation: [StorageCase] = [
        StorageCase("an unknown refresh token issues nothing") { store async throws in
            try await store.signIn("a")
            #expect(try await store.rotate("never", to: "a 1", grant: "a", grace: .seconds(30)) == .unknown)
            #expect(try await store.refreshToken(Sample.tokenSecret("a 1")) == nil)
            #expect(try await store.isInForce("a"))
        },
        StorageCase("a refresh token is rotated to the next, and that one to the next") { store async throws in
            try await store.signInForToken("a")
            for step in 0..<5 {
                #expect(try await store.rotate("a \(step)", to: "a \(step + 1)", grant: "a") == .rotated)
            }
            #expect(try await store.refreshToken(Sample.tokenSecret("a 5")) == Sample.token("a 5", grant: "a"))
            #expect(try await store.isInForce("a"))
        },
        StorageCase("a used refresh token is still found, unchanged") { store async throws in
            try await store.signInForToken("a")
            #expect(try await store.rotate("a 0", to: "a 1", grant: "a") == .rotated)
            #expect(try await store.refreshToken(Sample.tokenSecret("a 0")) == Sample.token("a 0", grant: "a"))
        },
        StorageCase("without grace the second use revokes the family at once, even in the same millisecond") {
            store async throws in
            try await store.signInForToken("a")
            #expect(try await store.rotate("a 0", to: "a 1", grant: "a") == .rotated)
            #expect(try await store.rotate("a 0", to: "a 2", grant: "a") == .reused)
            #expect(try await !store.isInForce("a"))
            #expect(try await store.liveRefreshToken(Sample.tokenSecret("a 2"), at: Sample.now) == nil)
            #expect(try await store.rotate("a 1", to: "a 3", grant: "a") == .unknown)
            #expect(try await store.rotate("a 0", to: "a 3", grant: "a") == .unknown)
            #expect(try await store.redeem(Sample.codeSecret("a"), issuing: nil, at: Sample.now) == .unknown)
        },
        StorageCase("reuse revokes one family only") { store async throws in
            for label in ["a", "b"] { try await store.signInForToken(label) }
            #expect(try await store.rotate("a 0", to: "a 1", grant: "a") == .rotated)
            #expect(try await store.rotate("a 0", to: "a 2", grant: "a") == .reused)
            #expect(try await store.isInForce("b"))
            #expect(try await store.rotate("b 0", to: "b 1", grant: "b") == .rotated)
        },
        StorageCase("a successor of another grant or family changes nothing") { store async throws in
            for label in ["a", "b"] { try await store.signInForToken(label) }
            var ofOtherFamily = try Sample.token("a 1", grant: "a")
            ofOtherFamily.familyHash = Sample.hash("another")
            for successor in [try Sample.token("a 1", grant: "b"), ofOtherFamily] {
                await #expect(throws: (any Error).self) {
                    try await store.rotate(Sample.tokenSecret("a 0"), to: successor, grace: .zero, at: Sample.now)
                }
            }
            #expect(try await store.refreshToken(Sample.tokenSecret("b 0")) == Sample.token("b 0", grant: "b"))
            #expect(try await store.rotate("a 0", to: "a 1", grant: "a") == .rotated)
        },
        StorageCase("a token of another family is unknown, and revokes nothing") { store async throws in
            try await store.signInForToken("a")
            let forged = try Sample.tokenOfAnotherFamily("a")
            #expect(try await store.refreshToken(forged) == nil)
            #expect(try await store.liveRefreshToken(forged, at: Sample.now) == nil)
            let successor = try Sample.token("a 1", grant: "a")
            #expect(try await store.rotate(forged, to: successor, grace: .seconds(30), at: Sample.now) == .unknown)
            #expect(try await !store.prolong(forged, until: Sample.now + .seconds(600), at: Sample.now))
            #expect(try await store.rotate("a 0", to: "a 1", grant: "a") == .rotated)
        },
        StorageCase("any token of the family that is not the current one is reuse, however old it is") {
            store async throws in
            try await store.signInForToken("a")
            for step in 0..<9 {
                #expect(try await store.rotate("a \(step)", to: "a \(step + 1)", grant: "a") == .rotated)
            }
            #expect(try await store.rotate("a 2", to: "b", grant: "a", grace: .seconds(30)) == .reused)
            #expect(try await !store.isInForce("a"))
        },
        StorageCase("a token is found with the key that it was bound to, when its successors are bound to another") {
            store async throws in
            try await store.signInForToken("a")
            let (first, second) = (try Sample.thumbprint("first"), try Sample.thumbprint("second"))
            for (step, key) in [(1, first), (2, second), (3, second)] {
                let next = try Sample.token("a \(step)", grant: "a", thumbprint: key)
                let token = try Sample.tokenSecret("a \(step - 1)")
                #expect(try await store.rotate(token, to: next, grace: .zero, at: Sample.now) == .rotated)
            }
            let found = try await store.refreshToken(Sample.tokenSecret("a 3"))
            #expect(found?.dpopThumbprint == second)
            #expect(try await store.refreshToken(Sample.tokenSecret("a 2"))?.dpopThumbprint == second)
            // The family began unbound: an old token counts as not bound, so that its reuse is noticed.
            #expect(try await store.refreshToken(Sample.tokenSecret("a 1"))?.dpopThumbprint == nil)
            #expect(try await store.refreshToken(Sample.tokenSecret("a 0"))?.dpopThumbprint == nil)
        },
        StorageCase("an old token of a family that was always bound is found bound") { store async throws in
            try await store.signIn("a")
            let key = try Sample.thumbprint("key")
            let first = try Sample.token("a 0", grant: "a", thumbprint: key)
            #expect(try await store.redeem(Sample.codeSecret("a"), issuing: first, at: Sample.now) == .first)
            for step in 1...3 {
                let next = try Sample.token("a \(step)", grant: "a", thumbprint: key)
                let token = try Sample.tokenSecret("a \(step - 1)")
                #expect(try await store.rotate(token, to: next, grace: .zero, at: Sample.now) == .rotated)
            }
            #expect(try await store.refreshToken(Sample.tokenSecret("a 0"))?.dpopThumbprint == key)
        },
        StorageCase("a used token that is sent after it expired revokes the family") { store async throws in
            try await store.signInForToken("a", expiresAt: Sample.now + .seconds(60))
            #expect(try await store.rotate("a 0", to: "a 1", grant: "a") == .rotated)
            let late = Sample.now + .seconds(61)
            #expect(try await store.rotate("a 0", to: "a 2", grant: "a", at: late) == .reused)
            #expect(try await !store.isInForce("a"))
        },
    ]

    static let grace: [StorageCase] = [
        StorageCase("within grace, and while the successor is unused, a token is issued again") { store async throws in
            try await store.signInForToken("a")
            #expect(try await store.rotateWithGrace("a 0", to: "a 1") == .rotated)
            #expect(try await store.rotateWithGrace("a 0", to: "a 2", after: .seconds(10)) == .reissued)
            #expect(try await store.refreshToken(Sample.tokenSecret("a 2")) != nil)
            #expect(try await store.isInForce("a"))
        },
        StorageCase("a token is issued again twice, and the third time is reuse") { store async throws in
            try await store.signInForToken("a")
            #expect(try await store.rotateWithGrace("a 0", to: "a 1") == .rotated)
            for step in 2...3 {
                #expect(try await store.rotateWithGrace("a 0", to: "a \(step)", after: .seconds(5)) == .reissued)
            }
            #expect(try await store.rotateWithGrace("a 0", to: "a 4", after: .seconds(6)) == .reused)
            #expect(try await !store.isInForce("a"))
        },
        StorageCase("of several reissued tokens only the last one is live") { store async throws in
            try await store.signInForToken("a")
            #expect(try await store.rotateWithGrace("a 0", to: "a 1") == .rotated)
            for step in 2...3 {
                #expect(try await store.rotateWithGrace("a 0", to: "a \(step)", after: .seconds(5)) == .reissued)
            }
            for replaced in 0...2 {
                let token = try Sample.tokenSecret("a \(replaced)")
                #expect(try await store.liveRefreshToken(token, at: Sample.now) == nil)
            }
            #expect(try await store.rotateWithGrace("a 3", to: "a 4", after: .seconds(7)) == .rotated)
        },
        StorageCase("a replaced token is reuse: its client got two answers to one request, or somebody else has it") {
            store async throws in
            try await store.signInForToken("a")
            #expect(try await store.rotateWithGrace("a 0", to: "a 1") == .rotated)
            #expect(try await store.rotateWithGrace("a 0", to: "a 2") == .reissued)
            #expect(try await store.rotateWithGrace("a 1", to: "b", after: .seconds(1)) == .reused)
            #expect(try await !store.isInForce("a"))
        },
        StorageCase("once the successor is used, the token before it revokes the family, even within grace") {
            store async throws in
            try await store.signInForToken("a")
            #expect(try await store.rotateWithGrace("a 0", to: "a 1") == .rotated)
            #expect(try await store.rotateWithGrace("a 1", to: "a 2", after: .seconds(1)) == .rotated)
            #expect(try await store.rotateWithGrace("a 0", to: "b", after: .seconds(2)) == .reused)
            #expect(try await !store.isInForce("a"))
            #expect(try await store.rotateWithGrace("a 2", to: "a 3", after: .seconds(3)) == .unknown)
        },
        StorageCase("once the replacing successor is used, the token before it revokes the family") {
            store async throws in
            try await store.signInForToken("a")
            #expect(try await store.rotateWithGrace("a 0", to: "a 1") == .rotated)
            #expect(try await store.rotateWithGrace("a 0", to: "a 2", after: .seconds(1)) == .reissued)
            #expect(try await store.rotateWithGrace("a 2", to: "a 3", after: .seconds(2)) == .rotated)
            #expect(try await store.rotateWithGrace("a 0", to: "b", after: .seconds(3)) == .reused)
            #expect(try await !store.isInForce("a"))
        },
        StorageCase("grace ends 30 s after the first rotation: the last millisecond counts, the next is reuse") {
            store in
            for label in ["a", "b"] {
                try await store.signInForToken(label)
                #expect(try await store.rotateWithGrace("\(label) 0", to: "\(label) 1", grant: label) == .rotated)
            }
            #expect(try await store.rotateWithGrace("a 0", to: "a 2", after: .milliseconds(30_000)) == .reissued)
            #expect(
                try await store.rotateWithGrace("b 0", to: "b 2", grant: "b", after: .milliseconds(30_001)) == .reused
            )
            #expect(try await !store.isInForce("b"))
        },
        StorageCase("issuing again does not extend the grace") { store async throws in
            try await store.signInForToken("a")
            #expect(try await store.rotateWithGrace("a 0", to: "a 1") == .rotated)
            #expect(try await store.rotateWithGrace("a 0", to: "a 2", after: .seconds(20)) == .reissued)
            #expect(try await store.rotateWithGrace("a 0", to: "a 3", after: .seconds(31)) == .reused)
            #expect(try await !store.isInForce("a"))
        },
        StorageCase("each token of a chain has its own grace, and earlier ones have none left") {
            store async throws in
            try await store.signInForToken("a")
            #expect(try await store.rotateWithGrace("a 0", to: "a 1") == .rotated)
            #expect(try await store.rotateWithGrace("a 1", to: "a 2", after: .seconds(60)) == .rotated)
            #expect(try await store.rotateWithGrace("a 1", to: "a 3", after: .seconds(70)) == .reissued)
            #expect(try await store.isInForce("a"))
            #expect(try await store.rotateWithGrace("a 0", to: "b", after: .seconds(71)) == .reused)
        },
        StorageCase("a clock that was set back does not extend the grace") { store async throws in
            try await store.signInForToken("a")
            #expect(try await store.rotateWithGrace("a 0", to: "a 1") == .rotated)
            #expect(try await store.rotateWithGrace("a 0", to: "a 2", after: .seconds(-1)) == .reissued)
            #expect(try await store.rotateWithGrace("a 0", to: "a 3", after: .seconds(-3600)) == .reused)
        },
        StorageCase("an expired token is not reissued, even within grace") { store async throws in
            try await store.signInForToken("a", expiresAt: Sample.now + .seconds(10))
            #expect(try await store.rotateWithGrace("a 0", to: "a 1", after: .seconds(5)) == .rotated)
            #expect(try await store.rotateWithGrace("a 0", to: "a 2", after: .seconds(10)) == .reused)
        },
        StorageCase("an expired successor cannot be used, and still counts as unused for its predecessor") {
            store async throws in
            try await store.signInForToken("a")
            let short = try Sample.token("a 1", grant: "a", expiresAt: Sample.now + .seconds(5))
            let first = try Sample.tokenSecret("a 0")
            #expect(try await store.rotate(first, to: short, grace: .seconds(30), at: Sample.now) == .rotated)
            #expect(try await store.rotateWithGrace("a 1", to: "b", after: .seconds(5)) == .unknown)
            #expect(try await store.rotateWithGrace("a 0", to: "a 2", after: .seconds(6)) == .reissued)
            #expect(try await store.rotateWithGrace("a 2", to: "a 3", after: .seconds(7)) == .rotated)
        },
    ]
}

extension AuthorizationStorage {
    /// Rotates with a grace of 30 s.
    fileprivate func rotateWithGrace(
        _ token: String,
        to successor: String,
        grant: String = "a",
        after delay: Duration = .zero
    ) async throws -> RefreshRotation {
        try await rotate(token, to: successor, grant: grant, grace: .seconds(30), at: Sample.now + delay)
    }
}
