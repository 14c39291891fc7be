// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthSystem
import StrictJSON

// A token is made, read and validated: with the product JOSE and what it stands on.
let key = try SoftwareSigningKey()
let now = SystemWallClock().now()
let claims: JSONValue = [
    "iss": "https://auth.example.com", "aud": "https://api.example.com", "sub": "alice",
    "exp": .number(JSONNumber(now.secondsSince1970 + 60)),
]
let token = try await CompactJWS.sign(header: ["typ": "at+jwt"], payload: claims.encoded(), with: key)

func validation(for audience: String) -> JWTValidation {
    JWTValidation(type: "at+jwt", issuer: "https://auth.example.com", audience: audience)
}
let validated = try validation(for: "https://api.example.com").validate(token, with: JWKSet([key.publicKey]), at: now)
precondition(validated.subject == "alice")

do {
    _ = try validation(for: "https://other.example.com").validate(token, with: JWKSet([key.publicKey]), at: now)
    // The verdict of this program.
    preconditionFailure("a token for another API was accepted")
} catch {
    precondition(error.code == .invalidClaim)
}

// RFC 7638 section 3.1 is on RSA; RFC 9449 section 6.1 has this one.
let published = try JSONValue(
    parsing: Array(
        """
        {"kty":"EC","crv":"P-256","x":"l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs",\
        "y":"9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA"}
        """.utf8
    )
)
if let object = published.objectValue {
    let thumbprint = try JWK(parsing: object).thumbprint
    precondition(thumbprint.description == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
}
print("JOSE works by itself, key \(key.publicKey.thumbprint)")
