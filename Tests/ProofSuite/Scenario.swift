// SPDX-License-Identifier: Apache-2.0

package import DPoP
import HTTPMessage
package import JOSE
package import OAuthSystem
import StrictJSON
package import TestSupport

/// The request of most tests: an API call with a bound access token.
package struct Scenario: Sendable {
    package static let now = Timestamp(secondsSince1970: 1_790_000_000)
    package static let uri = "https://api.example.com/me"
    package static let accessToken = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"
    /// Published as `ath` of that token in RFC 9449 section 7.1.
    package static let accessTokenHash = "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo"
    package static let secret = DPoPNonceSecret(number: 1, bytes: [UInt8](repeating: 7, count: 32))

    package var now = Scenario.now
    package var policy = ProofPolicy(nonces: .off)
    package var nonces = DPoPNonceIssuer(role: .resourceServer, secrets: [Scenario.secret])
    package var expectation: ExpectedRequest
    package let key: SoftwareSigningKey

    package init() throws {
        key = try TestKey.p256()
        expectation = ExpectedRequest(
            method: "GET",
            targetURI: try TargetURI(parsing: Self.uri),
            accessToken: Self.accessToken,
            thumbprint: key.publicKey.thumbprint
        )
    }

    /// A proof that passes every check.
    package func proof(jti: String = "-BwC3ESc6acc2lTc") -> ProofBuilder {
        var builder = ProofBuilder(key: key, method: "GET", uri: Self.uri, at: now, jti: jti)
        builder.claims["ath"] = .string(Self.accessTokenHash)
        return builder
    }

    /// A verifier with empty caches.
    package var verifier: DPoPProofVerifier { DPoPProofVerifier(policy: policy, nonces: nonces) }

    /// Checks the fields of a request.
    package func check(
        _ fields: [String],
        at time: Timestamp? = nil,
        passing: (ProofStep) -> Void = { _ in }
    ) throws(DPoPError) -> VerifiedProof {
        try verifier.check(fields, against: expectation, at: time ?? now, passing: passing)
    }

    /// Checks one proof and records it.
    @discardableResult
    package func accept(
        _ text: String,
        in store: MemoryReplayStore = MemoryReplayStore(),
        at time: Timestamp? = nil
    ) throws(DPoPError) -> VerifiedProof {
        let proof = try check([text], at: time)
        try verifier.record(proof, in: store, at: time ?? now)
        return proof
    }
}

/// The error of a body that must fail; `nil` if it does not.
package func failure<Result>(_ body: () throws -> Result) -> DPoPError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? DPoPError
    }
}

/// The error of a body that must fail; `nil` if it does not.
package func asynchronousFailure<Result>(_ body: () async throws -> Result) async -> DPoPError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? DPoPError
    }
}
