// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import ResourceServer
import StrictJSON
import Synchronization
import TestSupport
import Testing

/// Keys that change, and an issuer that may be out of reach.
private final class ChangingKeys: JWKSetSource, HTTPTransport {
    private let keys: Mutex<[JWK]?>

    init(_ keys: [JWK]?) {
        self.keys = Mutex(keys)
    }

    func change(to keys: [JWK]?) {
        self.keys.withLock { $0 = keys }
    }

    func keySet(forKeyID keyID: String?) async throws(OAuthCoreError) -> JWKSet {
        guard let keys = keys.withLock({ $0 }) else { throw OAuthCoreError(.keysUnavailable, "out of reach") }
        return JWKSet(keys)
    }

    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        HTTPResponse(status: 200, body: JSONValue.object(try await keySet(forKeyID: nil).json).encoded())
    }
}

@Suite("The keys of the issuer, as a guard uses them")
struct KeySourceTests {
    private func key(_ number: UInt8, _ name: String) throws -> JWK {
        try TestKey.p256(number).publicKey.named(name, algorithm: .es256)
    }

    @Test func `an issuer out of reach is a 503, not the fault of the client`() async throws {
        let api = try GuardedAPI(keys: ChangingKeys(nil))
        let token = try await api.accessToken()
        let response = await api.send(api.request(token, try await api.proof(for: token)))
        #expect(response.status == 503)
        #expect(response.fields["WWW-Authenticate"] == nil && response.fields["Retry-After"] != nil)
        #expect(api.recordedProofs == 0)
    }

    @Test func `after a change of keys, tokens of the new one are accepted and those of the old one are not`()
        async throws
    {
        let issuer = ChangingKeys([try key(1, "key-1")])
        let clock = FixedClock()
        let cache = JWKSetCache(
            uri: try URI(parsing: GuardedAPI.issuer + "/jwks"),
            transport: issuer,
            clock: clock
        )
        let api = try GuardedAPI(keys: cache, clock: clock)
        #expect(await api.send(try await api.honestRequest()).status == 200)

        issuer.change(to: [try key(5, "key-5")])
        clock.advance(by: .seconds(10))
        let header: JSONObject = ["typ": "at+jwt", "kid": "key-5"]
        let token = try await api.accessToken(header: header, signedBy: try TestKey.p256(5))
        #expect(await api.send(api.request(token, try await api.proof(for: token))).status == 200)
        try expect(await api.send(try await api.honestRequest()), isChallengeWith: "invalid_token")

        issuer.change(to: nil)
        clock.advance(by: .seconds(301))
        let later = try await api.accessToken(header: header, signedBy: try TestKey.p256(5))
        #expect(await api.send(api.request(later, try await api.proof(for: later))).status == 200)
    }

    @Test(arguments: [false, true])
    func `with the keys at hand a request is checked without a switch of threads`(
        _ findsTheirAddress: Bool
    ) async throws {
        let issuer = ChangingKeys([try key(1, "key-1")])
        let address = try URI(parsing: GuardedAPI.issuer + "/jwks")
        let clock = FixedClock()
        let keys: any JWKSetSource =
            findsTheirAddress
            ? IssuerKeys(of: try URI(parsing: GuardedAPI.issuer), at: address, transport: issuer, clock: clock)
            : JWKSetCache(uri: address, transport: issuer, clock: clock)
        let api = try GuardedAPI(keys: keys, clock: clock)
        #expect(await api.send(try await api.honestRequest()).status == 200)
        let request = try await api.honestRequest()
        let status = Mutex<Int?>(nil)
        let task = Task.immediate {
            let response = await api.send(request)
            status.withLock { $0 = response.status }
        }
        #expect(status.withLock(\.self) == 200)
        await task.value
    }

    @Test func `a key that is for something else signs no token`() async throws {
        let encryption = try TestKey.p256(1).publicKey.named("key-1", use: "enc", algorithm: nil)
        let api = try GuardedAPI(keys: FixedJWKSet(try JWKSet(parsing: JWKSet([encryption]).json)))
        try expect(await api.send(try await api.honestRequest()), isChallengeWith: "invalid_token")
    }
}

@Suite("Configuration of a guard")
struct GuardConfigurationTests {
    @Test(arguments: [
        "https://api.example.com/", "https://api.example.com/v1/", "https://api.example.com?x",
        "https://api.example.com#x",
        "https://user@api.example.com", "urn:api", "ftp://api.example.com",
    ])
    func `refuses an address that no htu can be made of`(address: String) throws {
        let error = #expect(throws: ResourceServerError.self) {
            try GuardedAPI { configuration in
                configuration.address = (try? URI(parsing: address)) ?? configuration.address
            }
        }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test func `an audience of its own takes the place of the address`() async throws {
        let api = try GuardedAPI { $0.audience = "urn:example:api" }
        let token = try await api.accessToken { $0["aud"] = "urn:example:api" }
        #expect(await api.send(api.request(token, try await api.proof(for: token))).status == 200)
        try expect(await api.send(try await api.honestRequest()), isChallengeWith: "invalid_token")
    }
}
