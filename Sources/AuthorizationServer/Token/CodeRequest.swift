// SPDX-License-Identifier: Apache-2.0

import DPoP
import ServerStorage

/// A token request with a code that was issued to its client (RFC 6749 section 4.1.3).
struct CodeRequest: GrantStage, ProvenStage {
    let token: TokenRequest
    let code: StoredCode
    let grant: Grant?

    var clientRequest: ClientRequest { token.base }
    var proof: VerifiedProof? { token.proof }
}
