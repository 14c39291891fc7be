// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import JOSE
import OAuthSystem
import ServerStorage
import Testing

extension StorageCase {
    static let races: [StorageCase] = tokenRaces + requestRaces + registrationRaces

    private static let tokenRaces: [StorageCase] = [
        StorageCase(race: "of 64 exchanges of one code one wins, and the replay revokes the winner's token") {
            handles in
            try await handles[0].signIn("a")
            let outcomes = try await Race.run(handles) { store, task in
                let token = try Sample.token("a \(task)", grant: "a")
                return try await store.redeem(Sample.codeSecret("a"), issuing: token, at: Sample.now)
            }
            #expect(outcomes.count(of: .first) == 1)
            #expect(outcomes.count(of: .replayed) == 1)
            #expect(outcomes.count(of: .unknown) == Race.size - 2)
            #expect(try await !handles[0].isInForce("a"))
            for task in 0..<Race.size {
                #expect(try await handles[0].rotate("a \(task)", to: "b", grant: "a") == .unknown)
            }
        },
        StorageCase(race: "of 64 rotations of one token without grace one wins, and the family is revoked") {
            handles async throws in
            try await handles[0].signInForToken("a")
            let outcomes = try await Race.run(handles) { store, task in
                try await store.rotate("a 0", to: "next \(task)", grant: "a")
            }
            #expect(outcomes.count(of: .rotated) == 1)
            #expect(outcomes.count(of: .reused) == 1)
            #expect(outcomes.count(of: .unknown) == Race.size - 2)
            #expect(try await !handles[0].isInForce("a"))
            #expect(try await liveTokens(in: handles[0]) == 0)
        },
        StorageCase(race: "of 64 rotations of one token within grace three succeed, and the next one is reuse") {
            handles in
            try await handles[0].signInForToken("a")
            let outcomes = try await Race.run(handles) { store, task in
                try await store.rotate("a 0", to: "next \(task)", grant: "a", grace: .seconds(30))
            }
            #expect(outcomes.count(of: .rotated) == 1)
            #expect(outcomes.count(of: .reissued) == RefreshTokenState.maximumReissues)
            #expect(outcomes.count(of: .reused) == 1)
            #expect(try await !handles[0].isInForce("a"))
            #expect(try await liveTokens(in: handles[0]) == 0)
        },
        StorageCase(race: "of three rotations of one token within grace all succeed, and one token is live") {
            handles in
            try await handles[0].signInForToken("a")
            let outcomes = try await Race.run(handles, size: 3) { store, task in
                try await store.rotate("a 0", to: "next \(task)", grant: "a", grace: .seconds(30))
            }
            #expect(outcomes.count(of: .rotated) == 1)
            #expect(outcomes.count(of: .reissued) == 2)
            #expect(try await handles[0].isInForce("a"))
            #expect(try await liveTokens(in: handles[0]) == 1)
        },
        StorageCase(race: "a repeated rotation racing the use of its successor never leaves two tokens live") {
            handles in
            try await handles[0].signInForToken("a")
            #expect(try await handles[0].rotate("a 0", to: "a 1", grant: "a", grace: .seconds(30)) == .rotated)
            let outcomes = try await Race.run(handles) { store, task in
                let token = task.isMultiple(of: 2) ? "a 0" : "a 1"
                return try await store.rotate(token, to: "next \(task)", grant: "a", grace: .seconds(30))
            }
            #expect(outcomes.count(of: .rotated) <= 1)
            let isInForce = try await handles[0].isInForce("a")
            #expect(isInForce == !outcomes.contains(.reused))
            #expect(try await liveTokens(in: handles[0]) == (isInForce ? 1 : 0))
        },
        StorageCase(race: "rotations racing a revocation leave nothing live") { handles async throws in
            try await handles[0].signInForToken("a")
            _ = try await Race.run(handles) { store, task in
                if task == Race.size / 2 {
                    try await store.revokeGrant(Sample.grantID("a"), at: Sample.now)
                } else {
                    _ = try await store.rotate("a 0", to: "next \(task)", grant: "a", grace: .seconds(30))
                }
            }
            #expect(try await !handles[0].isInForce("a"))
            #expect(try await liveTokens(in: handles[0]) == 0)
        },
        StorageCase(race: "exchanges of 64 codes at once are all the first of their code") { handles async throws in
            for task in 0..<Race.size { try await handles[0].signIn("\(task)") }
            let outcomes = try await Race.run(handles) { store, task in
                let token = try Sample.token("\(task)", grant: "\(task)")
                return try await store.redeem(Sample.codeSecret("\(task)"), issuing: token, at: Sample.now)
            }
            #expect(outcomes.count(of: .first) == Race.size)
        },
    ]

