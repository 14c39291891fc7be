// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient
import Testing

@Suite("Tokens go to the origins that the app allows")
struct AllowedOriginsTests {
    private static func session(_ origins: Set<String>?) async throws -> (SignInFixture, OAuthSession) {
        let fixture = try SignInFixture { $0.allowedOrigins = origins }
        return (fixture, try await fixture.session())
    }

    @Test(
        arguments: [
            nil, ["https://auth.example"], ["https://AUTH.example:443/"],
            ["https://other.example", "https://auth.example"],
        ] as [Set<String>?]
    )
    func `a request to an allowed origin is sent`(_ origins: Set<String>?) async throws {
        let (fixture, session) = try await Self.session(origins)
        #expect(try await fixture.get(session).status == 200)
        _ = try await session.authorization(method: "GET", url: FakeServer.api)
    }

    @Test(
        arguments: [
            [], ["https://other.example"], ["https://auth.example:8443"], ["https://auth.example.evil.test"],
            ["https://api.auth.example"],
        ] as [Set<String>]
    )
    func `attack: a token is not sent to another origin, and no proof is made for it`(
        _ origins: Set<String>
    ) async throws {
        let (fixture, session) = try await Self.session(origins)
        let before = await fixture.server.requests.count
        let sent = await clientError { _ = try await fixture.get(session) }
        #expect(sent?.code == .originNotAllowed)
        let signed = await clientError { _ = try await session.authorization(method: "GET", url: FakeServer.api) }
        #expect(signed?.code == .originNotAllowed)
        #expect(await fixture.server.requests.count == before)
        #expect(sent?.reason.contains("https://auth.example") ?? false)
    }

    @Test(arguments: [
        "https://api.example/v1", "api.example", "https://a:b@api.example", "https://api.example?x", "*", "",
    ])
    func `an entry that is no origin is an error at once`(_ entry: String) async throws {
        let error = await clientError { _ = try SignInFixture { $0.allowedOrigins = [entry] } }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `an entry with http is as insecure as the request would be`() async throws {
        let error = await clientError { _ = try SignInFixture { $0.allowedOrigins = ["http://127.0.0.1:8080"] } }
        #expect(error?.code == .insecureURL)
        _ = try SignInFixture {
            $0 = .allowingInsecureHTTPOnLoopback
            $0.allowedOrigins = ["http://127.0.0.1:8080"]
        }
    }
}
