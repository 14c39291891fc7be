// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// The parameters of an answer, and what carried them; nothing in them is to be believed yet.
struct ReceivedParameters {
    let carrier: ResponseDelivery
    let all: FormParameters

    /// What an authorization response may hold.
    static let known: Set<String> = ["state", "code", "iss", "error", "error_description", "error_uri", "response"]

    /// Reads what the browser brought.
    ///
    /// A fragment is read only where the query holds no answer, so that there is one place at most; which one was asked for
    /// is known when the sign-in is.
    init(_ callback: AuthorizationCallback, _ url: URI) throws(OAuthClientError) {
        if let body = callback.formBody {
            guard body.count <= AuthorizationCallback.maximumFormSize else {
                throw OAuthClientError(
                    .malformedCallback,
                    "the form is longer than \(AuthorizationCallback.maximumFormSize) bytes"
                )
            }
            (carrier, all) = (.form, try Self.decode(body, "form"))
            return
        }
        let query = try Self.decode(Array((url.query ?? "").utf8), "query")
        let isInQuery = query.all.contains { Self.known.contains($0.name) }
        if !isInQuery, let fragment = url.fragment, !fragment.isEmpty {
            (carrier, all) = (.fragment, try Self.decode(Array(fragment.utf8), "fragment"))
        } else {
            (carrier, all) = (.query, query)
        }
    }

    private static func decode(_ text: [UInt8], _ place: String) throws(OAuthClientError) -> FormParameters {
        do {
            return try FormParameters(decoding: text)
        } catch {
            throw OAuthClientError(.malformedCallback, "the \(place) of the answer is not form-encoded")
        }
    }

    /// The signed answer, which then is all that counts (JARM section 2.4); `nil` when there is none.
    func signedResponse() throws(OAuthClientError) -> String? {
        guard !all.values(for: "response").isEmpty else { return nil }
        guard let token = try? all.value(for: "response") else {
            throw OAuthClientError(.malformedCallback, "'response' is repeated in the answer, or empty")
        }
        // Beside a signed answer, plain parameters are somebody's attempt to have them believed.
        guard all.all.allSatisfy({ $0.name == "response" || !Self.known.contains($0.name) }) else {
            throw OAuthClientError(.malformedCallback, "the answer has plain parameters beside the signed ones")
        }
        return token
    }
}
