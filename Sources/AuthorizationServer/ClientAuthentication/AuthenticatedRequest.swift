// SPDX-License-Identifier: Apache-2.0

/// A request of an authenticated client, with what was read for its checks.
struct AuthenticatedRequest<Reads: ClientReads>: ClientStage {
    let clientRequest: ClientRequest
    let reads: Reads
}

extension ProvenRequest {
    /// The token request without what was read, which the checks of a code or token have taken from it.
    func tokenRequest<Reads>() -> TokenRequest where Base == AuthenticatedRequest<Reads> {
        TokenRequest(base: base.clientRequest, proof: proof)
    }
}
