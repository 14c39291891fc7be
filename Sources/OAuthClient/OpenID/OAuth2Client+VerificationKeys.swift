// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
import OAuthSystem

extension OAuth2Client {
    /// The keys for the signature of a token, after checking that its algorithm is accepted.
    ///
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/algorithmNotAllowed``; ``OAuthClientError`` when the keys of the
    ///   server are not available: ``OAuthClientError/Code/unsupportedByServer`` when it publishes none,
    ///   ``OAuthClientError/Code/serverUnavailable`` when they cannot be fetched.
    func verificationKeys(for token: SignedJWT, attempts: Int = 2) async throws -> VerificationKeys {
        let algorithm = token.message.algorithm
        if let secret = configuration.idTokenKeyMadeOfClientSecret,
            secret.algorithm.rawValue.isIdentical(to: algorithm.rawValue)
        {
            return .shared(secret)
        }
        // Checked before anything is fetched: an attacker who made the token chose `alg`.
        guard configuration.idTokenAlgorithms.contains(algorithm) else {
            throw JOSEError(.algorithmNotAllowed, "the algorithm of the token is not one of those allowed")
        }
        return .published(try await serverKeySet(forKeyID: token.keyID(), attempts: attempts))
    }

    /// Fails early if, according to its metadata, the server signs with no algorithm that this client accepts.
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
