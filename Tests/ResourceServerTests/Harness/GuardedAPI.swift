// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ResourceServer
import StrictJSON
import TestSupport

/// An API with a guard before it, the issuer of its tokens, and a client with a token: all that tests need to use it and
/// to attack it through ``send(_:)``.
///
/// What the guard accepts is answered 200, with the subject in the body.
struct GuardedAPI: Sendable {
    static let issuer = "https://auth.example.com"
    static let address = "https://api.example.com"

    let clock: FixedClock
    let entropy: SeededEntropy
    let issuerKey: SoftwareSigningKey
    let clientKey: SoftwareSigningKey
    let requestGuard: RequestGuard
    let replay: any ReplayStore

    init(
        nonces: DPoPNoncePolicy = .off,
        replay: any ReplayStore = MemoryReplayStore(),
        keys: (any JWKSetSource)? = nil,
        clock: FixedClock = FixedClock(),
        _ change: (inout GuardConfiguration) -> Void = { _ in }
    ) throws {
        self.clock = clock
        self.replay = replay
        entropy = SeededEntropy()
        issuerKey = try TestKey.p256(1)
        clientKey = try TestKey.p256(2)
        var configuration = GuardConfiguration(
            issuer: Self.issuer,
            address: try URI(parsing: Self.address),
            proofs: ProofPolicy(nonces: nonces)
        )
        change(&configuration)
        requestGuard = try RequestGuard(
            configuration: configuration,
            keys: keys ?? FixedJWKSet(JWKSet([issuerKey.publicKey.named("key-1", algorithm: .es256)])),
            replay: replay,
            clock: clock,
            entropy: entropy
        )
    }

    func send(_ request: HTTPRequest) async -> HTTPResponse {
        await send(request, needing: .empty)
    }

    func send(_ request: HTTPRequest, needing scope: Scope) async -> HTTPResponse {
        switch await requestGuard.check(request, for: GuardRequirement(scope: scope)) {
        case .accepted(let authorized):
            HTTPResponse(status: 200, fields: authorized.responseFields, body: Array(authorized.subject.utf8))
        case .rejected(let rejection):
            rejection.response
        }
    }

    /// How many proofs the guard remembers.
    var recordedProofs: Int { (replay as? MemoryReplayStore)?.count ?? -1 }
}

extension GuardedAPI {
    /// An access token as the issuer makes them (RFC 9068), bound to the key of the client, with whatever a test changes.
    func accessToken(
        header: JSONObject = ["typ": "at+jwt", "kid": "key-1"],
        signedBy key: SoftwareSigningKey? = nil,
        _ change: (inout JSONObject) -> Void = { _ in }
    ) async throws -> String {
        try await CompactJWS.sign(
            header: header,
            payload: JSONValue.object(tokenClaims(change)).encoded(),
            with: key ?? issuerKey
        )
    }

    func tokenClaims(_ change: (inout JSONObject) -> Void = { _ in }) -> JSONObject {
        let now = clock.now().secondsSince1970
        var claims: JSONObject = [
            "iss": .string(Self.issuer), "sub": "ada", "aud": .string(Self.address), "client_id": "app",
            "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 300)), "jti": "token-1",
            "scope": "api:read api:write",
            "cnf": ["jkt": .string(clientKey.publicKey.thumbprint.description)],
        ]
        change(&claims)
        return claims
    }

    /// A proof for a request, with whatever a test changes.
    func proof(
        _ method: String = "GET",
        _ uri: String = address + "/notes",
        for accessToken: String,
        nonce: String? = nil,
        header: JSONObject = ["typ": "dpop+jwt"],
        signedBy key: SoftwareSigningKey? = nil,
        _ change: (inout JSONObject) -> Void = { _ in }
    ) async throws -> String {
        let key = key ?? clientKey
        var claims: JSONObject = [
            "jti": .string(Base64URL.encode(entropy.bytes(16))), "htm": .string(method), "htu": .string(uri),
            "iat": .number(JSONNumber(clock.now().secondsSince1970)),
            "ath": .string(try await hash(of: accessToken)),
        ]
        claims["nonce"] = nonce.map { .string($0) }
        change(&claims)
        var header = header
        if header["jwk"] == nil { header["jwk"] = .object(key.publicKey.json) }
        return try await CompactJWS.sign(header: header, payload: JSONValue.object(claims).encoded(), with: key)
    }

    /// A request for `/notes`, with the proof in a field of its own.
    func request(
        _ accessToken: String,
        _ proof: String?,
        scheme: String = "DPoP",
        method: String = "GET",
        target: String = "/notes"
    ) -> HTTPRequest {
        var fields: HTTPFields = ["Authorization": "\(scheme) \(accessToken)"]
        if let proof { fields.append(name: "DPoP", value: proof) }
        return HTTPRequest(method: method, target: target, fields: fields)
    }

    /// `ath` of an access token, as an honest client makes it.
    func hash(of accessToken: String) async throws -> String {
        let target = try TargetURI(parsing: Self.address)
        let proof = try await DPoPProofFactory(key: clientKey, clock: clock, entropy: entropy)
            .proof(method: "GET", targetURI: target, accessToken: accessToken)
        return try CompactJWS(parsing: proof).payloadObject()["ath"]?.stringValue ?? ""
    }

    func honestRequest() async throws -> HTTPRequest {
        let token = try await accessToken()
        return request(token, try await proof(for: token))
    }
}
