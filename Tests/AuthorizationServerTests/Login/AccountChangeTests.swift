// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import ServerStage
import ServerStorage
import TestSupport
import Testing

/// What an operator does to an account between the moment at which a request of a browser reads it and the change that the
/// request causes, in a fixed order.
@Suite("Accounts that change during a sign-in in the browser", .overSocketsOnEveryStore)
struct AccountChangeTests {
    /// A change that comes between.
    enum Change: String, CaseIterable {
        case newPassword, removal
    }

    private let storage: CountedStorage
    private let events = RecordedEvents()
    private let server: ServerUnderTest

    init() async throws {
        storage = CountedStorage(try await ServerStage.storage())
        server = try await FakeDevice.server(audit: events, storage: storage)
    }

    private func carryOut(_ change: Change) async throws {
        switch change {
        case .newPassword:
            #expect(try await storage.setPassword(PasswordHash(stored: "$none$x"), of: "subject-of-ada"))
        case .removal:
            #expect(try await storage.removeUser("subject-of-ada", at: server.clock.now()))
        }
    }

    @Test(arguments: Change.allCases)
    func `a password that was checked before the account changed starts no session`(change: Change) async throws {
        let (browser, client) = (FakeBrowser(server), try FakeClient(server))
        let page = await browser.get(try await client.pushedTarget(client.attempt()))
        storage.beforeNextChange { try await carryOut(change) }
        let answer = try await browser.logIn(on: page)
        #expect(answer.status == 403)
        #expect(answer.text.contains("Wrong username or password"))
        #expect(answer.fields["Set-Cookie"] == nil)
        let kinds = events.all.map(\.kind)
        #expect(kinds.contains(.signInFailed) && !kinds.contains(.signInSucceeded))
        #expect(try await browser.get(client.pushedTarget(client.attempt())).text.contains("password"))
    }

    @Test(arguments: Change.allCases)
    func `a decision that was read before the account changed issues no code and remembers no consent`(
        change: Change
    ) async throws {
        let (browser, client) = (try await server.signedInBrowser(), try FakeClient(server))
        let page = await browser.get(try await client.pushedTarget(client.attempt()))
        storage.beforeNextChange { try await carryOut(change) }
        let answer = try await browser.submit(page, ["decision": "allow", "remember": "yes"])
        #expect(try await browser.follow(answer).text.contains("password"))
        #expect(try await storage.grants(of: "subject-of-ada").isEmpty)
        #expect(try await storage.consents(of: "subject-of-ada").isEmpty)
    }

    @Test(arguments: Change.allCases)
    func `a device whose user's account changed before the decision was stored is not allowed`(
        change: Change
    ) async throws {
        let (browser, device) = (try await server.signedInBrowser(), try await FakeDevice.start(server))
        let page = try await device.consentPage(in: browser)
        storage.beforeNextChange { try await carryOut(change) }
        expect(try await browser.decide("allow", on: page), isErrorPageWith: "invalid_request_uri")
        #expect(try await storage.grants(of: "subject-of-ada").isEmpty)
        expect(try await device.poll(), isError: "authorization_pending")
    }
}
