// SPDX-License-Identifier: Apache-2.0

import BatchVerification
import DPoP
import HTTPMessage
import JOSE
import OAuthCore
import OAuthCrypto
import OAuthSystem
import ResourceServer
import StrictJSON

/// Requests of an API, each with an ES256-signed access token and a proof: two signatures per request.
struct GuardScenario {
    private struct StandingClock: WallClock {
        let time: Timestamp
        func now() -> Timestamp { time }
    }

    private static let issuer = "https://auth.example.com"
    private static let address = "https://api.example.com"

    private let proofs: ProofScenario
    private let issuerKey: SoftwareSigningKey
    private let accessTokens: [String]

    init() async throws {
        proofs = try ProofScenario()
        issuerKey = try SoftwareSigningKey(generating: .es256)
        var accessTokens: [String] = []
        for number in proofs.keys.indices {
            accessTokens.append(try await Self.accessToken(number, of: proofs, signedBy: issuerKey))
        }
        self.accessTokens = accessTokens
    }

    private static func accessToken(
        _ number: Int,
        of proofs: ProofScenario,
        signedBy key: SoftwareSigningKey
    ) async throws -> String {
        let now = proofs.now.secondsSince1970
        let claims: JSONObject = [
            "iss": .string(issuer), "sub": "ada", "aud": .string(address), "client_id": "app",
            "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 300)), "jti": .string("token-\(number)"),
            "cnf": ["jkt": .string(proofs.thumbprint(of: number).description)],
        ]
        let header: JSONObject = ["typ": "at+jwt", "kid": "key-1"]
        return try await CompactJWS.sign(header: header, payload: JSONValue.object(claims).encoded(), with: key)
    }

    /// A guard with an empty replay store.
    func makeGuard(_ batcher: SignatureBatcher?) throws -> RequestGuard {
        var configuration = GuardConfiguration(
            issuer: Self.issuer,
            address: try URI(parsing: Self.address),
            proofs: proofs.verifier.policy
        )
        configuration.signatures = batcher
        return try RequestGuard(
            configuration: configuration,
            keys: FixedJWKSet(JWKSet([issuerKey.publicKey.named("key-1", algorithm: .es256)])),
            nonces: proofs.nonces,
            clock: StandingClock(time: proofs.now)
        )
    }

    func makeRequests(_ count: Int) async throws -> [HTTPRequest] {
        var requests: [HTTPRequest] = []
        for number in 0..<count {
            let accessToken = accessTokens[number % accessTokens.count]
            let hash = Base64URL.encode(SHA256.hash(Array(accessToken.utf8)).bytes)
            let proof = try await proofs.makeProof(number) { _, claims in claims["ath"] = .string(hash) }
            requests.append(
                HTTPRequest(target: "/notes", fields: ["Authorization": "DPoP \(accessToken)", "DPoP": proof])
            )
        }
        return requests
    }

    /// Checks requests from this many callers, each of which sends one after the other.
    @concurrent
    func judge(_ requests: [HTTPRequest], _ range: Range<Int>, _ requestGuard: RequestGuard, callers: Int) async throws
    {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<callers {
                group.addTask { @concurrent in
                    for number in stride(from: range.lowerBound + caller, to: range.upperBound, by: callers) {
                        guard case .accepted = await requestGuard.check(requests[number]) else {
                            throw BenchmarkError("the guard refuses an honest request")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
