// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import JOSE
import OAuthSystem
import ServerStorage
import Testing

extension StorageCase {
    static let ownGrants: [StorageCase] = [
        StorageCase("a client credentials grant is in force without being stored") { store async throws in
            #expect(try await store.grant(own("a").description) == nil)
            #expect(try await store.add(Sample.client()))
            let grant = try #require(try await store.grant(own("a").description))
            #expect(grant.id == own("a").description)
            #expect(grant.clientID == Sample.clientID && grant.isOfClientItself)
            #expect(grant.createdAt == Sample.now)
            #expect(try await store.grants(of: Sample.clientID).isEmpty)
            #expect(try await store.grant(own("a", of: "other").description) == nil)
        },
        StorageCase("a client credentials grant is revoked alone, and stays revoked until its token has expired") {
            store async throws in
            #expect(try await store.add(Sample.client()))
            for _ in 1...2 { try await store.revokeGrant(own("a").description, at: Sample.now) }
            #expect(try await store.grant(own("a").description) == nil)
            #expect(try await store.grant(own("b").description) != nil)
            #expect(try await store.deleteExpired(at: own("a").endsAt + .seconds(86_399), limit: 10) == 0)
            #expect(try await store.grant(own("a").description) == nil)
            #expect(try await store.deleteExpired(at: own("a").endsAt + .seconds(86_400), limit: 10) == 1)
        },
        StorageCase("client credentials grants end with their client, and do not return with another of that name") {
            store async throws in
            #expect(try await store.add(Sample.client()))
            #expect(try await store.removeClient(Sample.clientID, at: Sample.now))
            #expect(try await store.grant(own("a").description) == nil)
            var again = try Sample.client()
            again.registrationID = "another"
            #expect(try await store.add(again))
            #expect(try await store.grant(own("a").description) == nil)
        },
        StorageCase("two clients cannot have the same registration") { store async throws in
            #expect(try await store.add(Sample.client()))
            var other = try Sample.client("other")
            other.registrationID = try Sample.client().registrationID
            #expect(try await !store.add(other))
            (other.clientID, other.registrationID) = ("third", nil)
            #expect(try await store.add(other))
            (other.clientID, other.registrationID) = ("fourth", nil)
            #expect(try await store.add(other))
        },
        StorageCase("client credentials grants are revoked with all grants, and those of one client with its others") {
            store async throws in
            #expect(try await store.add(Sample.client()))
            #expect(try await store.add(Sample.client("other")))
            _ = try await store.revokeGrants(of: Sample.clientID, at: Sample.now)
            #expect(try await store.grant(own("a").description) == nil)
            #expect(try await store.client(Sample.clientID)?.ownGrantRevocations == 1)
            #expect(try await store.grant(own("a", revocations: 1).description) != nil)
            #expect(try await store.grant(own("a", of: "other").description) != nil)
            _ = try await store.revokeGrants(of: nil, at: Sample.now)
            #expect(try await store.grant(own("a", of: "other").description) == nil)
            #expect(try await store.grant(own("a", revocations: 1).description) == nil)
        },
        StorageCase("a grant derived from a client credentials grant ends with it") { store async throws in
            #expect(try await store.add(Sample.client()))
            var child = try Sample.grant("child", clientID: "other")
            child.parentID = own("a").description
            try await store.record(child, until: Sample.now + .seconds(300))
            #expect(try await store.isInForce("child"))
            try await store.revokeGrant(own("a").description, at: Sample.now)
            #expect(try await !store.isInForce("child"))
        },
    ]

    private static func own(
        _ name: String,
        of clientID: String = Sample.clientID,
        revocations: Int = 0
    ) -> ClientCredentialsGrantID {
        ClientCredentialsGrantID(
            registrationID: "registration-of-\(clientID)",
            revocations: revocations,
            issuedAt: Sample.now,
            endsAt: Sample.now + .seconds(300),
            name: name
        )
    }
}
