// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import HTTPServer
import OAuthClient
import OAuthCore
import OAuthTransport
import Testing

@testable import KeyboundCommand

@Suite("RFC 9728 over sockets: from an API of ours to its authorization server")
struct ResourceMetadataTests {
    private func servers(_ body: (DemoServers) async throws -> Void) async throws {
        let servers = try await DemoServers.start(port: 0) { _ in }
        do {
            try await body(servers)
        } catch {
            await servers.stop()
            throw error
        }
        await servers.stop()
    }

    @Test func `any URL of the API leads to its authorization server, at its well-known address and by its challenge`()
        async throws
    {
        try await servers { servers in
            let discovery = ProtectedResourceDiscovery(allowsInsecureHTTPOnLoopback: true)
            for path in ["", "/notes", "/drafts?a=b", "/nothing/here"] {
                let metadata = try await discovery.metadata(of: servers.apiAddress + path)
                #expect(metadata.authorizationServers == [servers.issuer])
                #expect(metadata.scopesSupported == [NotesAPI.scope])
                #expect(metadata.dpopBoundAccessTokensRequired)
            }
            let url = servers.apiAddress + "/notes"
            let answer = try await PlatformTransport().send(HTTPRequest(target: url), maximumBodySize: 1024)
            let challenges = try Challenge.parse(answer.fields.values(for: "WWW-Authenticate"))
            let metadata = try await discovery.metadata(of: url, challengedWith: challenges)
            #expect(metadata.authorizationServers == [servers.issuer])
            let client = try OAuth2Client(
                issuer: #require(metadata.authorizationServers?.first),
                clientID: DemoServers.clientID,
                configuration: .allowingInsecureHTTPOnLoopback
            )
            #expect(try await client.fetchAuthorizationServerMetadata().issuer == servers.issuer)
        }
    }

    @Test func `attack 118, rs_metadata_resource_mismatch: an API that passes another one's document on is rejected`()
        async throws
    {
        try await servers { servers in
            // It sends everything on to the API of somebody else, and their answers back.
            let thief = try HTTPListener(port: 0) { request in
                var passedOn = request
                passedOn.target = servers.apiAddress + request.target
                let answer = try? await PlatformTransport().send(passedOn, maximumBodySize: 65_536)
                return answer ?? HTTPResponse(status: 502)
            }
            let discovery = ProtectedResourceDiscovery(allowsInsecureHTTPOnLoopback: true)
            let url = "http://127.0.0.1:\(thief.port)/notes"
            let error = await #expect(throws: OAuthClientError.self) { _ = try await discovery.metadata(of: url) }
            #expect(error?.code == .metadataOfAnotherResource)
            let challenge = try await PlatformTransport().send(HTTPRequest(target: url), maximumBodySize: 1024)
            let challenges = try Challenge.parse(challenge.fields.values(for: "WWW-Authenticate"))
            #expect(challenges.contains { $0.value(for: "resource_metadata") != nil })
            let challenged = await #expect(throws: OAuthClientError.self) {
                _ = try await discovery.metadata(of: url, challengedWith: challenges)
            }
            #expect(challenged?.code == .metadataOfAnotherResource)
            await thief.stop(draining: .zero)
        }
    }
}
