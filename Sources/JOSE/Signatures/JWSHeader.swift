// SPDX-License-Identifier: Apache-2.0

package import StrictJSON

/// The protected header of a signed message, read (RFC 7515 section 4).
///
/// A class, since messages of one signer have the same header: who knows it hands it on by counting one reference.
package final class JWSHeader: Sendable {
    /// Its members.
    package let object: JSONObject
    /// `alg`: what the message says it is signed with.
    package let algorithm: SignatureAlgorithm

    /// Reads the header of a message.
    init(parsing segments: JWSSegments) throws(JOSEError) {
        let document = try segments.withHeader { header throws(JOSEError) in
            do throws(StrictJSONError) {
                return try JSONDocument.parse(header, limits: .standard)
            } catch {
                throw JOSEError(malformedToken: error)
            }
        }
        guard let object = document.object(at: 0) else {
            throw JOSEError(.malformedToken, "the header is not a JSON object")
        }
        guard !object.hasMember("crit"), !object.hasMember("b64") else {
            throw JOSEError(.invalidClaim, "the header demands an extension that is not supported ('crit' or 'b64')")
        }
        guard let name = object.string("alg") else {
            throw JOSEError(.algorithmNotAllowed, "the header has no string member 'alg'")
        }
        self.object = object
        algorithm = SignatureAlgorithm(rawValue: name)
    }
}
