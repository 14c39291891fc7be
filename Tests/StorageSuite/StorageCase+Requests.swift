// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import ServerStorage
import Testing

extension StorageCase {
    static let requests: [StorageCase] = [
        StorageCase("a request is found as it was stored, however often it is read") { store async throws in
            let full = try Sample.request("full", thumbprint: Sample.thumbprint("key"))
            let bare = try Sample.request("bare", state: nil)
            for request in [full, bare] {
                try await store.add(request)
                for _ in 1...2 {
                    #expect(try await store.authorizationRequest(request.referenceHash, at: Sample.now) == request)
                }
            }
            #expect(try await store.authorizationRequest(Sample.hash("never"), at: Sample.now) == nil)
        },
        StorageCase("a request is consumed once, and is then gone") { store async throws in
            let request = try Sample.request("a")
            try await store.add(request)
            #expect(try await store.consumeAuthorizationRequest(request.referenceHash, at: Sample.now))
            #expect(try await !store.consumeAuthorizationRequest(request.referenceHash, at: Sample.now))
            #expect(try await store.authorizationRequest(request.referenceHash, at: Sample.now) == nil)
        },
        StorageCase("an unknown request cannot be consumed") { store async throws in
            #expect(try await !store.consumeAuthorizationRequest(Sample.hash("never"), at: Sample.now))
        },
        StorageCase("a request whose reference is taken is rejected, and the first one stays") { store async throws in
            let first = try Sample.request("a")
            var second = first
            second.request.state = "another"
            try await store.add(first)
            await expectAlreadyStored { try await store.add(second) }
            #expect(try await store.authorizationRequest(first.referenceHash, at: Sample.now) == first)
        },
    ]

    static let issuance: [StorageCase] = [
        StorageCase("issuing stores code and grant and consumes the request") { store async throws in
            try await store.add(Sample.request("a"))
            let code = try Sample.code("a", thumbprint: Sample.thumbprint("key"))
            let handle = Sample.hash("request a")
            #expect(try await store.issue(code, under: Sample.grant("a"), consuming: handle, at: Sample.now) == .issued)
            #expect(try await store.code(Sample.codeSecret("a")) == code)
            #expect(try await store.grant(Sample.grantID("a")) == Sample.grant("a"))
            #expect(try await store.authorizationRequest(handle, at: Sample.now) == nil)
            #expect(try await !store.consumeAuthorizationRequest(handle, at: Sample.now))
        },
        StorageCase("a used or unknown request issues nothing") { store async throws in
            try await store.add(Sample.request("a"))
            #expect(try await store.consumeAuthorizationRequest(Sample.hash("request a"), at: Sample.now))
            for handle in ["request a", "request never"] {
                let issuance = try await store.issue(
                    Sample.code("a"),
                    under: Sample.grant("a"),
                    consuming: Sample.hash(handle),
                    at: Sample.now
                )
                #expect(issuance == .requestUsed)
            }
            #expect(try await store.code(Sample.codeSecret("a")) == nil)
            #expect(try await !store.isInForce("a"))
        },
        StorageCase("a second code for one request is rejected as used, not as a reused challenge") {
            store async throws in
            try await store.signIn("a")
            let second = try await store.issue(
                Sample.code("b", challenge: "a"),
                under: Sample.grant("b"),
                consuming: Sample.hash("request a"),
                at: Sample.now
            )
            #expect(second == .requestUsed)
        },
        StorageCase("a challenge that a client used before issues nothing and consumes nothing") { store async throws in
            try await store.signIn("a")
            try await store.add(Sample.request("b"))
            let handle = Sample.hash("request b")
            let again = try Sample.code("b", challenge: "a")
            #expect(
                try await store.issue(again, under: Sample.grant("b"), consuming: handle, at: Sample.now)
                    == .challengeReused
            )
            #expect(try await store.code(Sample.codeSecret("b")) == nil)
            #expect(try await !store.isInForce("b"))
            #expect(try await store.authorizationRequest(handle, at: Sample.now) != nil)
            let fresh = try Sample.code("b")
            #expect(
                try await store.issue(fresh, under: Sample.grant("b"), consuming: handle, at: Sample.now) == .issued
            )
        },
        StorageCase("two clients may use the same challenge") { store async throws in
            try await store.signIn("a")
            try await store.add(Sample.request("b"))
            let issuance = try await store.issue(
                Sample.code("b", clientID: "other", challenge: "a"),
                under: Sample.grant("b", clientID: "other"),
                consuming: Sample.hash("request b"),
                at: Sample.now
            )
            #expect(issuance == .issued)
        },
        StorageCase("a challenge stays used after its code was exchanged and its grant revoked") {
            store async throws in
            try await store.signInForToken("a")
            try await store.revokeGrant(Sample.grantID("a"), at: Sample.now)
            #expect(try await store.issue("b", challenge: "a") == .challengeReused)
        },
        StorageCase("a code or grant that is already stored, or a code of another grant, changes nothing") {
            store async throws in
            try await store.signIn("a")
            try await store.add(Sample.request("b"))
            let handle = Sample.hash("request b")
            for (code, grant) in try Sample.conflictsWithA() {
                await #expect(throws: (any Error).self) {
                    try await store.issue(code, under: grant, consuming: handle, at: Sample.now)
                }
            }
            #expect(try await store.code(Sample.codeSecret("a")) == Sample.code("a"))
            #expect(try await store.authorizationRequest(handle, at: Sample.now) != nil)
            let issuance = try await store.issue(
                Sample.code("b"),
                under: Sample.grant("b"),
                consuming: handle,
                at: Sample.now
            )
            #expect(issuance == .issued)
        },
    ]
}
