// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import OAuthCore
import OAuthSystem
import ServerStorage
import Testing

/// Many answers to one step, and one answer sent again.
extension StorageCase {
    static let firstPartyRaces: [StorageCase] = [
        StorageCase(race: "of 64 answers to one step one is taken") { handles async throws in
            try await handles[0].begin(Sample.firstParty("a"))
            let outcomes = try await Race.run(handles) { store, task async throws in
                try await store.advance("a", from: 0, to: Sample.firstParty("a", value: task + 1))
            }
            #expect(outcomes.count(of: true) == 1)
            let winner = try #require(outcomes.firstIndex(of: true))
            #expect(try await handles[0].firstParty("a") == Sample.firstParty("a", value: winner + 1))
        },
        StorageCase(race: "of 64 right answers one gets a code") { handles async throws in
            #expect(try await handles[0].add(Sample.account))
            try await handles[0].begin(Sample.firstParty("a"))
            let outcomes = try await Race.run(handles) { store, task async throws in
                let next = try Sample.finished("a", value: task + 1, grant: "\(task)")
                return try await store.finish("a", as: next, code: "\(task)")
            }
            #expect(outcomes.count(of: .issued) == 1)
            #expect(outcomes.count(of: .lost) == Race.size - 1)
            #expect(try await handles[0].grants(of: "subject").count == 1)
        },
        StorageCase(race: "of an answer, a right one and the way to the browser one comes first") {
            handles async throws in
            #expect(try await handles[0].add(Sample.account))
            try await handles[0].begin(Sample.firstParty("a"))
            let outcomes = try await Race.run(handles) { store, task async throws in
                switch task % 3 {
                case 0: return try await store.advance("a", from: 0, to: Sample.firstParty("a", value: task + 1))
                case 1:
                    let next = try Sample.finished("a", value: task + 1, grant: "\(task)")
                    return try await store.finish("a", as: next, code: "\(task)") == .issued
                default: return try await store.leave("a", storing: Sample.request("a \(task)"))
                }
            }
            #expect(outcomes.count(of: true) == 1)
            let winner = try #require(outcomes.firstIndex(of: true))
            #expect(try await handles[0].grants(of: "subject").count == (winner % 3 == 1 ? 1 : 0))
            for task in 0..<Race.size where task % 3 == 2 {
                let hash = Sample.hash("request a \(task)")
                #expect(try await (handles[0].authorizationRequest(hash, at: Sample.now) != nil) == (task == winner))
            }
        },
        StorageCase(race: "right answers racing a new password or a removal leave no code behind") {
            handles async throws in
            let new = PasswordHash(stored: "$scrypt$ln=14,r=8,p=5$c2FsdA$bmV3")
            for removes in [false, true] {
                #expect(try await handles[0].add(Sample.account))
                let labels = (0..<Race.size).map { "\(removes ? "b" : "a")\($0)" }
                for label in labels { try await handles[0].begin(Sample.firstParty(label)) }
                let outcomes = try await Race.run(handles) { store, task async throws in
                    guard task != Race.size / 2 else {
                        if removes {
                            #expect(try await store.removeUser("subject", at: Sample.now))
                        } else {
                            #expect(try await store.setPassword(new, of: "subject"))
                        }
                        return FirstPartyCompletion.lost
                    }
                    return try await store.finish(labels[task])
                }
                // Whoever came before has no session any more, and whoever came after has no code.
                for (label, outcome) in zip(labels, outcomes) {
                    let session = try await handles[0].firstParty(label)
                    #expect(session?.isFinished != true)
                    let code = try await handles[0].code(Sample.codeSecret(label))
                    #expect((code != nil) == (outcome == .issued))
                }
                if removes { #expect(try await handles[0].grants(of: "subject").isEmpty) }
                _ = try await handles[0].removeUser("subject", at: Sample.now)
            }
        },
        StorageCase("again: a session that was stored is stored once") { store async throws in
            for _ in 1...2 { try await store.begin(Sample.firstParty("a")) }
            #expect(try await store.firstParty("a") == Sample.firstParty("a"))
        },
        StorageCase("again: a step that was taken is taken, and changes nothing more") { store async throws in
            try await store.begin(Sample.firstParty("a"))
            let next = try Sample.firstParty("a", value: 1, wrongAnswers: 1)
            for _ in 1...2 { #expect(try await store.advance("a", from: 0, to: next)) }
            #expect(try await store.firstParty("a") == next)
        },
        StorageCase("again: a code that was issued without a browser is issued") {
            store async throws in
            #expect(try await store.add(Sample.account))
            try await store.begin(Sample.firstParty("a"))
            for _ in 1...2 {
                #expect(try await store.finish("a") == .issued)
            }
            #expect(try await store.grants(of: "subject").count == 1)
        },
        StorageCase("again: a session that was left is left, by the same attempt alone") { store async throws in
            try await store.begin(Sample.firstParty("a"))
            let (request, recording) = (try Sample.request("a"), Recording.unique)
            for _ in 1...2 {
                let hasLeft = try await store.leave(
                    Sample.grantID("session a"),
                    from: Sample.hash("a 0"),
                    storing: request,
                    recording: recording,
                    at: Sample.now
                ).outcome()
                #expect(hasLeft)
            }
            #expect(try await !store.leave("a", storing: request))
        },
    ]
}
