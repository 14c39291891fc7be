// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthSystem
import StrictJSON

/// The JWT of a signed authorization request (RFC 9101 section 4), signed again each time it is sent.
struct RequestObject {
    /// The parameters of the request, as claims.
    private let parameters: JSONObject

    /// Parameters with JSON values: as claims they are JSON, not text.
    private static let values: Set<String> = ["claims", "authorization_details"]
    /// Parameters that are numbers (RFC 9101 section 4).
    private static let numbers: Set<String> = ["max_age"]
    /// The only parameter that may be repeated (RFC 8707 section 2).
    private static let repeatable: Set<String> = ["resource"]

    /// The claims of the JWT itself.
    ///
    /// With `sub` it could be used as a client assertion (RFC 9101 section 10.8).
    private static let ofTheJWT: Set<String> = ["iss", "sub", "aud", "exp", "nbf", "iat", "jti"]

    init(_ form: FormParameters) throws(OAuthClientError) {
        var claims = JSONObject()
        for parameter in form.all where claims[parameter.name] == nil {
            guard !Self.ofTheJWT.contains(parameter.name) else {
                throw OAuthClientError(
                    .invalidArgument,
                    "'\(parameter.name)' cannot be a parameter of a signed request"
                )
            }
            let all = form.values(for: parameter.name)
            guard all.count == 1 else {
                guard Self.repeatable.contains(parameter.name) else {
                    throw OAuthClientError(.invalidArgument, "'\(parameter.name)' may occur only once in a request")
                }
                claims[parameter.name] = .strings(all)
                continue
            }
            claims[parameter.name] = try Self.claim(parameter)
        }
        parameters = claims
    }

    private static func claim(_ parameter: FormParameters.Parameter) throws(OAuthClientError) -> JSONValue {
        let isNumber = numbers.contains(parameter.name)
        guard isNumber || values.contains(parameter.name) else { return .string(parameter.value) }
        guard let value = try? JSONValue(parsing: Array(parameter.value.utf8)),
            isNumber ? value.integerValue != nil : value.objectValue != nil || value.arrayValue != nil
        else {
            let expected = isNumber ? "a whole number" : "a JSON object or array"
            throw OAuthClientError(.invalidArgument, "'\(parameter.name)' is not \(expected)")
        }
        return value
    }

    /// The JWT, for one use; the server accepts it for its whole lifetime.
    func signed(
        with signing: RequestObjectSigning,
        by clientID: String,
        for issuer: String,
        lifetime: Duration,
        now: Timestamp,
        entropy: any Entropy
    ) async throws(OAuthClientError) -> String {
        let issuedAt = JSONNumber(now.secondsSince1970)
        var claims = parameters
        claims["iss"] = .string(clientID)
        // One audience, which no data of the server can change.
        claims["aud"] = .string(issuer)
        claims["jti"] = .string(Base64URL.encode(entropy.bytes(16)))
        claims["iat"] = .number(issuedAt)
        claims["nbf"] = .number(issuedAt)
        claims["exp"] = .number(JSONNumber((now + lifetime).secondsSince1970))
        var header: JSONObject = ["typ": "oauth-authz-req+jwt"]
        header["kid"] = signing.keyID.map { .string($0) }
        do {
            return try await CompactJWS.sign(
                header: header,
                payload: JSONValue.object(claims).encoded(),
                with: signing.key
            )
        } catch {
            throw OAuthClientError(.keyUnavailable, "the key for requests did not sign", underlying: error)
        }
    }
}
