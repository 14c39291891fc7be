// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import JOSE
import OAuthSystem
import ServerStorage
import Testing

private let end = Sample.now + .seconds(60)
private let justBefore = end - .milliseconds(1)

extension StorageCase {
    static let clock: [StorageCase] = [
        StorageCase("a session expires in exactly its millisecond") { store async throws in
            try await store.start(Sample.session("a", expiresAt: end), replacing: nil)
            #expect(try await store.session(Sample.hash("a"), at: justBefore) != nil)
            #expect(try await store.session(Sample.hash("a"), at: end) == nil)
        },
        StorageCase("a request is found and consumed until the millisecond of its expiry") { store async throws in
            for label in ["a", "b"] { try await store.add(Sample.request(label, expiresAt: end)) }
            let (first, second) = (Sample.hash("request a"), Sample.hash("request b"))
            #expect(try await store.authorizationRequest(first, at: justBefore) != nil)
            #expect(try await store.authorizationRequest(first, at: end) == nil)
            #expect(try await !store.consumeAuthorizationRequest(first, at: end))
            #expect(try await store.consumeAuthorizationRequest(second, at: justBefore))
        },
        StorageCase("a request issues a code until the millisecond of its expiry") { store async throws in
            for label in ["a", "b"] { try await store.add(Sample.request(label, expiresAt: end)) }
            for (label, time, expected) in [("a", end, CodeIssuance.requestUsed), ("b", justBefore, .issued)] {
                let issuance = try await store.issue(
                    Sample.code(label, expiresAt: end + .seconds(60)),
                    under: Sample.grant(label),
                    consuming: Sample.hash("request \(label)"),
                    at: time
                )
                #expect(issuance == expected)
            }
        },
        StorageCase("a code is exchanged until the millisecond of its expiry; a late exchange revokes nothing") {
            store async throws in
            for label in ["a", "b"] { try await store.signIn(label, codeExpiresAt: end) }
            let token = try Sample.token("a 0", grant: "a")
            #expect(try await store.redeem(Sample.codeSecret("a"), issuing: token, at: end) == .unknown)
            #expect(try await store.refreshToken(Sample.tokenSecret("a 0")) == nil)
            #expect(try await store.isInForce("a"))
            #expect(try await store.redeem(Sample.codeSecret("b"), issuing: nil, at: justBefore) == .first)
        },
        StorageCase("an expired code is still found") { store async throws in
            let past = Sample.now - .seconds(1)
            try await store.signIn("a", codeExpiresAt: past)
            #expect(try await store.code(Sample.codeSecret("a")) == Sample.code("a", expiresAt: past))
        },
        StorageCase("a refresh token rotates until the millisecond of its expiry; a late use revokes nothing") {
            store async throws in
            for label in ["a", "b"] { try await store.signInForToken(label, expiresAt: end) }
            #expect(try await store.rotate("a 0", to: "a 1", grant: "a", at: end) == .unknown)
            #expect(try await store.liveRefreshToken(Sample.tokenSecret("a 1"), at: Sample.now) == nil)
            #expect(try await store.refreshToken(Sample.tokenSecret("a 0")) != nil)
            #expect(try await store.isInForce("a"))
            #expect(try await store.rotate("b 0", to: "b 1", grant: "b", at: justBefore) == .rotated)
        },
        StorageCase("times at the limits of their range are stored") { store async throws in
            for (label, time) in [("a", Int64.max), ("b", Int64.min)] {
                var session = Sample.session(label)
                session.authenticatedAt = Timestamp(millisecondsSince1970: time)
                try await store.start(session, replacing: nil)
                #expect(try await store.session(session.idHash, at: Sample.now) == session)
            }
        },
    ]
}
