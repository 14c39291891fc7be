// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem
import StrictJSON

extension FormParameters {
    /// Claims about the request object itself, which are not parameters of the request.
    private static let ofTheJWT: Set<String> = ["iss", "aud", "exp", "nbf", "iat", "jti"]

    /// The parameters of a request object, in the form that they have in a form body (RFC 9101 section 4).
    ///
    /// Numbers and JSON become text; each element of a list of resources becomes a parameter. `nil` if a claim has no
    /// such form.
    init?(requestObject claims: JSONObject) {
        self.init()
        for claim in claims.members where !Self.ofTheJWT.contains(claim.name) {
            switch claim.value {
            case .string(let text):
                append(claim.name, text)
            case .number(let number) where number.integer != nil:
                append(claim.name, number.literal)
            case .array(let values) where claim.name.isIdentical(to: Self.repeatableName):
                for value in values {
                    guard let text = value.stringValue else { return nil }
                    append(claim.name, text)
                }
            case .array, .object:
                append(claim.name, String(decoding: claim.value.encoded(), as: UTF8.self))
            default:
                return nil
            }
        }
    }
}
