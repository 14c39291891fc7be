// SPDX-License-Identifier: Apache-2.0

package import StrictJSON

/// A parsed protected header (RFC 7515 section 4).
///
/// A class, since messages of one signer share the same header: passing a cached header on costs one reference count.
package final class JWSHeader: Sendable {
    package let object: JSONObject
    /// `alg`, the algorithm named in the header.
    let algorithm: SignatureAlgorithm

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
