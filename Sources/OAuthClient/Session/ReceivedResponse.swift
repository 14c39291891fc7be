// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthTransport

/// A response of an API whose body has not been read yet.
struct ReceivedResponse: Sendable {
    /// In bytes.
    ///
    /// Error bodies are small; the proof result is not read from a larger body.
    private static let maximumErrorSize = 65_536

    let response: StreamedResponse
    /// What the response says about proof and token.
    let verdict: ProofResult

    /// Reads an error body ahead of the caller, which can still read all of it.
    init(_ received: StreamedResponse) async throws(OAuthClientError) {
        // Converts errors of the body to errors of this module, like those of the call.
        let next: ResponseChunks.NextChunk = {
            do {
                return try await received.body.chunks.next()
            } catch {
                throw OAuthClientError(error, otherwise: .transportFailed, "the body of the answer cannot be read")
            }
        }
        var start: [UInt8] = []
        if ProofResult.reads(status: received.status) {
            do {
                while start.count <= Self.maximumErrorSize, let chunk = try await next() { start += chunk }
            } catch {
                throw OAuthClientError(error, otherwise: .transportFailed, "the body of the answer cannot be read")
            }
        }
        response = StreamedResponse(
            status: received.status,
            fields: received.fields,
            body: ResponseBytes(ResponseChunks(startingWith: start, then: next))
        )
        verdict = ProofResult(
            HTTPResponse(
                status: received.status,
                fields: received.fields,
                body: start.count <= Self.maximumErrorSize ? start : []
            )
        )
    }
}
