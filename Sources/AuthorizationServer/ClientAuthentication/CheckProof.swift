// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import OAuthCore
import ServerStorage

/// RFC 9449 section 5: every check of section 4.3 on the proof but the last, which ``RecordProof`` does.
struct CheckProof<Stage: ClientStage>: Verification {
    /// When a request must have a proof.
    enum Requirement {
        /// A proof is optional, and checked if present.
        case never
        /// Required if the server or the client uses only bound tokens (section 5.2).
        case whenBound
        /// Required whatever the client is.
        case always
        /// Looked at only if the client is attested: the request has no other use for it.
        case whenAttested
    }

    let section = "RFC 9449 section 5"
    let isRequired: Requirement

    func run(_ request: Stage, _ services: Services) async throws(ProtocolFailure) -> ProvenRequest<Stage> {
        let isAttested = request.clientRequest.attestation != nil
        guard isAttested || isRequired != .whenAttested else { return ProvenRequest(base: request, proof: nil) }
        let fields = request.http.fields.values(for: "DPoP")
        guard !fields.isEmpty else {
            // draft-ietf-oauth-attestation-based-client-auth-11 section 7.3: the proof is part of the authentication.
            guard !isAttested else { throw ProtocolFailure.missingProof("the attestation is") }
            guard isRequired != .always else { throw ProtocolFailure.missingProof("the sign-in is") }
            let mustBeBound = services.configuration.requireDPoP || request.client.dpopBoundAccessTokens
            guard isRequired == .never || !mustBeBound else {
                throw ProtocolFailure.missingProof("tokens of this client are")
            }
            return ProvenRequest(base: request, proof: nil)
        }
        let expectation = ExpectedRequest(method: request.http.method, targetURI: request.form.received.address.target)
        do {
            let proof = try await services.verifier(for: request.client).check(
                fields,
                against: expectation,
                at: request.now,
                with: services.configuration.signatures
            )
            return ProvenRequest(base: request, proof: proof)
        } catch {
            throw ProtocolFailure(error, to: request, services)
        }
    }
}
