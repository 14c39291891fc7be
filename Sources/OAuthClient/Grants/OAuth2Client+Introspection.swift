// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
public import OAuthCore
import StrictJSON

extension OAuth2Client {
    /// Asks the server whether an access token is active, and what it is for.
    ///
    /// Most servers require client authentication (see ``OAuth2ClientConfiguration/clientAuthentication``).
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - signed: Whether the server must sign the response (RFC 9701), so that it can be shown to others later.
    /// - Returns: The response of the server. A token that it does not know is not active.
    /// - Throws: ``OAuthClientError/Code/unsupportedByServer`` without an introspection endpoint,
    ///   ``OAuthClientError/Code/clientCertificateMissing``, ``OAuthClientError/Code/serverRejected``,
    ///   ``OAuthClientError/Code/serverUnavailable``, ``OAuthClientError/Code/malformedResponse`` also when the
    ///   response is not signed as required, ``OAuthClientError/Code/transportFailed``,
    ///   ``OAuthClientError/Code/cancelled``.
    ///
    /// ## Specification
    ///
    /// [RFC 7662 §2](https://www.rfc-editor.org/rfc/rfc7662#section-2),
    /// [RFC 9701 §5](https://www.rfc-editor.org/rfc/rfc9701#section-5)
    public func introspect(
        _ token: AccessToken,
        signed: Bool = false
    ) async throws(OAuthClientError) -> TokenIntrospection {
        try await introspect(token.value, hint: "access_token", signed: signed)
    }

    /// Asks the server whether a refresh token is active.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - signed: Whether the server must sign the response.
    /// - Returns: The response of the server.
    /// - Throws: The codes of ``introspect(_:signed:)-(AccessToken,_)``.
    public func introspect(
        _ token: RefreshToken,
        signed: Bool = false
    ) async throws(OAuthClientError) -> TokenIntrospection {
        try await introspect(token.value, hint: "refresh_token", signed: signed)
    }

    private func introspect(
        _ token: String,
        hint: String,
        signed: Bool
    ) async throws(OAuthClientError) -> TokenIntrospection {
        let endpoint = try await address(of: .introspection)
        let form: FormParameters = ["token": token, "token_type_hint": hint]
        let signedType = "application/token-introspection+jwt"
        let mediaType = signed ? signedType : "application/json"
        var attempt = RequestAttempt(.introspection)
        let response = try await repeater.run(.harmless, &attempt) { attempt throws(OAuthClientError) in
            try await server.post(form, to: endpoint, accepting: mediaType, &attempt)
        }
        guard response.status == 200 else {
            throw OAuthClientError(rejectedBy: "the server, asked about a token,", response)
        }
        do {
            guard signed else { return try TokenIntrospection(parsing: response.jsonObject()) }
            guard response.fields.hasMediaType(signedType) else {
                throw OAuthClientError(.malformedResponse, "the introspection is not signed")
            }
            return try await signedIntrospection(String(decoding: response.body, as: UTF8.self))
        } catch let error as JOSEError {
            throw OAuthClientError(
                .malformedResponse,
                "the introspection is rejected: \(error.reason)",
                underlying: error
            )
        } catch let error as StrictJSONError {
            throw OAuthClientError(
                .malformedResponse,
                "the introspection is rejected: \(error.reason)",
                underlying: error
            )
        } catch {
            throw OAuthClientError(error, otherwise: .malformedResponse, "the introspection cannot be read")
        }
    }

    private func signedIntrospection(_ text: String) async throws -> TokenIntrospection {
        let claims = try await claims(ofSignedResponse: text, .introspection)
        guard let object = claims["token_introspection"]?.objectValue else {
            throw OAuthClientError(.malformedResponse, "the signed introspection has no 'token_introspection'")
        }
        return try TokenIntrospection(parsing: object)
    }
}
