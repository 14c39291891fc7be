// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import StrictJSON
import Synchronization
import TestSupport
import Testing

/// A host with documents, which writes down what it is asked for.
private final class Host: HTTPTransport {
    private let documents: Mutex<[String: JSONObject]>
    private let asked = Mutex<[String]>([])

    init(_ documents: [String: JSONObject]) {
        self.documents = Mutex(documents)
    }

    var requests: [String] { asked.withLock { $0 } }

    func publish(_ document: JSONObject, at address: String) {
        documents.withLock { $0[address] = document }
    }

    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        asked.withLock { $0.append(request.target) }
        guard let document = documents.withLock({ $0[request.target] }) else { return HTTPResponse(status: 404) }
        return HTTPResponse(status: 200, body: JSONValue.object(document).encoded())
    }
}

@Suite("RFC 8414 section 3: the keys of an issuer, by its name")
struct IssuerKeysTests {
    private static let issuer = "https://auth.example.com/one"
    private static let places = [
        "https://auth.example.com/.well-known/oauth-authorization-server/one",
        "https://auth.example.com/.well-known/openid-configuration/one",
        "https://auth.example.com/one/.well-known/openid-configuration",
    ]
    private static let address = "https://keys.example.com/jwks"

    private let clock = FixedClock()
    private let key: JWK

    init() throws {
        key = try TestKey.p256(1).publicKey.named("first", algorithm: .es256)
    }

    private func host(at place: String, issuer: String = issuer, keys: String = address) -> Host {
        Host([
            place: ["issuer": .string(issuer), "jwks_uri": .string(keys)], keys: JWKSet([key]).json,
        ])
    }

    private func source(_ host: Host, issuer: String = issuer, at address: URI? = nil) throws -> IssuerKeys {
        IssuerKeys(of: try URI(parsing: issuer), at: address, transport: host, clock: clock)
    }

    @Test(arguments: places)
    func `each well-known address may have the metadata`(_ place: String) async throws {
        let host = host(at: place)
        let source = try source(host)
        #expect(try await source.keySet(forKeyID: "first").keys.map(\.keyID) == ["first"])
        #expect(host.requests == Self.places[...(Self.places.firstIndex(of: place) ?? 0)] + [Self.address])
        // Found once, and the keys are fresh: nothing more is fetched.
        _ = try await source.keySet(forKeyID: "first")
        #expect(host.requests.last == Self.address && host.requests.filter { $0 == Self.address }.count == 1)
    }

    @Test(arguments: ["https://auth.example.com/one/", "https://auth.example.com/two", "https://AUTH.example.com/one"])
    func `metadata of another issuer do not count`(_ other: String) async throws {
        let host = host(at: Self.places[0], issuer: other)
        let source = try source(host)
        await #expect(throws: OAuthCoreError.self) { try await source.keySet(forKeyID: nil) }
        #expect(!host.requests.contains(Self.address))
    }

    @Test(arguments: ["http://keys.example.com/jwks", "http://127.0.0.1/jwks"])
    func `keys of an https issuer come over https only`(_ keys: String) async throws {
        let host = host(at: Self.places[0], keys: keys)
        let source = try source(host)
        await #expect(throws: OAuthCoreError.self) { try await source.keySet(forKeyID: nil) }
        #expect(!host.requests.contains(keys))
    }

    @Test func `an issuer on loopback may have its keys there, and nowhere else over http`() async throws {
        for (keys, isFetched) in [("http://127.0.0.1:8080/jwks", true), ("http://keys.example.com/jwks", false)] {
            let issuer = "http://127.0.0.1:8080"
            let host = host(at: issuer + "/.well-known/oauth-authorization-server", issuer: issuer, keys: keys)
            let source = try source(host, issuer: issuer)
            _ = try? await source.keySet(forKeyID: nil)
            #expect(host.requests.contains(keys) == isFetched, "\(keys)")
        }
    }

    @Test(arguments: ["http://auth.example.com", "http://localhost:8080"])
    func `an issuer without TLS is asked nothing`(_ issuer: String) async throws {
        let host = host(at: issuer + "/.well-known/oauth-authorization-server", issuer: issuer)
        let source = try source(host, issuer: issuer)
        await #expect(throws: OAuthCoreError.self) { try await source.keySet(forKeyID: nil) }
        #expect(host.requests.isEmpty)
    }

    @Test func `an issuer that is away is asked again after five seconds`() async throws {
        let host = Host([:])
        let source = try source(host)
        await #expect(throws: OAuthCoreError.self) { try await source.keySet(forKeyID: nil) }
        #expect(host.requests == Self.places)
        host.publish(["issuer": .string(Self.issuer), "jwks_uri": .string(Self.address)], at: Self.places[0])
        host.publish(JWKSet([key]).json, at: Self.address)
        clock.advance(by: .seconds(4))
        await #expect(throws: OAuthCoreError.self) { try await source.keySet(forKeyID: nil) }
        #expect(host.requests == Self.places)
        clock.advance(by: .seconds(1))
        #expect(try await source.keySet(forKeyID: nil).keys.count == 1)
    }

    @Test func `an address that is known is not looked up`() async throws {
        let host = host(at: Self.places[0])
        _ = try await source(host, at: try URI(parsing: Self.address)).keySet(forKeyID: nil)
        #expect(host.requests == [Self.address])
    }
}
