// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// The parameters of a response and their delivery, not yet verified.
struct ReceivedParameters {
    let carrier: ResponseDelivery
    let all: FormParameters

    /// The parameters of an authorization response.
    static let known: Set<String> = ["state", "code", "iss", "error", "error_description", "error_uri", "response"]

    /// Reads a callback.
    ///
    /// The fragment is read only if the query holds no response, so at most one location counts. Whether it is the
    /// requested one is checked once the sign-in is known.
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

    /// The signed response, which then alone counts (JARM section 2.4); `nil` if there is none.
    func signedResponse() throws(OAuthClientError) -> String? {
        guard !all.values(for: "response").isEmpty else { return nil }
        guard let token = try? all.value(for: "response") else {
            throw OAuthClientError(.malformedCallback, "'response' is repeated in the answer, or empty")
        }
        // Plain parameters in addition to a signed response are an attempt to inject them.
        guard all.all.allSatisfy({ $0.name == "response" || !Self.known.contains($0.name) }) else {
            throw OAuthClientError(.malformedCallback, "the answer has plain parameters beside the signed ones")
        }
        return token
    }
}
