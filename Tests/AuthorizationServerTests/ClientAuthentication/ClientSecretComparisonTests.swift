// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import ServerStorage
import TestSupport
import Testing

@testable import AuthorizationServer

@Suite("A secret is compared as often whoever is named, RFC 6749 section 2.3.1")
struct ClientSecretComparisonTests {
    private func client(_ secrets: [String]) throws -> RegisteredClient {
        try ConfidentialClient.registration("basic", .clientSecretBasic) {
            $0.secretHashes = secrets.map { SecretHash(of: $0) }
        }
    }

    @Test(arguments: [[], ["one"], ["one", "two"]])
    func `with two hashes for every client`(secrets: [String]) throws {
        let compared = Optional(try client(secrets)).comparedHashes
        #expect(compared.count == 2)
        #expect(compared.prefix(secrets.count) == secrets.map { SecretHash(of: $0) }[...])
    }

    @Test func `with two hashes where there is no client, that nothing has`() {
        let compared = RegisteredClient?.none.comparedHashes
        #expect(compared.count == 2)
        for hash in compared { #expect(hash.bytes == [UInt8](repeating: 0, count: 32)) }
    }

    @Test func `an unknown client and a wrong secret are answered alike, and either of two secrets works`() async throws
    {
        let server = try await ServerUnderTest.inMemory(clients: [try client(["one", "two"])])
        let form: FormParameters = ["token": "x"]
        func answer(_ name: String, _ secret: String) async -> HTTPResponse {
            await server.post("/revoke", form, fields: ConfidentialClient.basic(name, secret))
        }
        let (wrong, unknown) = (await answer("basic", "three"), await answer("nobody", "three"))
        #expect(wrong.status == 401 && wrong.text == unknown.text && wrong.fields == unknown.fields)
        for secret in ["one", "two"] { #expect(await answer("basic", secret).status == 200) }
        for secret in ["", "onetwo"] { #expect(await answer("basic", secret).status != 200) }
    }
}
