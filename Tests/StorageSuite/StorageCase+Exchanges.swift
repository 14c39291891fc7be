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
        StorageCase("what is read about a token says how many grants it derives from") { store async throws in
            try await store.signIn("root")
            try await store.recordChain()
            try await store.add(Sample.accessToken("1", grant: "grandchild"))
            let reads = try await store.reads(
                ofTokens: [
                    .grant(Sample.grantID("root")), .grant(Sample.grantID("child")),
                    .grant(Sample.grantID("grandchild")),
                    .accessToken(Sample.accessTokenSecret("1", grant: "grandchild")), .grant("never"),
                ],
                for: Sample.clientID,
                at: Sample.now
            )
            #expect(reads.tokens.map(\.parentCount) == [0, 1, 2, 2, 0])
            #expect(reads.tokens.map { $0.grant == nil } == [false, false, false, false, true])
        },
        StorageCase("a grant whose parent is gone is not in force") { store async throws in
            try await store.recordChain()
            #expect(try await !store.isInForce("child"))
        },
        StorageCase("what a request reads has no grant whose parent ended") { store async throws in
            #expect(try await store.add(Sample.user("ada", subject: "subject")))
            try await store.signIn("root")
            var child = try Sample.grant("child")
            child.parentID = Sample.grantID("root")
            try await store.add(Sample.request("child"))
            #expect(
                try await store.issue(
                    Sample.code("child"),
                    under: child,
                    consuming: Sample.hash("request child"),
                    at: Sample.now
                ) == .issued
            )
            func hasGrants() async throws -> [Bool] {
                let code = try Sample.codeSecret("child")
                let token = try Sample.tokenSecret("child 0", grant: "child")
                return [
                    try await store.reads(ofCode: code, for: Sample.clientID).grant != nil,
                    try await store.reads(ofRefreshToken: token, for: Sample.clientID).grant != nil,
                    try await store.user(ofGrant: Sample.grantID("child")) != nil,
                ]
            }
            let token = try Sample.token("child 0", grant: "child")
            #expect(try await store.redeem(Sample.codeSecret("child"), issuing: token, at: Sample.now) == .first)
            #expect(try await hasGrants() == [true, true, true])
            try await store.revokeGrant(Sample.grantID("root"), at: Sample.now)
            #expect(try await hasGrants() == [false, false, false])
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
