// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthTransport

extension ResponseChunks {
    /// Reads the whole body, at most `limit` bytes.
    ///
    /// - Parameters:
    ///   - limit: The maximum size of the body, in bytes.
    ///   - tooLong: The error for a larger body.
    /// - Returns: The body.
    /// - Throws: `tooLong`, ``OAuthClientError/Code/transportFailed``, ``OAuthClientError/Code/cancelled``.
    func whole(
        atMost limit: Int,
        orThrow tooLong: @autoclosure () -> OAuthClientError
    ) async throws(OAuthClientError) -> [UInt8] {
        var body: [UInt8] = []
        do {
            while let chunk = try await next() {
                guard chunk.count <= limit - body.count else { throw tooLong() }
                body += chunk
            }
        } catch {
            throw OAuthClientError(error, otherwise: .transportFailed, "the body of the answer cannot be read")
        }
        return body
    }
}
