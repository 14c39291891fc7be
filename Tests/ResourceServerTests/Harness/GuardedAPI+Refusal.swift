// SPDX-License-Identifier: Apache-2.0

import ResourceServer
import TestSupport
import Testing

extension GuardedAPI {
    /// Sends a token with a proof that is right for it: refused, whoever reads the answer learns no reason, and nothing
    /// is recorded.
    func expectRefusal(of token: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let request = request(token, try await proof(for: token))
        try expect(
            await send(request),
            isChallengeWith: "invalid_token",
            "The access token is invalid or has expired",
            sourceLocation: sourceLocation
        )
        #expect(recordedProofs == 0, sourceLocation: sourceLocation)
    }
}
