// SPDX-License-Identifier: Apache-2.0

import BatchVerification
import DPoP
import Gateway
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
    func makeGuard(_ batcher: SignatureBatcher?, remembered: Int = 10_000) throws -> RequestGuard {
        var configuration = GuardConfiguration(
            issuer: Self.issuer,
            address: try URI(parsing: Self.address),
            proofs: proofs.verifier.policy
        )
        configuration.signatures = batcher
        configuration.rememberedTokens = remembered
        return try RequestGuard(
            configuration: configuration,
            keys: FixedJWKSet(JWKSet([issuerKey.publicKey.named("key-1", algorithm: .es256)])),
            nonces: proofs.nonces,
            clock: StandingClock(time: proofs.now)
        )
    }

    /// A gateway that asks the same of requests as the guard.
    func makeGateway() throws -> GatewayEngine {
        let api = ProtectedAPI(
            address: try URI(parsing: Self.address),
            requestGuard: try makeGuard(nil),
            rules: [try GatewayRule(path: PathPattern("/notes"), demand: .token(GuardRequirement()))]
        )
        return try GatewayEngine(GatewayConfiguration(apis: [api], proxies: [.nginx]))
    }

    /// What nginx asks about a request, with the fields that `keybound gateway config nginx` has it send.
    func question(about request: HTTPRequest) -> HTTPRequest {
        var fields: HTTPFields = [
            "X-Forwarded-Method": request.method, "X-Forwarded-Proto": "https", "X-Forwarded-Host": "api.example.com",
            "X-Forwarded-Uri": request.target, "X-Forwarded-For": "192.0.2.7", "Accept": "*/*",
        ]
        for field in request.fields.all { fields.append(name: field.name, value: field.value) }
        return HTTPRequest(target: ProxyKind.nginx.path, fields: fields, isFromUnixSocket: true)
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

    /// Checks requests one after the other.
    @concurrent
    func judge(_ requests: ArraySlice<HTTPRequest>, _ requestGuard: RequestGuard) async throws {
        for request in requests {
            guard case .accepted = await requestGuard.check(request) else {
                throw BenchmarkError("the guard refuses an honest request")
            }
        }
    }

    /// Asks a gateway one question after the other.
    @concurrent
    func ask(_ questions: ArraySlice<HTTPRequest>, _ gateway: GatewayEngine) async throws {
        for question in questions {
            guard await gateway.respond(to: question).status == 200 else {
                throw BenchmarkError("the gateway refuses an honest request")
            }
        }
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
