// SPDX-License-Identifier: Apache-2.0

import DPoP
import Foundation
import HTTPMessage
import JOSE
import OAuthCore
import SigningKeys
import StrictJSON
import TestSupport
import Testing

@testable import OAuthClient

@Suite("RFC 9449 section 5.1: the type of key that server, API and key store know")
struct KeyPairTypeTests {
    /// A store without P-256, as a device may be.
    private struct WithoutP256: KeyStore {
        let base = MemoryKeyStore()

        func load(_ alias: KeyAlias) async throws(KeyStoreError) -> (any SigningKey)? { try await base.load(alias) }

        func loadOrGenerate(
            alias: KeyAlias,
            algorithm: SignatureAlgorithm,
            reporting report: @escaping @Sendable (KeyEvent) -> Void
        ) async throws(KeyStoreError) -> any SigningKey {
            guard algorithm != .es256 else { throw KeyStoreError(.unsupportedAlgorithm, "no P-256 here") }
            return try await base.loadOrGenerate(alias: alias, algorithm: algorithm, reporting: report)
        }

        func aliases() async throws(KeyStoreError) -> [KeyAlias] { try await base.aliases() }
        func delete(_ alias: KeyAlias) async throws(KeyStoreError) { try await base.delete(alias) }
        func facts(about alias: KeyAlias) async throws(KeyStoreError) -> [KeyFact]? {
            try await base.facts(about: alias)
        }
    }

    private static let types: [KeyPairType] = [.p256, .ed25519, .p384]

    private func fixture(
        offering algorithms: [String]? = nil,
        _ types: [KeyPairType] = types,
        keyStore: any KeyStore = MemoryKeyStore(),
        tokenStore: (any TokenStore)? = nil,
        server: FakeServer = FakeServer(),
        seed: UInt64 = 1
    ) async throws -> SignInFixture {
        await server.change {
            $0.metadata["dpop_signing_alg_values_supported"] = algorithms.map { .strings($0) } ?? .null
        }
        return try SignInFixture(tokenStore: tokenStore, keyStore: keyStore, server: server, seed: seed) {
            $0.tokenBoundConfiguration = BoundedTokenConfiguration(keyPairTypes: types)
        }
    }

    private func algorithm(_ fixture: SignInFixture) async throws -> SignatureAlgorithm? {
        let session = try await fixture.session()
        let thumbprint = try await session.tokenManager.fetch().keyThumbprint
        return try await fixture.client.keyring.context(boundTo: thumbprint)?.key.algorithm
    }

    @Test(
        arguments: [
            (nil, SignatureAlgorithm.es256), (["ES256", "EdDSA"], .es256), (["RS256", "EdDSA", "ES384"], .edDSA),
            (["ES384"], .es384),
        ] as [([String]?, SignatureAlgorithm)]
    )
    func `the first type that the server accepts is used`(
        _ offered: [String]?,
        _ expected: SignatureAlgorithm
    ) async throws {
        #expect(try await algorithm(fixture(offering: offered)) == expected)
    }

    @Test func `a server that accepts none of them is an error before anything is sent`() async throws {
        let fixture = try await fixture(offering: ["RS256"])
        let error = await clientError { _ = try await fixture.session() }
        #expect(error?.code == .unsupportedByServer)
        #expect(await fixture.server.requests(to: "/par").isEmpty)
    }

    @Test func `a store that cannot make the first type makes the next`() async throws {
        #expect(try await algorithm(fixture(keyStore: WithoutP256())) == .edDSA)
        let error = await clientError { _ = try await fixture([.p256], keyStore: WithoutP256()).session() }
        #expect(error?.keyStoreError?.code == .unsupportedAlgorithm)
    }

    private func fixture(_ types: [KeyPairType], keyStore: any KeyStore) async throws -> SignInFixture {
        try await fixture(offering: nil, types, keyStore: keyStore)
    }

    @Test func `an account keeps the key that it has, also in the next process`() async throws {
        let first = try await fixture(offering: ["EdDSA"])
        let session = try await first.session()
        let thumbprint = try await session.tokenManager.fetch().keyThumbprint
        // The server learns more algorithms: that is no reason for another key.
        let second = try await fixture(
            offering: ["ES256", "EdDSA"],
            keyStore: first.keyStore,
            tokenStore: first.tokenStore,
            server: first.server,
            seed: 2
        )
        let restored = try #require(try await second.client.restoreSession())
        try await restored.tokenManager.refresh()
        #expect(try await second.session().tokenManager.fetch().keyThumbprint == thumbprint)
        #expect(try await first.keyStore.aliases().count == 1)
    }

    @Test func `a session whose key is of a type that is no longer configured must sign in again`() async throws {
        let first = try await fixture(offering: ["EdDSA"])
        _ = try await first.session()
        let second = try await fixture(
            offering: ["EdDSA"],
            [.p256, .p384],
            keyStore: first.keyStore,
            tokenStore: first.tokenStore,
            server: first.server,
            seed: 2
        )
        let session = try #require(try await second.client.restoreSession())
        let error = await clientError { _ = try await second.get(session) }
        #expect(error?.code == .keyMismatch)
    }

    @Test func `an API that does not accept the algorithm is a typed error, and names those that it accepts`()
        async throws
    {
        let fixture = try await fixture()
        let session = try await fixture.session()
        func answer(_ challenge: String) async -> OAuthClientError? {
            await fixture.server.change { $0.instead["/api/items"] = [.challenge(challenge)] }
            return await clientError { _ = try await fixture.get(session) }
        }
        let error = await answer(#"DPoP error="invalid_dpop_proof", algs="ES384 EdDSA""#)
        #expect(error?.code == .proofAlgorithmRejected)
        #expect(error?.reason.contains("ES384, EdDSA") == true)
        // Another reason for the rejection, or none given.
        #expect(await answer(#"DPoP error="invalid_dpop_proof", algs="ES384 ES256""#) == nil)
        #expect(await answer(#"DPoP error="invalid_dpop_proof""#) == nil)
        #expect(await answer(#"DPoP algs="ES384""#) == nil)
    }

    @Test func `the metadata of an API leaves the types that it accepts`() throws {
        func api(_ algorithms: [String]?) throws -> ProtectedResourceMetadata {
            var object: JSONObject = ["resource": "https://api.example.com"]
            object["dpop_signing_alg_values_supported"] = algorithms.map { .strings($0) }
            return try ProtectedResourceMetadata(parsing: object)
        }
        let all = BoundedTokenConfiguration(keyPairTypes: Self.types)
        #expect(try all.accepted(by: api(nil)) == all)
        #expect(try all.accepted(by: api(["ES384", "EdDSA"])).keyPairTypes == [.ed25519, .p384])
        #expect(throws: OAuthClientError.self) { try all.accepted(by: api(["RS256"])) }
        #expect(BoundedTokenConfiguration(keyPairTypes: []) == BoundedTokenConfiguration())
    }
}
