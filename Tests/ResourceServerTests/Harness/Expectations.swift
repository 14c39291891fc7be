// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import Testing

/// Expects the challenge of RFC 9449 section 7.1 for a request with the DPoP scheme, whole and alone.
func expect(
    _ response: HTTPResponse,
    isChallengeWith error: String,
    _ description: String? = nil,
    status: Int = 401,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    #expect(response.status == status, sourceLocation: sourceLocation)
    let challenges = try Challenge.parse(response.fields.values(for: "WWW-Authenticate"))
    #expect(challenges.map(\.scheme) == ["DPoP"], sourceLocation: sourceLocation)
    #expect(challenges.first?.value(for: "error") == error, sourceLocation: sourceLocation)
    #expect(challenges.first?.value(for: "algs") == "ES256 Ed25519 EdDSA", sourceLocation: sourceLocation)
    let text = try #require(challenges.first?.value(for: "error_description"), sourceLocation: sourceLocation)
    if let description { #expect(text == description, sourceLocation: sourceLocation) }
    let isAllowed = text.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    #expect(isAllowed, "\(text)", sourceLocation: sourceLocation)
    expectPrivate(response, sourceLocation: sourceLocation)
}

/// What every refusal has.
func expectPrivate(_ response: HTTPResponse, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(response.fields.values(for: "Cache-Control") == ["no-store"], sourceLocation: sourceLocation)
    #expect(
        response.fields["Access-Control-Expose-Headers"] == "DPoP-Nonce, WWW-Authenticate",
        sourceLocation: sourceLocation
    )
    #expect(response.body.isEmpty, sourceLocation: sourceLocation)
}
