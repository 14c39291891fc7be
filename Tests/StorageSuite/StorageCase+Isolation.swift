// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import JOSE
import OAuthSystem
import ServerStorage
import Testing

extension StorageCase {
    static let isolation: [StorageCase] = [
        StorageCase(twoStores: "two stores are independent") { first, second async throws in
            #expect(try await first.add(Sample.client()))
            #expect(try await first.add(Sample.user("alice", subject: "s-1")))
            try await first.start(Sample.session("a"), replacing: nil)
            try await first.add(Sample.request("open"))
            try await first.signInForToken("a")

            #expect(try await second.client(Sample.clientID) == nil)
            #expect(try await second.clients().isEmpty)
            #expect(try await second.user(named: "alice") == nil)
            #expect(try await second.session(Sample.hash("a"), at: Sample.now) == nil)
            #expect(try await second.authorizationRequest(Sample.hash("request open"), at: Sample.now) == nil)
            #expect(try await second.code(Sample.codeSecret("a")) == nil)
            #expect(try await second.rotate("a 0", to: "a 1", grant: "a") == .unknown)
            #expect(try await !second.isInForce("a"))
            #expect(try await second.redeem(Sample.codeSecret("a"), issuing: nil, at: Sample.now) == .unknown)
            #expect(try await first.isInForce("a"))
        },
        StorageCase(twoStores: "two stores have separate proofs and nonce secrets") { first, second async throws in
            let key = try Sample.replayKey("1")
            let end = Sample.now + .seconds(300)
            #expect(try await first.insert(key, until: end, now: Sample.now) == .inserted)
            #expect(try await second.insert(key, until: end, now: Sample.now) == .inserted)
            let one = DPoPNonceSecret(number: 1, bytes: Sample.hash("1").bytes)
            let two = DPoPNonceSecret(number: 2, bytes: Sample.hash("2").bytes)
            #expect(try await first.nonceSecrets(keeping: one) == [one])
            #expect(try await second.nonceSecrets(keeping: two) == [two])
        },
    ]
}
