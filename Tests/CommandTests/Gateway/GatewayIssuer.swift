// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import DPoP
import Foundation
import HTTPMessage
import HTTPServer
import JOSE
import OAuthSystem
import StrictJSON
import Synchronization
import TestSupport

/// An authorization server as a gateway sees it: metadata, keys and introspection on a loopback port; and a client of it.
final class GatewayIssuer: Sendable {
    let address: String
    let clientKey: SoftwareSigningKey
    private let signer: Mutex<SoftwareSigningKey>
    private let listener: HTTPListener
    private let published: Published

    private final class Published: Sendable {
        let keys = Mutex<[JWK]>([])
        let introspected = Mutex<Int>(0)
        let trace = Mutex<String?>(nil)
    }

    init(port: UInt16 = FreePort.next()) throws {
        let address = "http://127.0.0.1:\(port)"
        self.address = address
        clientKey = try TestKey.p256(2)
        signer = Mutex(try TestKey.p256(1))
        let published = Published()
        self.published = published
        let answer = IntrospectionAnswer()
        self.answer = answer
        listener = try HTTPListener(port: port, threads: 1) { request in
            let document: JSONObject
            switch request.path {
            case "/.well-known/oauth-authorization-server":
                document = ["issuer": .string(address), "jwks_uri": .string(address + "/jwks")]
            case "/jwks":
                document = JWKSet(published.keys.withLock { $0 }).json
            case "/introspect":
                published.introspected.withLock { $0 += 1 }
                published.trace.withLock { $0 = request.fields["traceparent"] }
                document = answer.value.withLock { $0 }
            default:
                return HTTPResponse(status: 404)
            }
            return HTTPResponse(
                status: 200,
                fields: ["Content-Type": "application/json"],
                body: JSONValue.object(document).encoded()
            )
        }
        publish(try TestKey.p256(1), as: "key-1")
    }

    private let answer: IntrospectionAnswer

    private final class IntrospectionAnswer: Sendable {
        let value = Mutex<JSONObject>(["active": false])
    }

    /// Publishes one key, with which tokens are signed from now on.
    func publish(_ key: SoftwareSigningKey, as name: String) {
        signer.withLock { $0 = key }
        published.keys.withLock { $0 = [key.publicKey.named(name, algorithm: .es256)] }
    }

    func introspects(as answer: JSONObject) { self.answer.value.withLock { $0 = answer } }
    /// `traceparent` of the last introspection.
    var introspectedTrace: String? { published.trace.withLock(\.self) }
    var introspections: Int { published.introspected.withLock { $0 } }

    func stop() async {
        await listener.stop(draining: .zero)
    }

    func token(
        for api: String,
        kid: String = "key-1",
        _ change: (inout JSONObject) -> Void = { _ in }
    ) async throws -> String {
        let now = SystemWallClock().now().secondsSince1970
        var claims: JSONObject = [
            "iss": .string(address), "sub": "alice", "aud": .string(api), "client_id": "app",
            "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 300)),
            "jti": .string(Base64URL.encode(SystemEntropy().bytes(16))), "scope": "notes:read payments",
            "cnf": ["jkt": .string(clientKey.publicKey.thumbprint.description)],
        ]
        change(&claims)
        return try await CompactJWS.sign(
            header: ["typ": "at+jwt", "kid": .string(kid)],
            payload: JSONValue.object(claims).encoded(),
            with: signer.withLock { $0 }
        )
    }

    func proof(_ method: String, _ uri: String, _ token: String, nonce: String?) async throws -> String {
        try await DPoPProofFactory(key: clientKey)
            .proof(method: method, targetURI: try TargetURI(parsing: uri), accessToken: token, nonce: nonce)
    }
}
#endif
