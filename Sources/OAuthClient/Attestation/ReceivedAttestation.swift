// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthSystem
import StrictJSON

/// An attestation from an attester, whose signature only the server can verify.
struct ReceivedAttestation: Sendable {
    /// In characters.
    private static let maximumLength = 8192

    let text: String
    /// The thumbprint of the attested key.
    let thumbprint: JWKThumbprint
    /// When to get the next one: after four fifths of its life.
    var renewAt: Timestamp
    /// From when it is of no use.
    let endsAt: Timestamp

    /// Reads an attestation that has just arrived.
    ///
    /// Its life counts from now: the clock of the attester may differ.
    init(_ text: String, for clientID: String, at now: Timestamp) throws(OAuthClientError) {
        let claims: JWTClaims
        do {
            claims = try JWTClaims(CompactJWS(parsing: text, maximumLength: Self.maximumLength).payloadObject())
        } catch {
            throw OAuthClientError(
                .attestationFailed,
                "the attester gave something that is no attestation",
                underlying: error
            )
        }
        guard claims.subject?.isIdentical(to: clientID) ?? false else {
            throw OAuthClientError(.attestationFailed, "the attester gave an attestation for another client")
        }
        guard let member = claims.object["cnf"]?.objectValue?["jwk"]?.objectValue, let key = try? JWK(parsing: member)
        else { throw OAuthClientError(.attestationFailed, "the attestation names no key") }
        guard let expiresAt = claims.expiresAt else {
            throw OAuthClientError(.attestationFailed, "the attestation has no end")
        }
        let life = expiresAt - (claims.issuedAt ?? now)
        guard life > .zero else {
            throw OAuthClientError(.attestationFailed, "the attester gave an attestation that has expired")
        }
        (self.text, thumbprint) = (text, key.thumbprint)
        (renewAt, endsAt) = (now + life * 4 / 5, now + life)
    }
}