    private static let requestRaces: [StorageCase] = [
        StorageCase(race: "of 64 responses to one request one issues a code") { handles async throws in
            let session = try await handles[0].signedIn()
            try await handles[0].add(Sample.request("a"))
            let outcomes = try await Race.run(handles) { store, task in
                try await store.issueFromRequest("a", as: "\(task)", in: session)
            }
            #expect(outcomes.count(of: .issued) == 1)
            #expect(outcomes.count(of: .requestUsed) == Race.size - 1)
            for (task, outcome) in outcomes.enumerated() {
                #expect(try await handles[0].isInForce("\(task)") == (outcome == .issued))
            }
        },
        StorageCase(race: "a request is allowed or denied, never both") { handles async throws in
            let session = try await handles[0].signedIn()
            try await handles[0].add(Sample.request("a"))
            let isWinner = try await Race.run(handles) { store, task in
                if task.isMultiple(of: 2) {
                    return try await store.issueFromRequest("a", as: "\(task)", in: session) == .issued
                }
                return try await store.consumeAuthorizationRequest(Sample.hash("request a"), at: Sample.now)
            }
            #expect(isWinner.count(of: true) == 1)
        },
        StorageCase(race: "of 64 requests with one challenge one issues a code, and the others are not consumed") {
            handles in
            let session = try await handles[0].signedIn()
            for task in 0..<Race.size { try await handles[0].add(Sample.request("\(task)")) }
            let outcomes = try await Race.run(handles) { store, task in
                try await store.issue(
                    Sample.code("\(task)", challenge: "same"),
                    under: Sample.grant("\(task)"),
                    consuming: Sample.hash("request \(task)"),
                    in: session,
                    by: .given,
                    at: Sample.now
                )
            }
            #expect(outcomes.count(of: .issued) == 1)
            #expect(outcomes.count(of: .challengeReused) == Race.size - 1)
            for (task, outcome) in outcomes.enumerated() {
                let handle = Sample.hash("request \(task)")
                let isUsed = try await handles[0].authorizationRequest(handle, at: Sample.now) == nil
                #expect(isUsed == (outcome == .issued))
            }
        },
    ]

    private static let registrationRaces: [StorageCase] = [
        StorageCase(race: "of 64 inserts of one proof one is new") { handles async throws in
            let key = try Sample.replayKey("1")
            let outcomes = try await Race.run(handles) { store, _ in
                try await store.insert(key, until: Sample.now + .seconds(300), now: Sample.now)
            }
            #expect(outcomes.count(of: .inserted) == 1)
            #expect(outcomes.count(of: .replayed) == Race.size - 1)
        },
        StorageCase(race: "of 64 registrations of one client one is stored, and the same for accounts") {
            handles async throws in
            let clients = try await Race.run(handles) { store, task in
                var client = try Sample.client()
                client.registrationID = "registration \(task)"
                return try await store.add(client)
            }
            #expect(clients.count(of: true) == 1)
            let users = try await Race.run(handles) { store, task in
                try await store.add(Sample.user("alice", subject: "s-\(task)"))
            }
            #expect(users.count(of: true) == 1)
            let winner = try #require(users.firstIndex(of: true))
            #expect(try await handles[0].user(named: "alice")?.subject == "s-\(winner)")
        },
        StorageCase(race: "64 servers that start at once agree on one nonce secret") { handles async throws in
            let secrets = try await Race.run(handles) { store, task in
                let proposed = DPoPNonceSecret(number: UInt8(task), bytes: Sample.hash("\(task)").bytes)
                return try await store.nonceSecrets(keeping: proposed)
            }
            #expect(Set(secrets).count == 1)
            #expect(secrets.first?.count == 1)
        },
        StorageCase(race: "a result that one handle returned is visible through every other") { handles async throws in
            _ = try await Race.run(handles) { store, task in
                try await store.signInForToken("\(task)")
                for other in handles {
                    #expect(try await other.isInForce("\(task)"))
                    #expect(try await other.refreshToken(Sample.tokenSecret("\(task) 0")) != nil)
                }
            }
        },
    ]

    /// How many of the tokens `next <task>` can still be rotated.
    private static func liveTokens(in store: any AuthorizationStorage) async throws -> Int {
        var count = 0
        for task in 0..<Race.size {
            let token = try Sample.tokenSecret("next \(task)", grant: "a")
            if try await store.liveRefreshToken(token, at: Sample.now) != nil { count += 1 }
        }
        return count
    }
}

extension AuthorizationStorage {
    /// Responds to the request of one label with the code and grant of another.
    fileprivate func issueFromRequest(
        _ request: String,
        as label: String,
        in session: SecretHash
    ) async throws -> CodeIssuance {
        try await issue(
            Sample.code(label),
            under: Sample.grant(label),
            consuming: Sample.hash("request \(request)"),
            in: session,
            by: .given,
            at: Sample.now
        )
    }
}
