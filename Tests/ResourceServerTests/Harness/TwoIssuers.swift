// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import ResourceServer
import StrictJSON
import TestSupport

/// An API that accepts the tokens of two issuers, whose keys have the same name.
struct TwoIssuers {
    static let partner = "https://partner.example.org"

    let api: GuardedAPI
    /// The keys of ``GuardedAPI/issuer``.
    let ownKeys: IssuerKeySource
    /// The keys of ``partner``.
    let partnerKeys: IssuerKeySource
    let partnerKey: SoftwareSigningKey

    init(
        partner name: String = TwoIssuers.partner,
        _ change: (inout AcceptedIssuer) -> Void = { _ in },
        configuration: (inout GuardConfiguration) -> Void = { _ in }
    ) throws {
        ownKeys = IssuerKeySource(Self.published(try TestKey.p256(1)))
        partnerKey = try TestKey.p256(7)
        partnerKeys = IssuerKeySource(Self.published(partnerKey))
        var accepted = AcceptedIssuer(issuer: name, keys: partnerKeys)
        change(&accepted)
        let further = accepted
        api = try GuardedAPI(keys: ownKeys) {
            $0.furtherIssuers = [further]
            configuration(&$0)
        }
    }

    static func published(_ key: SoftwareSigningKey) -> JWKSet {
        JWKSet([key.publicKey.named("key-1", algorithm: .es256)])
    }

    /// How often keys of either issuer were asked for.
    var questions: Int { ownKeys.questions + partnerKeys.questions }

    /// A token of the partner, with whatever a test changes.
    func partnerToken(
        header: JSONObject = ["typ": "at+jwt", "kid": "key-1"],
        _ change: (inout JSONObject) -> Void = { _ in }
    ) async throws -> String {
        try await api.accessToken(header: header, signedBy: partnerKey) { claims in
            claims["iss"] = .string(Self.partner)
            change(&claims)
        }
    }

    /// What the guard makes of a token with a proof that is right for it.
    func check(_ token: String) async throws -> GuardDecision {
        await api.requestGuard.check(api.request(token, try await api.proof(for: token)))
    }

    /// The accepted request; `nil` if the guard rejects it.
    func accepted(_ token: String) async throws -> AuthorizedRequest? {
        guard case .accepted(let authorized) = try await check(token) else { return nil }
        return authorized
    }

    /// The status that a client gets.
    func status(_ token: String) async throws -> Int {
        await api.send(api.request(token, try await api.proof(for: token))).status
    }
}
