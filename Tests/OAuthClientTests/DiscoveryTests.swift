// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 8414 section 3: the metadata of the server")
struct DiscoveryTests {
    private let path = "/.well-known/oauth-authorization-server"

    @Test(arguments: [
        "https://auth.example/", "https://AUTH.example", "https://evil.example", "https://auth.example:443",
    ])
    func `trap 24: metadata of another issuer is refused, to the last character`(_ issuer: String) async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.metadata = ["issuer": .string(issuer)] }
        let error = await clientError { try await fixture.client.fetchAuthorizationServerMetadata() }
        #expect(error?.code == .metadataOfAnotherIssuer)
    }

    @Test func `trap 24: where there is no OAuth document, the one of OpenID Connect is asked for`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.hasOAuthMetadata = false }
        try await fixture.client.fetchAuthorizationServerMetadata()
        #expect(
            await fixture.server.requests.map(\.target).last == "https://auth.example/.well-known/openid-configuration"
        )
    }

    @Test(arguments: [(400, 200), (401, 200), (403, 200), (405, 200), (408, nil), (410, 200), (429, nil), (500, nil)])
    func `trap 24: the same where a server refuses what it does not have, and not where it is busy`(
        _ status: Int,
        _ then: Int?
    ) async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.instead[path] = [HTTPResponse(status: status)] }
        let error = await clientError { try await fixture.client.fetchAuthorizationServerMetadata() }
        #expect(error?.status == (then == nil ? status : nil))
        #expect(await fixture.server.requests.count == (then == nil ? 1 : 2))
    }

    @Test func `trap 22: a redirect is not followed`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change {
            $0.instead[path] = [HTTPResponse(status: 302, fields: ["Location": "https://evil.example"])]
        }
        let error = await clientError { try await fixture.client.fetchAuthorizationServerMetadata() }
        #expect(error?.code == .malformedResponse)
        #expect(error?.status == 302)
        #expect(await fixture.server.requests.count == 1)
    }

    @Test func `a server that is down is told from one that answers nonsense`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change {
            $0.instead[path] = [HTTPResponse(status: 503), HTTPResponse(status: 200, body: Array("<html>".utf8))]
        }
        let down = await clientError { try await fixture.client.fetchAuthorizationServerMetadata() }
        #expect(down?.code == .serverUnavailable)
        let nonsense = await clientError { try await fixture.client.fetchAuthorizationServerMetadata() }
        #expect(nonsense?.code == .malformedResponse)
    }

    @Test func `endpoints over http are refused`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change {
            $0.metadata = ["pushed_authorization_request_endpoint": "http://auth.example/par"]
        }
        let error = await clientError { _ = try await fixture.client.initiateAuthorization(scopes: []) }
        #expect(error?.code == .insecureURL)
    }

    @Test func `metadata is kept for an hour`() async throws {
        let fixture = try SignInFixture()
        _ = try await fixture.client.initiateAuthorization(scopes: [])
        fixture.clock.advance(by: .seconds(3599))
        _ = try await fixture.client.initiateAuthorization(scopes: [])
        #expect(await fixture.server.requests(to: path).count == 1)
        fixture.clock.advance(by: .seconds(1))
        _ = try await fixture.client.initiateAuthorization(scopes: [])
        #expect(await fixture.server.requests(to: path).count == 2)
    }
}
