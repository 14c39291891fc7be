// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
import OAuthSystem
import StrictJSON

extension OAuth2Client {
    /// What the signature of a token is checked with, once its algorithm is known to be accepted.
    ///
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/algorithmNotAllowed``; ``OAuthClientError`` when the keys of the server are
    ///   not at hand: ``OAuthClientError/Code/unsupportedByServer`` when it publishes none,
    ///   ``OAuthClientError/Code/serverUnavailable`` when they cannot be fetched.
    func verificationKeys(for token: SignedJWT) async throws -> VerificationKeys {
        let algorithm = token.message.algorithm
        if let secret = configuration.idTokenKeyMadeOfClientSecret,
            secret.algorithm.rawValue.isIdentical(to: algorithm.rawValue)
        {
            return .shared(secret)
        }
        // Before anything is fetched: `alg` is chosen by whoever made the token.
        guard configuration.idTokenAlgorithms.contains(algorithm) else {
            throw JOSEError(.algorithmNotAllowed, "the algorithm of the token is not one of those allowed")
        }
        return .published(try await serverKeySet(forKeyID: token.keyID()))
    }

    /// Goes no further when the server signs with nothing that this client accepts, as far as it says.
    func requireAcceptedSignatures(by metadata: AuthorizationServerMetadata) throws(OAuthClientError) {
        guard let supported = metadata.idTokenSigningAlgValuesSupported else { return }
        let secret = configuration.idTokenKeyMadeOfClientSecret.map(\.algorithm.rawValue)
        let accepted = configuration.idTokenAlgorithms.map(\.rawValue) + [secret].compactMap(\.self)
        guard supported.contains(where: accepted.contains) else {
            throw OAuthClientError(
                .unsupportedByServer,
                "the server signs id_tokens with no algorithm that this client accepts"
            )
        }
    }
}
