// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// Gets attestations: statements of the app's publisher that a key belongs to a genuine copy of the app.
///
/// The client asks once for each key, renews the attestation when most of its life is over, and never sends one of
/// another key.
///
/// ## Specification
///
/// draft-ietf-oauth-attestation-based-client-auth-11 sections 1 and 4
public protocol ClientAttester: Sendable {
    /// A new attestation of a key.
    ///
    /// - Parameters:
    ///   - key: The key that the client proves possession of with each request.
    ///   - clientID: `client_id`, which the attestation must have as `sub`.
    /// - Returns: The attestation, a JWT of at most 8192 characters.
    /// - Throws: Any error; the client reports ``OAuthClientError/Code/attestationFailed`` with it.
    func attestation(of key: any SigningKey, for clientID: String) async throws -> String
}
