// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AuthorizationServer

@Suite("Login page")
struct LoginPageTests {
    @Test func `posts the name, the password, the request and the token`() throws {
        let page = try PageReader(SamplePages.login().html())
        let form = try #require(page.all("form").first)
        #expect(form.attributes["method"] == "post")
        #expect(form.attributes["action"] == "/login")
        #expect(page.input(named: "request")?.attributes["value"] == "request-1")
        #expect(page.input(named: "csrf_token")?.attributes["value"] == "token-1")
        let names = page.all("input").filter { $0.ancestors.contains("form") }.map { $0.attributes["name"] }
        #expect(names == ["request", "csrf_token", "username", "password"])
    }

    @Test func `helps password managers and keyboards`() throws {
        let page = try PageReader(SamplePages.login().html())
        let username = try #require(page.input(named: "username")).attributes
        #expect(username["autocomplete"] == "username")
        #expect(username["autocapitalize"] == "none")
        #expect(username["spellcheck"] == "false")
        let password = try #require(page.input(named: "password")).attributes
        #expect(password["type"] == "password")
        #expect(password["autocomplete"] == "current-password")
        #expect(password["value"] == nil)
    }

    @Test func `starts in the username, and in the password when the name is known`() throws {
        let first = try PageReader(SamplePages.login().html())
        #expect(first.input(named: "username")?.attributes["autofocus"] != nil)
        let known = try PageReader(SamplePages.login(username: "alice").html())
        #expect(known.input(named: "username")?.attributes["value"] == "alice")
        #expect(known.input(named: "password")?.attributes["autofocus"] != nil)
    }

    @Test func `says who asks and describes the fields by it`() throws {
        let page = try PageReader(SamplePages.login().html())
        #expect(page.element(withID: "purpose")?.text == "to continue to Acme Notes")
        #expect(page.input(named: "username")?.attributes["aria-describedby"] == "purpose")
        #expect(page.text(of: "title") == "Sign in – Northwind ID")
    }

    @Test func `does not say which of name and password was wrong`() throws {
        let page = try PageReader(SamplePages.login(username: "alice", problem: .wrongCredentials).html())
        #expect(page.text(of: "title") == "Error: Wrong username or password – Sign in – Northwind ID")
        let summary = try #require(page.element(withID: "problem"))
        #expect(summary.attributes["role"] == "alert")
        #expect(summary.text.contains("Wrong username or password"))
        for name in ["username", "password"] {
            let attributes = try #require(page.input(named: name)).attributes
            #expect(attributes["aria-invalid"] == "true")
            #expect(attributes["aria-describedby"] == "problem")
        }
    }

    @Test func `names the fields that are missing`() throws {
        let both = try PageReader(SamplePages.login(problem: .missingFields).html())
        #expect(both.element(withID: "username-error")?.text == "Enter your username")
        #expect(both.element(withID: "password-error")?.text == "Enter your password")
        #expect(both.input(named: "username")?.attributes["aria-describedby"] == "username-error")
        let one = try PageReader(SamplePages.login(username: "alice", problem: .missingFields).html())
        #expect(one.element(withID: "username-error") == nil)
        #expect(one.input(named: "username")?.attributes["aria-invalid"] == nil)
        #expect(one.input(named: "password")?.attributes["aria-describedby"] == "password-error")
    }

    @Test func `says how long to wait and blames no field`() throws {
        let problem = LoginPage.Problem.tooManyAttempts(retryAfter: .seconds(290))
        let page = try PageReader(SamplePages.login(username: "alice", problem: problem).html())
        let summary = try #require(page.element(withID: "problem"))
        #expect(summary.text.contains("Wait 5 minutes, then try again."))
        #expect(summary.text.contains("use a browser in which you have signed in before, or ask for a new password."))
        #expect(summary.attributes["autofocus"] != nil)
        #expect(summary.attributes["tabindex"] == "-1")
        #expect(page.all("input").allSatisfy { $0.attributes["aria-invalid"] == nil })
    }

    @Test(arguments: [
        (Duration.zero, "1 second"), (.milliseconds(1001), "2 seconds"), (.seconds(-5), "1 second"),
        (.seconds(90), "90 seconds"), (.seconds(91), "2 minutes"), (.seconds(5400), "90 minutes"),
        (.seconds(5401), "2 hours"), (.seconds(Int64.max), "2562047788015216 hours"),
    ])
    func `rounds the waiting time up`(duration: Duration, words: String) {
        #expect(RetryDelayText(duration).description == words)
    }

    @Test(arguments: ["al\u{202E}ice", "alice\nbob", "a\u{200B}lice", String(repeating: "a", count: 129)])
    func `does not fill in a name it cannot show`(username: String) throws {
        let page = try PageReader(SamplePages.login(username: username).html())
        #expect(page.input(named: "username")?.attributes["value"]?.isEmpty == true)
    }
}
