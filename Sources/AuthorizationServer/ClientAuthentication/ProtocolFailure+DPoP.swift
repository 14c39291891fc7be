// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import OAuthCore

extension ProtocolFailure {
    /// The error of an authorization server for an invalid proof (RFC 9449 sections 5 and 8).
    init(_ error: DPoPError, to request: some ClientStage, _ services: Services) {
        switch error.code {
        case .nonceRequired:
            self.init(.useDPoPNonce, "Authorization server requires nonce in DPoP proof")
            fields["DPoP-Nonce"] = services.verifier(for: request.client).nonceToOffer(after: nil, at: request.now)
        case .replayStoreUnavailable:
            services.report("replay store: \(error.reason)")
            self = .unavailable
        case .cancelled:
            self = .unavailable
        default:
            self.init(.invalidDPoPProof, error.reason)
            proofStep = error.step?.name
        }
    }

    /// A proof is required, and the request has none (RFC 9449 section 4.3, check 1).
    ///
    /// - Parameter what: What is bound to a key, with its verb: `the code is`.
    /// - Returns: The failure, with its step.
    static func missingProof(_ what: StaticString) -> ProtocolFailure {
        var failure = ProtocolFailure(.invalidDPoPProof, "\(what) bound to a key: a DPoP proof is required")
        failure.proofStep = ProofStep.singleField.name
        return failure
    }
}
