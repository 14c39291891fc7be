// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthTransport

/// A response of an API, its body still to be read.
struct ReceivedResponse: Sendable {
    /// Errors are small, in bytes; a large body is something else.
    private static let maximumErrorSize = 65_536

    let response: StreamedResponse
    /// What the response says about proof and token.
    let verdict: ProofResult

    /// Reads ahead in the body of an error, without taking it from whoever reads after.
    init(_ received: StreamedResponse) async throws(OAuthClientError) {
        // What the body throws becomes an error of this module, as what the call throws.
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
