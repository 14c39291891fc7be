// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import JOSE
import OAuthSystem
import ServerStorage
import Testing

extension StorageCase {
    static let exchanges: [StorageCase] = [
        StorageCase("a grant derived from another ends with it, through any number of steps") { store async throws in
            try await store.signIn("root")
            try await store.recordChain()
            #expect(try await store.grant(Sample.grantID("child"))?.parentID == Sample.grantID("root"))
            #expect(try await store.isInForce("grandchild"))
            try await store.revokeGrant(Sample.grantID("root"), at: Sample.now)
            for label in ["root", "child", "grandchild"] { #expect(try await !store.isInForce(label)) }
            #expect(try await store.grants(of: "subject").isEmpty)
        },
        StorageCase("a grant derived from another one can end alone") { store async throws in
            try await store.signIn("root")
            try await store.recordChain()
            try await store.revokeGrant(Sample.grantID("child"), at: Sample.now)
            #expect(try await store.isInForce("root"))
            #expect(try await !store.isInForce("child"))
            #expect(try await !store.isInForce("grandchild"))
        },
        StorageCase("a grant whose parent is gone is not in force") { store async throws in
            try await store.recordChain()
            #expect(try await !store.isInForce("child"))
        },
    ]
}

extension AuthorizationStorage {
    fileprivate func recordChain() async throws {
        for (label, parent) in [("child", "root"), ("grandchild", "child")] {
            var grant = try Sample.grant(label)
            grant.parentID = Sample.grantID("\(parent)")
            try await record(grant, until: Sample.now + .seconds(300))
        }
    }
}
