// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import OAuthTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An answer of an API, its body in whatever form was asked for.
struct ReceivedAnswer<Body: Sendable>: Sendable {
    let body: Body
    let response: HTTPURLResponse
    /// The fields of the response, which URLSession has as a dictionary.
    let fields: HTTPFields
    /// What the answer says about proof and token.
    let verdict: ProofVerdict
}

/// Errors are small; a large body is something else.
private let maximumErrorSize = 65_536

extension ReceivedAnswer<Data> {
    init(_ body: Data, _ response: HTTPURLResponse) {
        self.body = body
        self.response = response
        fields = HTTPFields(response)
        let isReadable = ProofVerdict.reads(status: response.statusCode) && body.count <= maximumErrorSize
        verdict = ProofVerdict(response, fields, body: isReadable ? body : Data())
    }
}

extension ReceivedAnswer<ResponseBytes> {
    /// Reads ahead in the body of an error, without taking it from whoever reads after.
    init(_ bytes: ResponseBytes, _ response: HTTPURLResponse) async throws(OAuthClientError) {
        self.response = response
        fields = HTTPFields(response)
        // What the body throws becomes an error of this module, as what the call throws.
        let next: ResponseChunks.NextChunk = {
            do {
                return try await bytes.chunks.next()
            } catch {
                throw OAuthClientError(error, otherwise: .transportFailed, "the body of the answer cannot be read")
            }
        }
        guard ProofVerdict.reads(status: response.statusCode) else {
            body = ResponseBytes(ResponseChunks(nextChunk: next))
            verdict = ProofVerdict(response, fields, body: Data())
            return
        }
        var start = Data()
        do {
            while start.count <= maximumErrorSize, let chunk = try await next() { start.append(chunk) }
        } catch {
            throw OAuthClientError(error, otherwise: .transportFailed, "the body of the answer cannot be read")
        }
        body = ResponseBytes(ResponseChunks(startingWith: start, then: next))
        verdict = ProofVerdict(response, fields, body: start.count <= maximumErrorSize ? start : Data())
    }
}

extension ProofVerdict {
    fileprivate init(_ response: HTTPURLResponse, _ fields: HTTPFields, body: Data) {
        self.init(HTTPResponse(status: response.statusCode, fields: fields, body: [UInt8](body)))
    }
}
