// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import ServerStorage
import TestSupport
import Testing

@testable import AuthorizationServer

@Suite("A browser that comes without an app")
struct UnexpectedVisitTests {
    private static let accept: HTTPFields = ["Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"]

    @Test(arguments: [
        ("/", 200, "This is Keybound"), ("/login", 200, "Start in your app"), ("/nowhere", 404, "Page not found"),
        ("/nowhere?x=%3Cscript%3E", 404, "Page not found"),
    ])
    func `gets a page`(target: String, status: Int, heading: String) async throws {
        let server = try await ServerUnderTest.inMemory()
        let response = await server.send(HTTPRequest(target: target, fields: Self.accept))
        #expect(response.status == status)
        let page = try PageReader(response.text)
        #expect(page.text(of: "h1") == heading)
        #expect(!response.text.contains("script>"))
    }

    @Test(arguments: ["/", "/login", "/nowhere"])
    func `programs get a text, and forms go nowhere`(target: String) async throws {
        let server = try await ServerUnderTest.inMemory()
        for fields in [["Accept": "*/*"], [:], ["Accept": "application/json, text/htmlx"]] as [HTTPFields] {
            let response = await server.send(HTTPRequest(target: target, fields: fields))
            #expect(response.status == (target == "/login" ? 405 : 404))
            #expect(response.fields["Content-Type"]?.hasPrefix("text/plain") == true)
        }
        let posted = await server.send(.form("/nowhere", [:], fields: Self.accept))
        #expect(posted.status == 404)
    }

    @Test func `an error page names its request, as the log does`() async throws {
        let configuration = ServerConfiguration(
            issuer: try URI(parsing: ServerUnderTest.issuer),
            audience: ServerUnderTest.audience,
            scopes: []
        )
        let engine = try AuthorizationEngine(
            configuration: configuration,
            storage: MemoryAuthorizationStorage(),
            signingKey: TestKey.p256(1),
            replay: MemoryReplayStore(),
            nonceSecrets: [DPoPNonceSecret(entropy: SeededEntropy())]
        )
        for target in ["/nowhere", "/authorize?client_id=nobody"] {
            let request = HTTPRequest(target: target, fields: Self.accept)
            let response = await engine.respond(to: request, trace: RequestTrace(id: "id-of-the-request"))
            let page = try PageReader(String(decoding: response.body, as: UTF8.self))
            #expect(page.text(of: "footer") == "Reference: id-of-the-request")
        }
    }

    @Test func `no two kinds of errors have the same title`() {
        #expect(Set(ErrorPage.Kind.allCases.map(\.title)).count == ErrorPage.Kind.allCases.count)
    }

    @Test func `a form that is sent again, and one without its cookie, say what happened`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let browser = try await server.signedInBrowser()
        let client = try FakeClient(server)
        let page = await browser.get(try await client.pushedTarget(client.attempt()))
        let form = try FakeBrowser.form(of: page)
        #expect(try await browser.decide("deny", on: page).status == 303)
        let again = try PageReader(try await browser.decide("deny", on: page).text)
        #expect(again.text(of: "h1") == "This sign-in has ended")
        let without = await server.send(.form(form.action, form.hidden, fields: ["Origin": ServerUnderTest.issuer]))
        #expect(try PageReader(without.text).text(of: "h1") == "Cookies are off")
    }

    @Test func `HEAD is rejected where GET does something`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let browser = try await server.signedInBrowser()
        let target = try await client.pushedTarget(client.attempt())
        let head = await browser.send(HTTPRequest(method: "HEAD", target: target))
        #expect(head.status == 405)
        #expect(head.fields["Allow"] == "GET, POST")
        #expect(await browser.get(target).status == 200, "the request is not used up")
        for path in ["/.well-known/oauth-authorization-server", "/jwks"] {
            #expect(await server.send(HTTPRequest(method: "HEAD", target: path)).status == 200)
        }
    }

    @Test(arguments: ["/jwks", "/nowhere", "/authorize", "/login", "/token"])
    func `every answer asks for TLS from now on`(target: String) async throws {
        let server = try await ServerUnderTest.inMemory()
        #expect(await server.get(target).fields["Strict-Transport-Security"] == "max-age=31536000")
        #expect(await server.post(target, [:]).fields["Strict-Transport-Security"] == "max-age=31536000")
    }
}
