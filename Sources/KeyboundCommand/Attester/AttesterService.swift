// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthSystem
import StrictJSON
import Synchronization

/// The service of an app's publisher that attests keys: `docs/attestation.md` has its contract.
struct AttesterService: Sendable {
    /// For each address, and twice that for challenges and requests together.
    private static let limit = RateLimit(60, per: .seconds(60))

    let issuer: AttestationIssuer
    let policy: EvidencePolicy
    /// `aud` of requests.
    let address: String
    let proxies: TrustedProxies
    let clock: any WallClock
    /// Writes a line about each decision.
    let audit: @Sendable (JSONObject, Timestamp) -> Void
    /// Called at the first request of a trusted proxy that does not name its client.
    let onUnnamedClient: @Sendable () -> Void
    private let challenges: AttestationChallenges
    private let firstUnnamed = FirstTime()
    private let limiter = KeyedLimiter<IPAddress>(Self.limit)

    init(
        _ issuer: AttestationIssuer,
        _ policy: EvidencePolicy,
        address: String,
        proxies: TrustedProxies = .loopback,
        clock: any WallClock = SystemWallClock(),
        entropy: any Entropy = SystemEntropy(),
        challenges: AttestationChallenges? = nil,
        onUnnamedClient: @escaping @Sendable () -> Void = {},
        audit: @escaping @Sendable (JSONObject, Timestamp) -> Void
    ) {
        (self.issuer, self.policy, self.address) = (issuer, policy, address)
        (self.proxies, self.clock, self.audit) = (proxies, clock, audit)
        self.onUnnamedClient = onUnnamedClient
        self.challenges = challenges ?? AttestationChallenges(entropy)
    }

    @Sendable func respond(to request: HTTPRequest) async -> HTTPResponse {
        let paths = ["/challenge", "/attestation"]
        guard paths.contains(String(request.path)) else { return HTTPResponse.attester([:], status: 404) }
        guard request.method == "POST" else {
            var response = HTTPResponse.attester([:], status: 405)
            response.fields["Allow"] = "POST"
            return response
        }
        let client = proxies.clientAddress(of: request)
        do throws(AttesterRefusal) {
            try count(request)
            return request.path == "/challenge" ? challenge() : try await attestation(request, from: client)
        } catch {
            record(
                "attestation_refused",
                from: client,
                ["error": .string(error.code.rawValue), "reason": .string(error.reason)]
            )
            return error.response
        }
    }

    private func count(_ request: HTTPRequest) throws(AttesterRefusal) {
        // A proxy that does not name its clients is not limited: one limit for all of them would shut out everybody.
        guard let client = proxies.limitedAddress(of: request) else {
            if proxies.sent(request), firstUnnamed.take() { onUnnamedClient() }
            return
        }
        guard let wait = limiter.take(client.subscriber, at: clock.now()) else { return }
        throw AttesterRefusal(.tooManyRequests, "too many requests from this address", retryAfter: wait)
    }

    private func challenge() -> HTTPResponse {
        let challenge = challenges.make(at: clock.now())
        let seconds = AttestationChallenges.lifetime.components.seconds
        return .attester(["challenge": .string(challenge), "expires_in": .number(JSONNumber(seconds))])
    }

    private func attestation(
        _ http: HTTPRequest,
        from client: IPAddress?
    ) async throws(AttesterRefusal) -> HTTPResponse {
        guard http.fields.hasMediaType("application/json") else {
            throw AttesterRefusal(.invalidRequest, "the body is not application/json")
        }
        let now = clock.now()
        let request = try AttestationRequest(parsing: http.body)
        guard issuer.speaks(for: request.clientID) else {
            throw AttesterRefusal(.clientRefused, "the client is not one of --client")
        }
        try request.check(isFor: address)
        switch challenges.use(request.challenge, at: now) {
        case .accepted: break
        case .refused: throw AttesterRefusal(.invalidChallenge, "the challenge is unknown, used or too old")
        case .full:
            let wait = AttestationChallenges.lifetime
            throw AttesterRefusal(.failed, "too many challenges were used within two minutes", retryAfter: wait)
        }
        let protection = try await policy.protection(request)
        let text: String
        do {
            text = try await issuer.attestation(of: request.key, for: request.clientID, protection, at: now)
        } catch {
            throw AttesterRefusal(.failed, "the key of the attester did not sign")
        }
        record(
            "attestation_issued",
            from: client,
            [
                "client_id": .string(request.clientID), "key": .string(request.key.thumbprint.description),
                "key_protection": .string(protection.rawValue),
            ]
        )
        let seconds = issuer.lifetime.components.seconds
        return .attester(["attestation": .string(text), "expires_in": .number(JSONNumber(seconds))])
    }

    private func record(_ event: String, from client: IPAddress?, _ members: JSONObject) {
        var object: JSONObject = ["event": .string(event)]
        object["address"] = client.map { .string($0.description) }
        for member in members.members { object[member.name] = member.value }
        audit(object, clock.now())
    }
}

/// Tells the first call from all later ones.
private final class FirstTime: Sendable {
    private let isOver = Atomic(false)

    func take() -> Bool { !isOver.exchange(true, ordering: .relaxed) }
}
#endif
