// SPDX-License-Identifier: Apache-2.0

import DPoP
import Foundation
import FoundationNetworking
import HTTPMessage
import HTTPServer
import OAuthClient
import OAuthCore
import OAuthTransport
import SigningKeys
import Synchronization
import Testing

@testable import KeyboundCommand

/// What the documents show is run here, line by line as it stands there, at real servers.
///
/// What a reader has and a test has not is played by others of the same names: the address of the server, the browser.
@Suite("The code of the documents, run")
struct ArticleTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test func `the sign-in of the README`() async throws {
        let servers = try await DemoServers.start(port: 0) { _ in }
        let app = try DemoApp(servers: servers, usesBrowser: false, transcript: .silent)
        let api = try #require(URL(string: servers.apiAddress + "/notes"))
        // Named like the type that the README makes.
        // swift-format-ignore: AlwaysUseLowerCamelCase
        func OAuth2Client(issuer: String, clientID: String, redirectURI: String) throws -> StagedClient {
            #expect(redirectURI == DemoApp.redirectURI)
            return StagedClient(app: app)
        }
        // run: README.md, SignIn.md
        let client = try OAuth2Client(
            issuer: "https://auth.example.com",
            clientID: "my-app",
            redirectURI: "http://127.0.0.1/callback"
        )
        let session = try await client.signIn(scopes: ["notes:read"], using: .systemBrowser)
        let (data, response) = try await session.data(for: URLRequest(url: api))
        // end
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(String(decoding: data, as: UTF8.self).contains("\"owner\""))
        await session.signOut()
        await servers.stop()
    }

    @Test func `the steps one by one`() async throws {
        let servers = try await DemoServers.start(port: 0) { _ in }
        let browser = try StagedBrowser(servers)
        let client = try browser.client(servers)
        let show = browser.show
        // run: SignIn.md: Step by step
        let request = try await client.initiateAuthorization(scopes: ["notes:read"])
        let callbackURL = await show(request.url)
        let response = try await client.parseAuthorizationResponse(callbackURL)
        let tokens = try await client.exchangeAuthorizationCode(response)
        let session = try await client.startSession(with: tokens)
        // end
        let api = try #require(URL(string: servers.apiAddress + "/notes"))
        let (_, answer) = try await session.data(for: URLRequest(url: api))
        #expect((answer as? HTTPURLResponse)?.statusCode == 200)
        await browser.close()
        await servers.stop()
    }

    @Test func `the flow of other guides`() async throws {
        let servers = try await DemoServers.start(port: 0) { _ in }
        let browser = try StagedBrowser(servers)
        let keyStore = MemoryKeyStore()
        let client = try browser.client(servers, keyStore: keyStore)
        let show: @Sendable (String) async throws -> String = browser.show
        let api = servers.apiAddress + "/notes"
        let transport = URLSessionTransport()
        // run: FromOtherGuides.md
        let metadata = try await client.fetchAuthorizationServerMetadata()
        print(metadata.issuer)

        let request = try await client.initiateAuthorization(scopes: ["notes:read"])
        let callbackURL = try await show(request.url)
        let response = try await client.parseAuthorizationResponse(callbackURL)
        var tokens = try await client.exchangeAuthorizationCode(response)
        tokens = try await client.refreshAccessToken(tokens)

        let alias = try KeyAlias("dpop-" + client.account.identifier)
        let context = DPoPContext(key: try await keyStore.loadOrGenerate(alias: alias))
        var answer: HTTPResponse
        var isNewNonce: Bool
        repeat {
            let proof = try await context.proof(
                method: "GET",
                uri: URI(parsing: api),
                accessToken: tokens.accessToken.value,
                role: .resourceServer
            )
            let call = HTTPRequest(
                method: "GET",
                target: api,
                fields: ["Authorization": "DPoP \(tokens.accessToken.value)", "DPoP": proof.value]
            )
            answer = try await transport.send(call, maximumBodySize: 65_536)
            isNewNonce = context.learn(from: answer.fields, for: proof)
        } while answer.status == 401 && isNewNonce

        try await client.revoke(tokens.accessToken)
        // end
        #expect(answer.status == 200)
        await browser.close()
        await servers.stop()
    }

    @Test func `what is run is what the documents say`() throws {
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let runs = source.split(separator: "// run: ").dropFirst().compactMap(Run.init)
        #expect(runs.map(\.places.count) == [2, 1, 1])
        for run in runs {
            for place in run.places { #expect(try Self.code(at: place) == Run.plain(run.code), "\(place)") }
        }
    }

    /// The code of the first fence of a document, or of the first below a heading: `SignIn.md: Step by step`.
    private static func code(at place: String) throws -> String {
        let parts = place.split(separator: ": ").map(String.init)
        let name = try #require(parts.first)
        let folder = name == "README.md" ? "" : "Sources/OAuthClient/Documentation.docc/"
        let document = try String(contentsOf: root.appendingPathComponent(folder + name), encoding: .utf8)
        let heading = parts.count > 1 ? "\n### \(parts[1])\n" : "# "
        let start = try #require(document.firstRange(of: heading)?.upperBound)
        let fence = try #require(document[start...].split(separator: "\n```swift\n").dropFirst().first)
        return Run.plain(try #require(fence.split(separator: "\n```").first))
    }
}

/// A part of this file that stands in documents too.
private struct Run {
    let places: [String]
    let code: Substring

    init?(_ text: Substring) {
        guard let end = text.firstRange(of: "// end\n")?.lowerBound, let line = text.firstIndex(of: "\n") else {
            return nil
        }
        places = text[..<line].split(separator: ", ").map(String.init)
        code = text[line..<end]
    }

    /// Code without imports, remarks and white space.
    static func plain(_ code: some StringProtocol) -> String {
        code.split(separator: "\n").filter { !$0.hasPrefix("import ") }.map { line -> String in
            let start = line.firstRange(of: "// ")?.lowerBound ?? line.endIndex
            return String(line[..<start].filter { !$0.isWhitespace })
        }.joined()
    }
}

/// The client of the demo, whose browser is one without a window.
private struct StagedClient {
    enum Browser {
        case systemBrowser
    }

    let app: DemoApp

    func signIn(scopes: [String], using browser: Browser) async throws -> OAuthSession {
        try await app.client.signIn(scopes: scopes, using: app.userAgent)
    }
}

/// A browser without a window, and where it ends up: the browser of an app that takes the steps itself.
private struct StagedBrowser {
    private let walker: HeadlessBrowser
    private let listener: HTTPListener
    private let targets: Targets

    final class Targets: Sendable {
        private let last = Mutex("")

        var value: String { last.withLock { $0 } }

        func set(_ target: String) {
            last.withLock { $0 = target }
        }
    }

    init(_ servers: DemoServers) throws {
        let targets = Targets()
        self.targets = targets
        listener = try HTTPListener(port: 0) { request in
            targets.set(request.target)
            return HTTPResponse(status: 200)
        }
        let answers = ["username": DemoServers.username, "password": servers.password]
        walker = HeadlessBrowser(answers: answers, transcript: .silent)
    }

    func client(_ servers: DemoServers, keyStore: MemoryKeyStore = MemoryKeyStore()) throws -> OAuth2Client {
        try OAuth2Client(
            issuer: servers.issuer,
            clientID: DemoServers.clientID,
            redirectURI: "http://127.0.0.1:\(listener.port)/callback",
            configuration: .allowingInsecureHTTPOnLoopback,
            keyStore: keyStore
        )
    }

    @Sendable func show(_ url: String) async -> String {
        try? await walker.open(url)
        return "http://127.0.0.1:\(listener.port)" + targets.value
    }

    func close() async {
        await listener.stop(draining: .zero)
    }
}
