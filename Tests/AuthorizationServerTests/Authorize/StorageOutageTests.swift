// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import ServerStorage
import TestSupport
import Testing

@Suite("A storage that fails while it stores an authorization request, RFC 6749 section 4.1.2.1")
struct StorageOutageTests {
    private let storage = CountedStorage(MemoryAuthorizationStorage())

    private func failNextChange() {
        storage.beforeNextChange { throw StorageError(.busy, "another process has locked the database") }
    }

    @Test func `a user who is not signed in sees that the server is busy, and for how long`() async throws {
        let server = try await ServerUnderTest.inMemory(storage: storage)
        let client = try FakeClient(server)
        failNextChange()
        let page = await FakeBrowser(server).get(client.directTarget(client.attempt()))
        expect(page, isErrorPageWith: "server_error", status: 503)
        #expect(page.fields["Retry-After"] == "2")
        #expect(page.text.contains("The server cannot respond right now"))
        #expect(!page.text.contains("tell the people who make the app"))
        #expect(try page.callback()["error"] == "server_error")
        // It was over at once.
        #expect(await FakeBrowser(server).get(client.directTarget(client.attempt())).status == 200)
    }

    @Test func `the client of a user who is signed in gets the error`() async throws {
        let server = try await ServerUnderTest.inMemory(storage: storage)
        let client = try FakeClient(server)
        let browser = try await server.signedInBrowser()
        failNextChange()
        let answer = await browser.get(client.directTarget(client.attempt()))
        #expect(answer.status == 303 && answer.fields["Retry-After"] == nil)
        #expect(try answer.callback()["error"] == "server_error")
    }

    @Test func `a request with a fault of its own is still the fault of the app`() async throws {
        let server = try await ServerUnderTest.inMemory(storage: storage)
        let client = try FakeClient(server)
        var attempt = client.attempt()
        attempt.parameters = attempt.parameters.with("scope", "admin")
        let page = await FakeBrowser(server).get(client.directTarget(attempt))
        expect(page, isErrorPageWith: "invalid_scope")
        #expect(page.fields["Retry-After"] == nil && page.text.contains("tell the people who make the app"))
    }
}
