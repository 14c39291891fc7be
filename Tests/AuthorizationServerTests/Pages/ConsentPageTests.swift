// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AuthorizationServer

@Suite("Consent page")
struct ConsentPageTests {
    @Test func `asks with the client in the heading and the user below it`() throws {
        let page = try PageReader(SamplePages.consent().html())
        #expect(page.text(of: "h1") == "Allow Acme Notes to use your account?")
        #expect(page.text(of: "main")?.contains("Signed in asalice") == true)
        #expect(page.text(of: "title") == "Allow access? – Northwind ID")
    }

    @Test func `offers switch, deny and allow in forms that carry request and token`() throws {
        let page = try PageReader(SamplePages.consent().html())
        #expect(page.all("form").map { $0.attributes["action"] } == ["/consent", "/consent"])
        let buttons = page.all("button")
        #expect(buttons.allSatisfy { $0.attributes["name"] == "decision" && $0.ancestors.contains("form") })
        #expect(buttons.map { $0.attributes["value"] } == ["switch", "deny", "allow"])
        for name in ["request", "csrf_token"] {
            let values = page.all("input").filter { $0.attributes["name"] == name }.map { $0.attributes["value"] }
            #expect(values == [String?](repeating: name == "request" ? "request-1" : "token-1", count: 2))
        }
        // The first button of its own form is the one that Enter presses: Deny.
        #expect(buttons.map { $0.attributes["form"] } == ["switch", nil, nil])
        #expect(page.all("form").map { $0.attributes["id"] } == [nil, "switch"])
        // Enter, pressed by habit, must not allow.
        #expect(page.elements.allSatisfy { $0.attributes["autofocus"] == nil })
    }

    @Test func `describes the well-known scopes and shows the others as code`() throws {
        let scopes = ["openid", "profile", "email", "offline_access", "api:read"].map { ScopeText(name: $0) }
        let page = try PageReader(SamplePages.consent(scopes: scopes).html())
        #expect(
            page.all("li").map(\.text) == [
                "Recognise you when you sign in", "See your name and basic profile", "See your email address",
                "Keep this access while you are away", "api:read",
            ]
        )
        #expect(page.all("code").map(\.text) == ["api:read"])
    }

    @Test func `shows what the operator says with the name of the scope`() throws {
        let scope = ScopeText(name: "notes:write", description: "Change your notes")
        let page = try PageReader(SamplePages.consent(scopes: [scope]).html())
        #expect(page.all("li").map(\.text) == ["Change your notesnotes:write"])
        #expect(page.all("code").map(\.text) == ["notes:write"])
    }

    @Test func `says so when nothing in particular is asked for`() throws {
        let page = try PageReader(SamplePages.consent(scopes: []).html())
        #expect(page.all("ul").isEmpty)
        #expect(page.text(of: "h2") == "It asks for no particular permission")
    }

    @Test func `names the APIs that the client named, and none when it named none`() throws {
        let hostile = "https://b.example/<b>\"\u{202E}"
        let page = try PageReader(SamplePages.consent(resources: ["https://a.example/notes", hostile]).html())
        let names = page.all("ul").filter { $0.attributes["aria-labelledby"] == "places" }
        #expect(names.count == 1)
        #expect(page.all("h2").map(\.text) == ["It would be able to", "Only there"])
        #expect(page.all("code").map(\.text).contains("https://a.example/notes"))
        #expect(page.all("b").isEmpty && page.text(of: "main")?.contains("\u{202E}") == false)
        let plain = try PageReader(SamplePages.consent().html())
        #expect(plain.all("h2").map(\.text) == ["It would be able to"])
    }

    @Test(arguments: ["127.0.0.1", "127.1.2.3", "[::1]", "localhost"])
    func `calls a loopback address this device`(host: String) throws {
        let page = try PageReader(SamplePages.consent(host: host).html())
        #expect(page.text(of: "form")?.contains("After that you go to an app on this device (\(host)).") == true)
    }

    @Test(arguments: ["127.0.0.1.evil.example", "127.evil.example", "127.0.0.+1", "10.0.0.1", "localhost.evil.example"])
    func `does not call another host this device`(host: String) throws {
        let page = try PageReader(SamplePages.consent(host: host).html())
        #expect(page.text(of: "strong") == host)
        #expect(page.text(of: "form")?.contains("this device") == false)
    }

    @Test func `names the app behind a private-use scheme`() throws {
        let page = try PageReader(SamplePages.consent(host: "com.example.app:", scopes: []).html())
        #expect(page.text(of: "code") == "com.example.app:")
    }

    @Test func `keeps the end of a host, which says whose it is`() throws {
        let host = "accounts.northwind.example." + String(repeating: "a", count: 400) + ".evil.example"
        let shown = try #require(try PageReader(SamplePages.consent(host: host).html()).text(of: "strong"))
        #expect(shown.hasPrefix("\u{2026}"))
        #expect(shown.hasSuffix(".evil.example"))
        #expect(shown.unicodeScalars.count == 253)
    }
}
