// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import OAuthTransport
import SigningKeys
import StrictJSON
import TestSupport
import Testing

@Suite("keybound keys")
struct KeyRotationTests {
    /// Keys that change every twelve seconds, published six seconds before, and kept for as long as a session lives.
    ///
    /// On a busy machine too, each state lasts long enough to be seen, and no key is deleted before a test is over.
    private static let quick = """
        {
          "keys": { "rotation": "12s", "publication": "6s" },
          "lifetimes": { "accessToken": "2s", "session": "180s" },
          "keyCredentialFile": "credential"
        }
        """
    private static let settings = ["--config", "keybound.json"]

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write(Data(SystemEntropy().bytes(32)), to: "credential")
        try directory.write(Self.quick, to: "keybound.json")
    }

    @Test func `a running server publishes the next key, then signs with it, and keeps the old one`()
        async throws
    {
        let server = try await ServedIssuer(in: directory, options: Self.settings)
        let first = try await published(by: server)
        #expect(first.count == 1)
        // Each state is seen before the one after it: the set grows while the old key signs, and then the active one differs.
        let both = try await published(by: server) { $0.count == 2 }
        #expect(both.first == first.first)
        #expect(try await keys().first { $0.state == "active" }?.kid == first.first)
        let after = try await published(by: server) { $0.first == both.last }
        #expect(after.contains(both[0]))
        #expect(try await keys().first { $0.kid == first.first }?.state == "retired")
        _ = await server.stop()
    }

    @Test func `two servers on one database have the same keys at every moment`() async throws {
        let one = try await ServedIssuer(in: directory, options: Self.settings)
        let other = try await ServedIssuer(in: directory, options: Self.settings)
        for count in 2...3 {
            let keys = Set(try await published(by: one) { $0.count == count })
            #expect(Set(try await published(by: other) { $0.count == count }) == keys)
        }
        let states = try await keys().map(\.state)
        #expect(states.filter { $0 == "active" }.count == 1)
        for server in [one, other] { _ = await server.stop() }
    }

    @Test func `kill -9 at any moment of a rotation leaves one key that signs, and the server starts again`()
        async throws
    {
        var known: Set<String> = []
        for round in 0..<6 {
            let server = try await ServedIssuer(in: directory, options: Self.settings)
            let rotation = try KeyboundProcess(["keys", "server", "rotate", "--now"] + Self.settings, in: directory)
            try await Task.sleep(for: .milliseconds(round * 60))
            rotation.kill()
            await server.kill()
            let keys = try await keys()
            #expect(keys.filter { $0.state == "active" }.count == 1)
            #expect(keys.filter { $0.state == "next" }.count <= 1)
            // No key that was there is lost while tokens of it are about.
            #expect(known.isSubset(of: keys.map(\.kid)))
            known = Set(keys.map(\.kid))
        }
        let server = try await ServedIssuer(in: directory, options: Self.settings)
        #expect(Set(try await published(by: server)).isSuperset(of: known))
        _ = await server.stop()
    }

    @Test func `the key file of an earlier version becomes the active key, and a revoked one stays away`() async throws
    {
        let keyDirectory = directory.path + "/keys"
        let store = try EncryptedFileKeyStore(
            directory: keyDirectory,
            secret: .credential(Array(Data(contentsOf: directory.url.appendingPathComponent("credential"))))
        )
        let old = try await store.loadOrGenerate(alias: KeyAlias("access-tokens")).publicKey.thumbprint.description
        let options = ["--key-credential-file", "credential", "--key-directory", "keys"]
        let server = try await ServedIssuer(in: directory, options: options)
        #expect(try await published(by: server) == [old])
        let shown = try await run(["keys", "server", "show", "--", old])
        #expect(shown.output.contains("state      active\n"))

        let revoked = try await run(["keys", "server", "rotate", "--now", "--revoke", "--yes"] + options)
        #expect(revoked.status == 0, Comment(rawValue: revoked.errors))
        #expect(try await store.load(KeyAlias("access-tokens")) == nil)
        #expect(try await !published(by: server) { $0.first != old }.contains(old))
        #expect(try await keys().first { $0.kid == old }?.state == "revoked")
        _ = await server.stop()
    }

    @Test func `nobody rotates without what opens the keys, and nothing private is shown`() async throws {
        let server = try await ServedIssuer(in: directory, options: Self.settings)
        _ = await server.stop()
        try directory.write(Data(SystemEntropy().bytes(32)), to: "wrong")
        let before = try await keys().map(\.kid)
        let refused = try await run(["keys", "server", "rotate", "--now", "--key-credential-file", "wrong"])
        #expect(refused.status == 5)
        #expect(try await keys().map(\.kid) == before)
        #expect(try await run(["keys", "server", "rotate", "--now"]).status == 5)
        let shown = try await run(["keys", "server", "show", "--json", "--"] + before)
        let object = try JSONValue(parsing: Array(shown.output.utf8)).objectValue
        #expect(object?["since"]?.integerValue != nil, "times are numbers of seconds, as in all results")
        let jwk = object?["jwk"]?.objectValue
        #expect(Set(jwk?.members.map(\.name) ?? []) == ["kty", "crv", "x", "y", "kid", "use", "alg"])
        #expect(jwk?["kid"]?.stringValue == before.first)
    }

    private func run(_ arguments: [String]) async throws -> KeyboundProcess.Result {
        try await KeyboundProcess.run(arguments, in: directory)
    }

    /// What `keys server list` says of each key.
    private func keys() async throws -> [(kid: String, state: String)] {
        let result = try await run(["keys", "server", "list", "--json"] + Self.settings)
        #expect(result.status == 0, Comment(rawValue: result.errors))
        return try #require(JSONValue(parsing: Array(result.output.utf8)).arrayValue).map { value in
            (
                try #require(value.objectValue?["kid"]?.stringValue),
                try #require(value.objectValue?["state"]?.stringValue)
            )
        }
    }

    /// The set of keys that a server publishes, as soon as it is what a test waits for.
    private func published(
        by server: ServedIssuer,
        when isAwaited: ([String]) -> Bool = { _ in true }
    ) async throws -> [String] {
        for _ in 0..<4000 {
            let response = try await PlatformTransport().send(
                HTTPRequest(target: server.issuer + "/jwks"),
                maximumBodySize: 65_536
            )
            let object = try #require(try JSONValue(parsing: response.body).objectValue)
            let keyIDs = try JWKSet(parsing: object).keys.compactMap(\.keyID)
            if isAwaited(keyIDs) { return keyIDs }
            try await Task.sleep(for: .milliseconds(30))
        }
        throw KeyboundProcess.NeverSaid(text: "the awaited set of keys", errors: "")
    }
}
