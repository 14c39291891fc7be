// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import StrictJSON

extension OAuth2Client {
    /// The parameters of a signed response.
    ///
    /// The signature is checked with the keys of the server that this client was made for. Only then is `state` read:
    /// the waiting sign-in has no influence on which keys are accepted.
    func signedParameters(_ token: String) async throws(OAuthClientError) -> FormParameters {
        let segments = token.utf8.count { $0 == UInt8(ascii: ".") } + 1
        guard segments != 5 else {
            throw OAuthClientError(
                .signedResponseRejected,
                "the answer is encrypted, which this client did not register for: leave authorization_encrypted_response_alg out"
            )
        }
        do {
            let validation = JWTValidation.authorizationResponse(
                issuer: issuer,
                clientID: clientID,
                algorithms: configuration.signedResponseAlgorithms
            )
            // Parsed before the keys are fetched, so that a malformed response causes no request.
            let header = try CompactJWS(parsing: token, maximumLength: validation.maximumLength).header
            let keys = try await serverKeySet(forKeyID: header["kid"]?.stringValue)
            let claims = try validation.validate(token, with: keys, at: server.clock.now())
            return try Self.parameters(of: claims)
        } catch let error as JOSEError {
            throw OAuthClientError(
                .signedResponseRejected,
                "the signed answer is rejected: \(error.reason)",
                underlying: error
            )
        } catch {
            throw OAuthClientError(error, otherwise: .signedResponseRejected, "the signed answer is rejected")
        }
    }

    private static func parameters(of claims: JWTClaims) throws(OAuthClientError) -> FormParameters {
        var parameters = FormParameters()
        for member in claims.object.members where ReceivedParameters.known.contains(member.name) {
            guard let value = member.value.stringValue else {
                throw OAuthClientError(.signedResponseRejected, "'\(member.name)' of the signed answer is not a string")
            }
            parameters.append(member.name, value)
        }
        return parameters
    }

    /// Checks that the server supports the requested mode, as far as its metadata says.
    func requireSupport(of mode: ResponseMode, by metadata: AuthorizationServerMetadata) throws(OAuthClientError) {
        guard mode.carrier != nil else {
            throw OAuthClientError(.invalidArgument, "the response mode is not one that this client knows")
        }
        if let modes = metadata.responseModesSupported, !modes.contains(mode.rawValue) {
            throw OAuthClientError(.unsupportedByServer, "the server does not support the response mode \(mode)")
        }
        guard mode.isSigned else { return }
        // Fail now rather than when the response arrives.
        _ = try urlPolicy.endpoint(metadata.jwksURI, "jwks_uri")
        guard let algorithms = metadata.authorizationSigningAlgValuesSupported else { return }
        guard configuration.signedResponseAlgorithms.contains(where: { algorithms.contains($0.rawValue) }) else {
            throw OAuthClientError(
                .unsupportedByServer,
                "the server signs answers with none of the algorithms that this client accepts"
            )
        }
    }
}
