// SPDX-License-Identifier: Apache-2.0

import OAuthCore

/// The body of a response that arrives piece by piece.
protocol ReceivedBody: Sendable {
    /// Waits for the next piece; `nil` at the end.
    func nextChunk() async throws(OAuthCoreError) -> [UInt8]?
}

extension ReceivedBody {
    /// Waits for the rest of the body, at most `maximumSize` bytes.
    func rest(maximumSize: Int) async throws(OAuthCoreError) -> [UInt8] {
        var body: [UInt8] = []
        while let chunk = try await nextChunk() {
            guard chunk.count <= maximumSize - body.count else {
                throw OAuthCoreError(
                    .transportFailed,
                    "the response is larger than \(maximumSize) bytes",
                    underlying: UnreadableResponse()
                )
            }
            body += chunk
        }
        return body
    }

    /// The body as a stream for an app.
    func bytes() -> ResponseBytes {
        ResponseBytes(
            ResponseChunks {
                do throws(OAuthCoreError) {
                    return try await nextChunk()
                } catch {
                    throw error
                }
            }
        )
    }
}
