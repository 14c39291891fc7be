// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import HTTPMessage
import HTTPServer
import JOSE
import StrictJSON
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite("keybound proxy: the command")
struct ProxyCommandTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// An API, and an account that is signed in for it.
    private func signIn() async throws -> (api: ProxiedAPI, issuer: GatewayIssuer, account: SignedInAccount) {
        let (api, issuer) = (try ProxiedAPI(), try GatewayIssuer())
        return (api, issuer, try await SignedInAccount(of: issuer, for: api.origin, in: directory))
    }

    private func mode(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test(.timeLimit(.minutes(2)))
    func `a request through the socket gets token and proof, and stays the same otherwise`() async throws {
        let (api, issuer, account) = try await signIn()
        let proxy = try await RunningProxy(api.origin, in: directory)
        #expect(proxy.place == "\(directory.path)/keybound/proxy-127.0.0.1-\(api.origin.split(separator: ":")[2]).sock")
        #expect(try mode(of: proxy.place) == 0o600)
        #expect(try mode(of: directory.path + "/keybound") == 0o700)
        let answer = try await proxy.send(
            "POST /a%2Fb?x=%20y&z=",
            [
                "Authorization: Bearer stolen", "DPoP: forged", "Content-Type: text/x-own", "X-Hop: 1",
                "Connection: X-Hop",
            ],
            body: "a body"
        )
        #expect(answer.status == 418 && answer.field("X-Answer") == "yes" && answer.text == "a body")

        let request = try #require(api.requests.first)
        #expect(api.requests.count == 1)
        #expect(request.method == "POST" && request.target == "/a%2Fb?x=%20y&z=")
        #expect(request.body == Array("a body".utf8))
        #expect(request.fields.values(for: "Authorization") == ["DPoP \(account.token)"])
        #expect(request.fields.values(for: "Host") == [String(api.origin.dropFirst("http://".count))])
        #expect(request.fields.values(for: "Content-Type") == ["text/x-own"])
        #expect(request.fields["X-Hop"] == nil)
        let proofs = request.fields.values(for: "DPoP")
        #expect(proofs.count == 1)
        let claims = try CompactJWS(parsing: try #require(proofs.first)).payloadObject()
        #expect(claims["htm"] == "POST" && claims["htu"]?.stringValue == api.origin + "/a%2Fb")

        let moved = try await proxy.send("GET /moved")
        #expect(moved.status == 307 && moved.field("Location") == "https://elsewhere.example/")
        let second = try #require(api.requests.last?.fields["DPoP"])
        #expect(second != proofs.first)
        let elsewhere = try await proxy.send("GET https://elsewhere.example/")
        #expect(elsewhere.status == 400)
        let strict = try await proxy.send("GET /strict")
        #expect(strict.status == 401 && strict.text.contains("sign in first: keybound login"))
        #expect(strict.text.hasSuffix(" --max-age 1m --acr mfa\n"), Comment(rawValue: strict.text))
        let challenge = #"DPoP error="insufficient_user_authentication", acr_values="mfa", max_age="60""#
        #expect(strict.field("WWW-Authenticate") == challenge)
        #expect(api.requests.count == 3)

        let result = await proxy.stop()
        #expect(result.status == 0, Comment(rawValue: result.errors))
        #expect(!FileManager.default.fileExists(atPath: proxy.place))
        #expect(!(result.output + result.errors).contains(account.token))
        await api.stop()
        await issuer.stop()
    }

    @Test(.timeLimit(.minutes(2)))
    func `a port demands the secret, and pages of a browser get nothing`() async throws {
        let (api, issuer, _) = try await signIn()
        let proxy = try await RunningProxy(api.origin, in: directory, options: ["--port", "0"])
        #expect(proxy.place.hasPrefix("http://127.0.0.1:"))
        let secret = "Keybound-Proxy-Secret: \(try await proxy.secret())"
        #expect(try await proxy.send("GET /notes").status == 403)
        #expect(try await proxy.send("GET /notes", ["Keybound-Proxy-Secret: guessed"]).status == 403)
        #expect(try await proxy.send("GET /notes", [secret, "Origin: https://evil.example"]).status == 403)
        #expect(try await proxy.send("GET /notes", [secret, "Host: evil.example"]).status == 403)
        #expect(api.requests.isEmpty)
        #expect(try await proxy.send("GET /notes", [secret]).status == 418)
        #expect(api.requests.count == 1)
        #expect(api.requests.first?.fields["Keybound-Proxy-Secret"] == nil)

        // Another start has another secret.
        let another = try RunningProxy.start(api.origin, in: directory, options: ["--port", "0", "--json"])
        _ = try await another.line(beginningWith: "}")
        another.terminate()
        let result = await another.result()
        let facts = try JSONValue(parsing: Array(result.output.utf8)).objectValue
        #expect(facts?["origin"]?.stringValue == api.origin)
        #expect(facts?["issuer"]?.stringValue == issuer.address)
        #expect(facts?["account"]?.stringValue == SignedInAccount.name)
        #expect(facts?["address"]?.stringValue?.hasPrefix("http://127.0.0.1:") == true)
        let other = try #require(facts?["secret"]?.stringValue)
        #expect(other.utf8.count == 43)
        #expect(!secret.hasSuffix(other))
        _ = await proxy.stop()
        await api.stop()
        await issuer.stop()
    }

    @Test func `at a port, few requests are in memory before their secret is checked`() {
        #expect(RunProxy.limits(hasSecret: true).connections == 16)
        #expect(RunProxy.limits(hasSecret: false).connections == 256)
    }

    @Test(.timeLimit(.minutes(2)))
    func `a body in chunks is sent on with its length`() async throws {
        let (api, issuer, _) = try await signIn()
        let proxy = try await RunningProxy(api.origin, in: directory)
        let answer = try await proxy.send(
            raw: "PUT /notes HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
        )
        #expect(answer.status == 418 && answer.text == "abc")
        #expect(api.requests.first?.fields["Content-Length"] == "3")
        _ = await proxy.stop()
        await api.stop()
        await issuer.stop()
    }

    @Test(.timeLimit(.minutes(2)))
    func `a socket that nobody listens at is replaced, one with a listener is not`() async throws {
        let (api, issuer, _) = try await signIn()
        let first = try await RunningProxy(api.origin, in: directory)
        let second = try await RunningProxy.start(api.origin, in: directory).result()
        #expect(second.status == 3 && second.errors.contains("another program listens there"))
        #expect(second.errors.contains("hint: --socket FILE or --port N listens elsewhere\n"))
        #expect(try await first.send("GET /notes").status == 418)
        let elsewhere = try await RunningProxy(api.origin, in: directory, options: ["--socket", "own.sock"])
        #expect(elsewhere.place.hasSuffix("/own.sock"))
        #expect(try mode(of: elsewhere.place) == 0o600)
        #expect(try await elsewhere.send("GET /notes").status == 418)
        _ = await elsewhere.stop()

        first.process.kill()
        _ = await first.process.result()
        #expect(FileManager.default.fileExists(atPath: first.place))
        let third = try await RunningProxy(api.origin, in: directory)
        #expect(third.place == first.place)
        #expect(try await third.send("GET /notes").status == 418)
        _ = await third.stop()
        await api.stop()
        await issuer.stop()
    }

    @Test(.timeLimit(.minutes(2)))
    func `an origin that the account did not sign in for needs a permission`() async throws {
        let (api, issuer, _) = try await signIn()
        let other = try ProxiedAPI()
        let options = ["--account", SignedInAccount.name]
        let refused = try await RunningProxy.start(other.origin, in: directory, options: options).result()
        #expect(refused.status == 2 && refused.errors.contains("add --allow-origin \(other.origin)\n"))
        let proxy = try await RunningProxy(
            other.origin,
            in: directory,
            options: options + ["--allow-origin", other.origin]
        )
        #expect(try await proxy.send("GET /notes").status == 418)
        #expect(api.requests.isEmpty)
        _ = await proxy.stop()
        await other.stop()
        await api.stop()
        await issuer.stop()
    }
}
#endif
