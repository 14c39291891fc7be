// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage
import Testing

extension StorageCase {
    static let clientChanges: [StorageCase] = [
        StorageCase("a client that has neither secrets nor keys is found as it was stored") { store async throws in
            var client = try Sample.client()
            client.tokenEndpointAuthMethod = .none
            client.tokenEndpointAuthSigningAlgorithm = nil
            (client.secretHashes, client.jwks, client.grantTypes) = ([], JWKSet([]), [])
            client.jwksURI = nil
            client.introspectionAudiences = []
            #expect(try await store.add(client))
            #expect(try await store.client(client.clientID) == client)
        },
        StorageCase("a new secret comes first, the previous one stays, and older ones are deleted") {
            store async throws in
            var client = try Sample.client()
            client.secretHashes = []
            #expect(try await store.add(client))
            #expect(try await store.add(Sample.client("other")))
            for (label, expected) in [("1", ["1"]), ("2", ["2", "1"]), ("3", ["3", "2"])] {
                #expect(try await store.addSecret(Sample.hash(label), to: client.clientID))
                #expect(try await store.client(client.clientID)?.secretHashes == expected.map(Sample.hash))
            }
            #expect(try await store.client("other") == Sample.client("other"))
        },
        StorageCase("a client is replaced whole, but for its secrets and its past, and only as it was read") {
            store async throws in
            let client = try Sample.client()
            #expect(try await store.add(client))
            #expect(try await store.add(Sample.client("other")))
            var changed = client
            (changed.name, changed.redirectURIs, changed.scope) = ("new", ["https://new.example/cb"], .empty)
            (changed.origin, changed.applicationType) = (.registeredByOperator, .web)
            (changed.allowedWebOrigins, changed.noncePolicy) = (["https://new.example"], nil)
            (changed.dpopBoundAccessTokens, changed.requireSignedRequestObject) = (true, false)
            (changed.grantTypes, changed.jwksURI) = ([.authorizationCode], "https://new.example/keys.json")
            // None of this is replaced.
            (changed.secretHashes, changed.registrationID) = ([Sample.hash("stolen")], "other")
            (changed.createdAt, changed.ownGrantRevocations) = (Sample.now + .seconds(9), 7)
            #expect(try await store.addSecret(Sample.hash("newer"), to: client.clientID))
            #expect(try await store.replace(changed, by: WriteAttempt(id: 1)))
            var expected = changed
            expected.secretHashes = [Sample.hash("newer"), Sample.hash("secret")]
            (expected.registrationID, expected.createdAt) = (client.registrationID, client.createdAt)
            (expected.ownGrantRevocations, expected.changedBy) = (0, WriteAttempt(id: 1))
            #expect(try await store.client(client.clientID) == expected)
            // The same change again; a change of what was read before it; the next change.
            #expect(try await store.replace(changed, by: WriteAttempt(id: 1)))
            #expect(try await !store.replace(client, by: WriteAttempt(id: 2)))
            #expect(try await store.client(client.clientID) == expected)
            #expect(try await store.replace(expected, by: WriteAttempt(id: 3)))
            #expect(try await !store.replace(Sample.client("unknown"), by: WriteAttempt(id: 4)))
            #expect(try await store.client("unknown") == nil)
            #expect(try await store.client("other") == Sample.client("other"))
        },
        StorageCase("a web origin is allowed as long as a client has it, to the last character") { store async throws in
            let client = try Sample.client()
            let (own, shared) = ("https://\(client.clientID).example", "http://127.0.0.1:8000")
            #expect(try await !store.isAllowed(webOrigin: own))
            #expect(try await store.add(client))
            #expect(try await store.add(Sample.client("other")))
            for origin in [own, shared, "https://other.example"] {
                #expect(try await store.isAllowed(webOrigin: origin))
            }
            for origin in ["", "null", own + "/", own.uppercased(), own + ":443"] {
                #expect(try await !store.isAllowed(webOrigin: origin))
            }
            var changed = client
            changed.allowedWebOrigins = [shared, "https://new.example"]
            #expect(try await store.replace(changed, by: WriteAttempt(id: 1)))
            #expect(try await !store.isAllowed(webOrigin: own))
            #expect(try await store.isAllowed(webOrigin: "https://new.example"))
            #expect(try await store.removeClient(client.clientID, at: Sample.now))
            #expect(try await !store.isAllowed(webOrigin: "https://new.example"))
            #expect(try await store.isAllowed(webOrigin: shared))
            #expect(try await store.removeClient("other", at: Sample.now))
            #expect(try await !store.isAllowed(webOrigin: shared))
        },
        StorageCase("an unknown client gets no secret and cannot be removed") { store async throws in
            #expect(try await store.add(Sample.client("K")))
            for clientID in ["k", "\u{212A}", ""] {
                #expect(try await !store.addSecret(Sample.hash("1"), to: clientID))
                #expect(try await !store.removeClient(clientID, at: Sample.now))
            }
            #expect(try await store.client("K") == Sample.client("K"))
        },
        StorageCase("removing a client revokes its grants, and no others") { store async throws in
            #expect(try await store.add(Sample.client()))
            #expect(try await store.add(Sample.client("other")))
            try await store.signInForToken("a")
            try await store.record(Sample.grant("b", clientID: "other"), until: Sample.now + .seconds(60))
            #expect(try await store.removeClient(Sample.clientID, at: Sample.now))
            #expect(try await store.client(Sample.clientID) == nil)
            #expect(try await store.clients().map(\.clientID) == ["other"])
            #expect(try await !store.isInForce("a"))
            #expect(try await store.isInForce("b"))
            #expect(try await store.rotate("a 0", to: "a 1", grant: "a") == .unknown)
            #expect(try await !store.removeClient(Sample.clientID, at: Sample.now))
        },
        StorageCase("a refresh token is live until it is used, replaced, expired or revoked") { store async throws in
            for label in ["a", "b"] { try await store.signInForToken(label) }
            let first = try Sample.tokenSecret("a 0")
            #expect(try await store.liveRefreshToken(first, at: Sample.now) == store.refreshToken(first))
            #expect(try await store.liveRefreshToken(first, at: Sample.now) != nil)
            #expect(try await store.liveRefreshToken(first, at: Sample.now + .seconds(40 * 86_400)) == nil)
            #expect(try await store.rotate("a 0", to: "a 1", grant: "a", grace: .seconds(30)) == .rotated)
            #expect(try await store.liveRefreshToken(first, at: Sample.now) == nil)
            #expect(try await store.rotate("a 0", to: "a 2", grant: "a", grace: .seconds(30)) == .reissued)
            #expect(try await store.liveRefreshToken(Sample.tokenSecret("a 1"), at: Sample.now) == nil)
            #expect(try await store.liveRefreshToken(Sample.tokenSecret("a 2"), at: Sample.now) != nil)
            try await store.revokeGrant(Sample.grantID("a"), at: Sample.now)
            #expect(try await store.liveRefreshToken(Sample.tokenSecret("a 2"), at: Sample.now) == nil)
            #expect(try await store.liveRefreshToken(Sample.tokenSecret("b 0"), at: Sample.now) != nil)
            #expect(try await store.liveRefreshToken(Sample.tokenSecret("never"), at: Sample.now) == nil)
        },
        StorageCase("a grant with only an access token is found and revoked like any other") { store async throws in
            let grant = try Sample.grant("a")
            try await store.record(grant, until: Sample.now + .seconds(60))
            #expect(try await store.grant(grant.id) == grant)
            var other = grant
            other.subject = "somebody else"
            await expectAlreadyStored { [other] in try await store.record(other, until: Sample.now + .seconds(60)) }
            try await store.revokeGrant(grant.id, at: Sample.now)
            #expect(try await store.grant(grant.id) == nil)
        },
        StorageCase("a grant with only an access token is deleted when that expires, and no other grant is") {
            store async throws in
            let end = Sample.now + .seconds(60)
            for label in ["a", "b"] { try await store.record(Sample.grant(label), until: end) }
            try await store.signInForToken("c")
            #expect(try await store.deleteExpired(at: end - .milliseconds(1), limit: 100) == 0)
            #expect(try await store.deleteExpired(at: end, limit: 1) == 1)
            #expect(try await store.deleteExpired(at: end, limit: 100) == 1)
            #expect(try await !store.isInForce("a"))
            #expect(try await !store.isInForce("b"))
            #expect(try await store.isInForce("c"))
        },
    ]
}
