// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import PKCE
import StrictJSON

/// A proof as a server receives it, checked without this package's verifier: an error common to client and verifier
/// shows.
struct ReceivedProof {
    struct Wrong: Error, CustomStringConvertible {
        let description: String
    }

    let id: String
    let nonce: String?
    let thumbprint: String
    let uri: String
    let issuedAt: Int64
    let accessTokenHash: String?

    init(_ request: HTTPRequest, _ uri: URI, accessToken: String?) throws {
        let values = request.fields.values(for: "DPoP")
        guard values.count == 1 else { throw Wrong(description: "\(values.count) DPoP fields") }
        let jws = try CompactJWS(parsing: values[0])
        guard jws.header["typ"]?.stringValue == "dpop+jwt", let object = jws.header["jwk"]?.objectValue else {
            throw Wrong(description: "the header is not that of a proof")
        }
        let members = object["kty"]?.stringValue == "OKP" ? ["crv", "kty", "x"] : ["crv", "kty", "x", "y"]
        guard object.members.map(\.name).sorted() == members else {
            throw Wrong(description: "the key has other members than a public key needs")
        }
        let key = try JWK(parsing: object)
        try jws.verify(with: key, allowing: [.es256, .es384, .edDSA])
        let claims = try jws.payloadObject()
        guard claims["htm"]?.stringValue == request.method else { throw Wrong(description: "htm is not the method") }
        let target = request.target.prefix { $0 != "?" && $0 != "#" }
        guard let htu = claims["htu"]?.stringValue,
            try URI(parsing: htu).normalized() == URI(parsing: String(target)).normalized()
        else { throw Wrong(description: "htu is not the URL without query and fragment") }
        // The PKCE challenge is the same function: base64url of SHA-256 of ASCII.
        let hash = try accessToken.map { try CodeVerifier($0).s256Challenge.value }
        guard claims["ath"]?.stringValue == hash else {
            throw Wrong(description: "ath is not the hash of the token, or is there without one")
        }
        guard let id = claims["jti"]?.stringValue, id.utf8.count >= 16, let issuedAt = claims["iat"]?.integerValue
        else {
            throw Wrong(description: "jti or iat is missing")
        }
        self.id = id
        self.issuedAt = issuedAt
        self.uri = htu
        nonce = claims["nonce"]?.stringValue
        thumbprint = key.thumbprint.description
        accessTokenHash = claims["ath"]?.stringValue
    }
}
