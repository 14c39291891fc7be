// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import OAuthCore
import OAuthSystem
import ServerStorage
import TestSupport
import Testing

@Suite("Assertions of clients that no operator registered: they delay no other client, RFC 7523 section 3")
struct UnregisteredClientShareTests {
    /// A server with twenty clients that registered themselves with a key, and `signed`, which an operator registered.
    private static func server(
        capacity: Int = 1000,
        _ change: (inout ServerConfiguration) -> Void
    ) async throws -> ServerUnderTest {
        let strangers = try (0..<20).map { number in
            try ConfidentialClient.registration("stranger-\(number)", .privateKeyJWT) {
                $0.origin = number.isMultiple(of: 2) ? .registeredItself : .document
            }
        }
        return try await ServerUnderTest.inMemory(
            clients: strangers + [try ConfidentialClient.registration("signed", .privateKeyJWT)],
            storage: MemoryAuthorizationStorage(replayCapacity: capacity),
            change
        )
    }

    /// Revokes a token that does not exist, which the server answers with 200.
    private static func revoke(_ server: ServerUnderTest, as clientID: String) async throws -> HTTPResponse {
        let client = try ConfidentialClient(server, clientID)
        return await server.post("/revoke", try await client.signed().adding("token", "x"))
    }

    @Test func `an address that floods with clients of its own waits, and nobody else does`() async throws {
        let server = try await Self.server {
            $0.rateLimits.unregisteredAssertionsOfAddress = RateLimit(20, per: .seconds(800))
        }
        let attacker = server.seen(from: "203.0.113.1")
        for number in 0..<20 {
            let answer = try await Self.revoke(attacker, as: "stranger-\(number)")
            #expect(answer.status == 200, "\(answer.text)")
        }
        let late = try await Self.revoke(attacker, as: "stranger-0")
        expect(late, isError: "temporarily_unavailable", status: 429)
        #expect(late.fields["Retry-After"] == "40")
        #expect(try await Self.revoke(server.seen(from: "198.51.100.7"), as: "stranger-0").status == 200)
        // A client that an operator registered takes no share.
        #expect(try await Self.revoke(attacker, as: "signed").status == 200)
        server.clock.advance(by: .seconds(800))
        #expect(try await Self.revoke(attacker, as: "stranger-0").status == 200)
    }

    @Test func `their pool can be full, and that of registered clients is not`() async throws {
        let server = try await Self.server(capacity: 20) { $0.rateLimits.unregisteredAssertionsOfAddress = nil }
        for number in 0..<20 {
            #expect(try await Self.revoke(server, as: "stranger-\(number)").status == 200)
        }
        expect(try await Self.revoke(server, as: "stranger-0"), isError: "server_error", status: 503)
        #expect(try await Self.revoke(server, as: "signed").status == 200)
    }
}
