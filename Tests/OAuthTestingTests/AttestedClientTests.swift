// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import JOSE
import OAuthClient
import OAuthCore
import OAuthTesting
import StrictJSON
import Synchronization
import Testing

@Suite("A client that authenticates by attestation: draft-ietf-oauth-attestation-based-client-auth-11")
struct AttestedClientTests {
    /// What an attester of a test does with each request.
    private final class ChangedAttester: ClientAttester {
        private let base: SoftwareAttester
        private let change: @Sendable (_ call: Int, SoftwareAttester, any SigningKey) async throws -> String
        private let calls = Mutex(0)

        init(
            _ base: SoftwareAttester,
            _ change: @escaping @Sendable (_ call: Int, SoftwareAttester, any SigningKey) async throws -> String
        ) {
            (self.base, self.change) = (base, change)
        }

        var count: Int { calls.withLock { $0 } }

        func attestation(of key: any SigningKey, for clientID: String) async throws -> String {
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            return try await change(call, base, key)
        }
    }

    private struct Unreachable: Error {}

    private let clock = TestClock()
    private let attester: SoftwareAttester

    init() throws {
        attester = try SoftwareAttester(clock: clock)
    }

    private func server(maximumAge: Duration = .seconds(86_400)) async throws -> FakeAuthorizationServer {
        let trusted = attester.trusted(for: ["my-app"], maximumAge: maximumAge)
        return try await FakeAuthorizationServer(clock: clock) { $0.attesters = [trusted] }
    }

    private func client(
        of server: FakeAuthorizationServer,
        _ attester: any ClientAttester,
        transport: RecordingTransport? = nil
    ) async throws -> OAuth2Client {
        var configuration = OAuth2ClientConfiguration()
        configuration.clientAuthentication = .attested(by: attester)
        return try await server.makeClient(configuration: configuration, transport: transport)
    }

    private func code(_ body: () async throws -> Void) async -> OAuthClientError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? OAuthClientError)?.code
        }
    }

    @Test func `one attestation serves a sign-in, refreshes and the sign-out`() async throws {
        let server = try await server()
        let client = try await client(of: server, attester)
        let session = try await client.signIn(scopes: ["api:read"], using: server.userAgent)
        server.expireAccessTokens()
        _ = try await session.refresh()
        let result = await session.signOut()
        #expect(result.wasSignedIn && result.failure == nil)
        #expect(attester.issuedCount == 1)
    }

    @Test func `a sign-in by device proves the key from the first request on`() async throws {
        let server = try await server()
        let client = try await client(of: server, attester)
        // The client is not registered for it, but authenticated.
        let error = await #expect(throws: OAuthClientError.self) {
            _ = try await client.startDeviceAuthorization(scopes: ["api:read"])
        }
        #expect(error?.answer?.error == .unauthorizedClient)
    }

    @Test func `an attestation is renewed after four fifths of its life`() async throws {
        let server = try await server()
        let session = try await client(of: server, attester)
            .signIn(scopes: ["api:read"], using: server.userAgent)
        clock.advance(by: .seconds(86_400 * 4 / 5 - 10))
        _ = try await session.refresh()
        #expect(attester.issuedCount == 1)
        clock.advance(by: .seconds(200))
        _ = try await session.refresh()
        #expect(attester.issuedCount == 2)
    }

    @Test func `while the attester is away, what is still good is used`() async throws {
        let server = try await server()
        let away = ChangedAttester(attester) { call, base, key in
            guard call == 1 else { throw Unreachable() }
            return try await base.attestation(of: key, for: "my-app")
        }
        let session = try await client(of: server, away).signIn(scopes: ["api:read"], using: server.userAgent)
        clock.advance(by: .seconds(86_400 * 9 / 10))
        _ = try await session.refresh()
        #expect(away.count == 2)
        clock.advance(by: .seconds(86_400 / 5))
        #expect(await code { _ = try await session.refresh() } == .attestationFailed)
    }

    @Test func `what the server calls too old is replaced once, and the request sent again`() async throws {
        let server = try await server(maximumAge: .seconds(3600))
        let session = try await client(of: server, attester)
            .signIn(scopes: ["api:read"], using: server.userAgent)
        clock.advance(by: .seconds(3700))
        _ = try await session.refresh()
        #expect(attester.issuedCount == 2)
    }

    @Test func `a server that calls each attestation too old is not asked for ever`() async throws {
        let server = try await server(maximumAge: .seconds(60))
        // Valid for long, but issued before the limit of the server.
        let slow = try SoftwareAttester(clock: TestClock())
        let late = ChangedAttester(slow) { _, base, key in try await base.attestation(of: key, for: "my-app") }
        let client = try await client(of: server, late)
        clock.advance(by: .seconds(300))
        let error = await #expect(throws: OAuthClientError.self) {
            _ = try await client.signIn(scopes: ["api:read"], using: server.userAgent)
        }
        #expect(error?.code == .attestationRefused && error?.answer?.error == .useFreshAttestation)
        #expect(late.count == 2)
    }

    @Test func `an attestation of another key, or for another client, is not sent`() async throws {
        let server = try await server()
        let other = try SoftwareSigningKey(generating: .es256)
        let faults: [@Sendable (SoftwareAttester, any SigningKey) async throws -> String] = [
            { base, _ in try await base.attestation(of: other, for: "my-app") },
            { base, key in try await base.attestation(of: key, for: "other-app") }, { _, _ in "x.y.z" },
        ]
        for fault in faults {
            let recorder = RecordingTransport(server)
            let wrong = ChangedAttester(attester) { _, base, key in try await fault(base, key) }
            let client = try await client(of: server, wrong, transport: recorder)
            let failure = await code { _ = try await client.signIn(scopes: ["api:read"], using: server.userAgent) }
            #expect(failure == .attestationFailed)
            #expect(!recorder.exchanges.contains { $0.method == "POST" })
        }
    }

    @Test func `an attester that nobody configured, or that refuses, ends the request`() async throws {
        let server = try await server()
        let stranger = try SoftwareAttester(clock: clock, entropy: DeterministicEntropy(seed: 9))
        let client = try await client(of: server, stranger)
        #expect(
            await code { _ = try await client.signIn(scopes: ["api:read"], using: server.userAgent) }
                == .attestationRefused
        )
        let refusing = ChangedAttester(attester) { _, _, _ in throw Unreachable() }
        let error = await #expect(throws: OAuthClientError.self) {
            _ = try await self.client(of: server, refusing).signIn(scopes: ["api:read"], using: server.userAgent)
        }
        #expect(error?.code == .attestationFailed && error?.underlying is Unreachable)
    }

    @Test func `without keys there is no attested client`() async throws {
        var configuration = OAuth2ClientConfiguration()
        configuration.clientAuthentication = .attested(by: attester)
        configuration.tokenBoundConfiguration = UnboundedTokenConfiguration()
        let error = #expect(throws: OAuthClientError.self) {
            _ = try OAuth2Client(issuer: "https://auth.example", clientID: "my-app", configuration: configuration)
        }
        #expect(error?.code == .invalidArgument)
    }
}
