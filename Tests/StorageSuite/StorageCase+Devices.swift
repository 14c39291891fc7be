// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import JOSE
import OAuthSystem
import ServerStorage
import Testing

extension StorageCase {
    static let devices: [StorageCase] = waitingDevices + answeredDevices + deviceRaces

    private static let waitingDevices: [StorageCase] = [
        StorageCase("a device authorization is found as it was stored, by either code") { store async throws in
            let bound = try Sample.device("a", thumbprint: Sample.thumbprint("key"))
            let free = try Sample.device("b")
            for device in [bound, free] {
                #expect(try await store.add(device))
                #expect(try await store.waitingDevice(ofUserCode: device.userCodeHash, at: Sample.now) == device)
            }
            #expect(try await store.deviceAuthorization(Sample.deviceSecret("a")) == bound)
            #expect(try await store.deviceAuthorization(Sample.deviceSecret("b")) == free)
            #expect(try await store.deviceAuthorization(Sample.deviceSecret("c")) == nil)
            #expect(try await store.waitingDevice(ofUserCode: bound.deviceCodeHash, at: Sample.now) == nil)
            #expect(try await store.poll("never") == .unknown)
        },
        StorageCase("a request keeps its device") { store async throws in
            try await store.waitForPerson("a")
            let stored = try await store.authorizationRequest(Sample.hash("request a"), at: Sample.now)
            #expect(try stored?.request.deviceCodeHash == Sample.deviceSecret("a").hash)
            #expect(stored?.request.deviceGrantID == Sample.grantID("a"))
        },
        StorageCase("a taken user code is rejected, a taken device code is an error") { store async throws in
            #expect(try await store.add(Sample.device("a")))
            #expect(try await !store.add(Sample.device("b", userCode: "a")))
            #expect(try await store.deviceAuthorization(Sample.deviceSecret("b")) == nil)
            await expectAlreadyStored { try await store.add(Sample.device("a", userCode: "b")) }
        },
        StorageCase("a device that polls too soon must wait five seconds more from then on") { store async throws in
            try await store.waitForPerson("a")
            var now = Sample.now
            #expect(try await store.poll("a", at: now) == .pending)
            let questions: [(after: Duration, answer: DevicePoll)] = [
                (.seconds(5), .pending), (.seconds(4), .slowDown), (.seconds(6), .slowDown), (.seconds(14), .slowDown),
                (.seconds(20), .pending), (.milliseconds(19_500), .pending), (.milliseconds(19_499), .slowDown),
            ]
            for question in questions {
                now = now + question.after
                #expect(try await store.poll("a", at: now) == question.answer, "\(question)")
            }
            #expect(try await store.poll("a", at: Sample.now) == .pending, "the clock was set back")
        },
        StorageCase("an expired device code is reported as such, and its user code is unknown") { store async throws in
            try await store.waitForPerson("a", expiresAt: Sample.now + .seconds(60))
            let end = Sample.now + .seconds(60)
            #expect(try await store.poll("a", at: end - .milliseconds(1)) == .pending)
            #expect(try await store.poll("a", at: end) == .expired)
            #expect(try await store.waitingDevice(ofUserCode: Sample.hash("user code a"), at: end) == nil)
            #expect(try await !store.allow("a", at: end))
            #expect(try await !store.deny("a", at: end))
            #expect(try await store.poll("a", at: end) == .expired)
            #expect(try await store.authorizationRequest(Sample.hash("request a"), at: end) != nil)
        },
        StorageCase("device authorizations are deleted ten minutes after they expire, allowed ones after a day") {
            store async throws in
            for label in ["a", "b", "c"] { try await store.waitForPerson(label) }
            #expect(try await store.allow("a"))
            #expect(try await store.deny("b"))
            let later = Sample.now + .seconds(1200)
            // The requests of the second and of the third device.
            #expect(try await store.deleteExpired(at: later - .milliseconds(1), limit: 100) == 2)
            #expect(try await store.poll("c", at: later) == .expired)
            #expect(try await store.deleteExpired(at: later, limit: 100) == 2)
            #expect(try await store.poll("c", at: later) == .unknown)
            #expect(try await store.add(Sample.device("d", userCode: "c")))
            let nextDay = Sample.now + .seconds(600 + 86_400)
            #expect(try await store.isInForce("a"))
            // Two devices, and the grant of the first.
            #expect(try await store.deleteExpired(at: nextDay, limit: 100) == 3)
            #expect(try await !store.isInForce("a"))
        },
        StorageCase("removing a client deletes its device authorizations") { store async throws in
            #expect(try await store.add(Sample.client()))
            for label in ["a", "b"] { try await store.waitForPerson(label) }
            #expect(try await store.allow("a"))
            #expect(try await store.removeClient(Sample.clientID, at: Sample.now))
            for label in ["a", "b"] { #expect(try await store.poll(label) == .unknown) }
            #expect(try await store.redeem(device: "a", token: "a 0") == .unknown)
            #expect(try await !store.allow("b"))
        },
    ]

    private static let answeredDevices: [StorageCase] = [
        StorageCase("an allowed device gets its tokens once; a second request revokes them") { store async throws in
            try await store.waitForPerson("a")
            #expect(try await store.redeem(device: "a", token: "a 0") == .unknown)
            #expect(try await store.allow("a"))
            #expect(try await store.authorizationRequest(Sample.hash("request a"), at: Sample.now) == nil)
            #expect(try await store.waitingDevice(ofUserCode: Sample.hash("user code a"), at: Sample.now) == nil)
            #expect(try await store.grant(Sample.grantID("a")) == Sample.grant("a"))
            for _ in 1...2 { #expect(try await store.poll("a") == .allowed) }
            #expect(try await store.redeem(device: "a", token: "a 0") == .first)
            #expect(try await store.rotate("a 0", to: "a 1", grant: "a") == .rotated)
            let later = Sample.now + .seconds(700)
            #expect(try await store.poll("a", at: later) == .allowed)
            #expect(try await store.redeem(device: "a", token: "a 2", at: later) == .replayed)
            #expect(try await !store.isInForce("a"))
            #expect(try await store.rotate("a 1", to: "a 3", grant: "a") == .unknown)
            #expect(try await store.redeem(device: "a", token: nil) == .unknown)
        },
        StorageCase("tokens that are not fetched in time are not issued") { store async throws in
            try await store.waitForPerson("a")
            #expect(try await store.allow("a"))
            let end = Sample.now + .seconds(600)
            #expect(try await store.poll("a", at: end) == .expired)
            #expect(try await store.redeem(device: "a", token: "a 0", at: end) == .unknown)
        },
        StorageCase("a denied device stays denied") { store async throws in
            try await store.waitForPerson("a")
            try await store.add(Sample.request("again"))
            #expect(try await store.deny("a"))
            #expect(try await !store.allow("a", in: "again"))
            #expect(try await !store.deny("a", in: "again"))
            for seconds in [0, 700] {
                #expect(try await store.poll("a", at: Sample.now + .seconds(seconds)) == .denied)
            }
            #expect(try await store.redeem(device: "a", token: "a 0") == .unknown)
            #expect(try await !store.isInForce("a"))
            #expect(try await store.authorizationRequest(Sample.hash("request again"), at: Sample.now) != nil)
        },
        StorageCase("a device is allowed or denied only with a pending request") { store async throws in
            try await store.waitForPerson("a")
            #expect(try await store.consumeAuthorizationRequest(Sample.hash("request a"), at: Sample.now))
            #expect(try await !store.allow("a"))
            #expect(try await !store.deny("a"))
            #expect(try await store.poll("a") == .pending)
            #expect(try await !store.isInForce("a"))
        },
        StorageCase("a device gets no tokens after the consent is withdrawn") {
            store async throws in
            try await store.waitForPerson("a")
            #expect(try await store.allow("a"))
            #expect(try await store.withdrawConsent(of: "subject", to: Sample.clientID, at: Sample.now))
            #expect(try await store.redeem(device: "a", token: "a 0") == .unknown)
        },
        StorageCase("a grant of a device lives as long as the tokens issued under it") { store async throws in
            for label in ["a", "b"] {
                try await store.waitForPerson(label)
                #expect(try await store.allow(label))
            }
            #expect(try await store.redeem(device: "a", token: nil) == .first)
            #expect(try await store.redeem(device: "b", token: "b 0") == .first)
            // As long as a replay of the code must be noticed.
            let nextDay = Sample.now + .seconds(600 + 86_400)
            #expect(try await store.deleteExpired(at: nextDay - .milliseconds(1), limit: 100) == 0)
            #expect(try await store.isInForce("a"))
            // Two devices, and the grant of the first.
            #expect(try await store.deleteExpired(at: nextDay, limit: 100) == 3)
            #expect(try await !store.isInForce("a"))
            #expect(try await store.isInForce("b"))
            #expect(try await store.rotate("b 0", to: "b 1", grant: "b") == .rotated)
        },
    ]

    private static let deviceRaces: [StorageCase] = [
        StorageCase(race: "of 64 devices with one code one gets tokens, and the replay revokes them") {
            handles in
            try await handles[0].waitForPerson("a")
            #expect(try await handles[0].allow("a"))
            let outcomes = try await Race.run(handles) { store, task in
                try await store.redeem(device: "a", token: "a \(task)")
            }
            #expect(outcomes.count(of: .first) == 1)
            #expect(outcomes.count(of: .replayed) == 1)
            #expect(outcomes.count(of: .unknown) == Race.size - 2)
            #expect(try await !handles[0].isInForce("a"))
        },
        StorageCase(race: "of 64 concurrent polls one is in time") { handles async throws in
            try await handles[0].waitForPerson("a")
            let outcomes = try await Race.run(handles) { store, _ in try await store.poll("a") }
            #expect(outcomes.count(of: .pending) == 1)
            #expect(outcomes.count(of: .slowDown) == Race.size - 1)
        },
        StorageCase(race: "a device is allowed or denied, never both") { handles async throws in
            let session = try await handles[0].signedIn()
            try await handles[0].waitForPerson("a")
            for task in 0..<Race.size { try await handles[0].add(Sample.request("of \(task)")) }
            let isWinner = try await Race.run(handles) { store, task in
                task.isMultiple(of: 2)
                    ? try await store.allow("a", in: "of \(task)", by: session)
                    : try await store.deny("a", in: "of \(task)")
            }
            #expect(isWinner.count(of: true) == 1)
            let isAllowed = try #require(isWinner.firstIndex(of: true)).isMultiple(of: 2)
            #expect(try await handles[0].isInForce("a") == isAllowed)
        },
    ]
}
