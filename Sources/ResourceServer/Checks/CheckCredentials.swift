// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore

/// RFC 9449 sections 7.1 and 7.2: the request has one access token, in `Authorization`, with the scheme DPoP.
struct CheckCredentials {
    /// The token, and how it was sent.
    struct Presented {
        let accessToken: String
        /// Whether it was sent as a bearer token.
        ///
        /// Unless the API accepts those, such a request is rejected, but the reason depends on the token.
        let isBearer: Bool
    }

    static func run(
        _ request: HTTPRequest,
        for requirement: GuardRequirement,
        _ challenges: ChallengeWriter
    ) throws(GuardFailure) -> Presented {
        let values = request.fields.values(for: "Authorization")
        guard values.count <= 1 else { throw challenges.severalCredentials }
        guard !hasTokenElsewhere(request) else {
            throw values.isEmpty ? challenges.misplacedCredentials : challenges.severalCredentials
        }
        guard let value = values.first else { throw challenges.missingCredentials(requirement.scopeToRequest()) }
        guard value.utf8.count <= 16_384, let credentials = try? Credentials.parse(value) else {
            throw challenges.rejected(
                .invalidToken,
                "The Authorization field is malformed",
                RejectionReason("credentials", "RFC 9449 section 7.1", expected: "one scheme and one token")
            )
        }
        if credentials.hasScheme("DPoP") { return Presented(accessToken: credentials.token68, isBearer: false) }
        if credentials.hasScheme("Bearer") {
            // A proof for a token that is bound to nothing: the client means one of the two.
            if challenges.acceptsBearer, !request.fields.values(for: "DPoP").isEmpty {
                throw challenges.severalCredentials
            }
            return Presented(accessToken: credentials.token68, isBearer: true)
        }
        throw challenges.missingCredentials(requirement.scopeToRequest())
    }

    /// RFC 6750 sections 2.2 and 2.3, RFC 9700 section 4.3.2: a token in a query or form ends up in logs.
    private static func hasTokenElsewhere(_ request: HTTPRequest) -> Bool {
        if let query = request.query, !query.isEmpty, hasToken(Array(query.utf8)) { return true }
        // Checks every field, since the API may use any of them.
        let isForm = request.fields.values(for: "Content-Type").contains {
            HTTPFields.isMediaType($0, FormParameters.mediaType)
        }
        return isForm && hasToken(request.body)
    }

    private static func hasToken(_ form: [UInt8]) -> Bool {
        guard let parameters = try? FormParameters(decoding: form, maximumCount: 1024) else { return false }
        return !parameters.values(for: "access_token").isEmpty
    }
}
