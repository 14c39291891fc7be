// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import OAuthSystem
import ServerStorage
import Testing

extension StorageCase {
    static let attempts: [StorageCase] = [
        StorageCase("what a rule stores about a key is what the next rule sees, and other keys have nothing") {
            store async throws in
            let (ada, bob) = (AttemptKey("test", "ada"), AttemptKey("test", "bob"))
            let state = AttemptState(count: 3, time: Sample.now, expiresAt: Sample.now + .seconds(60))
            let first = try await store.changeAttempts(of: [ada], at: Sample.now) { states in
                defer { states[0] = state }
                return states[0]
            }
            #expect(first == nil)
            #expect(try await store.states(of: [bob, ada], at: Sample.now) == [nil, state])
            try await store.changeAttempts(of: [bob, ada], at: Sample.now) { states in
                states = [AttemptState(count: 1, time: Sample.now, expiresAt: Sample.now + .seconds(60)), nil]
            }
            let states = try await store.states(of: [ada, bob], at: Sample.now)
            #expect(states.map { $0?.count } == [nil, 1])
        },
        StorageCase("a state that has expired is not seen, and replaced as if there were none") { store async throws in
            let key = AttemptKey("test")
            let end = Sample.now + .seconds(60)
            #expect(try await store.countOne(key, at: Sample.now, until: end) == 1)
            #expect(try await store.countOne(key, at: end - .milliseconds(1), until: end) == 2)
            #expect(try await store.countOne(key, at: end, until: end + .seconds(60)) == 1)
            #expect(try await store.countOne(key, at: end, until: end + .seconds(60)) == 2)
        },
        StorageCase("attempts are deleted when they expire") { store async throws in
            let end = Sample.now + .seconds(60)
            _ = try await store.countOne(AttemptKey("test", "ada"), at: Sample.now, until: end)
            _ = try await store.countOne(AttemptKey("test", "bob"), at: Sample.now, until: end + .milliseconds(1))
            #expect(try await store.deleteExpired(at: end - .milliseconds(1), limit: 100) == 0)
            #expect(try await store.deleteExpired(at: end, limit: 100) == 1)
            #expect(try await store.deleteExpired(at: end + .milliseconds(1), limit: 100) == 1)
        },
        StorageCase(race: "of 64 attempts at once each is counted, through whichever handle") { handles async throws in
            let keys = (0..<3).map { AttemptKey("test", "\($0)") }
            let end = Sample.now + .seconds(60)
            let counts = try await Race.run(handles) { store, task in
                // In another order each time: two that lock the same keys must not wait for each other.
                let order = task.isMultiple(of: 2) ? keys : keys.reversed()
                return try await store.changeAttempts(of: order, at: Sample.now) { states in
                    for index in states.indices {
                        let count = (states[index]?.count ?? 0) + 1
                        states[index] = AttemptState(count: count, time: Sample.now, expiresAt: end)
                    }
                    return states.map { $0?.count ?? 0 }
                }
            }
            #expect(counts.map { $0[1] }.sorted() == Array(1...Race.size))
            let states = try await handles[0].states(of: keys, at: Sample.now)
            #expect(states.map { $0?.count } == Array(repeating: Race.size, count: 3))
        },
        StorageCase(race: "of 64 attempts at once a limit lets as many through as it says") { handles async throws in
            let key = AttemptKey("test")
            let admitted = try await Race.run(handles) { store, _ in
                try await store.changeAttempts(of: [key], at: Sample.now) { states in
                    let count = states[0]?.count ?? 0
                    guard count < 10 else { return false }
                    states[0] = AttemptState(count: count + 1, time: Sample.now, expiresAt: Sample.now + .seconds(60))
                    return true
                }
            }
            #expect(admitted.count(of: true) == 10)
        },
    ]
}

extension AttemptStore {
    fileprivate func states(of keys: [AttemptKey], at now: Timestamp) async throws -> [AttemptState?] {
        try await changeAttempts(of: keys, at: now) { $0 }
    }

    fileprivate func countOne(_ key: AttemptKey, at now: Timestamp, until end: Timestamp) async throws -> Int {
        try await changeAttempts(of: [key], at: now) { states in
            let count = (states[0]?.count ?? 0) + 1
            states[0] = AttemptState(count: count, time: now, expiresAt: end)
            return count
        }
    }
}
