// SPDX-License-Identifier: Apache-2.0

import JOSE
public import OAuthCore

/// Binds tokens and authorization codes to a key of the client with DPoP (RFC 9449); the default.
///
/// Tokens are sender-constrained. Every token request carries a proof and the authorization request has `dpop_jkt`. A
/// response with Bearer tokens is rejected, unless ``fallback`` says otherwise.
public struct BoundedTokenConfiguration: TokenBoundConfiguration, Hashable {
    /// The types of key that tokens may be bound to, in order of preference; at least one.
    ///
    /// An account that has a key keeps it, if the server accepts its type. Otherwise the first type is used that both the
    /// server, by its metadata (`dpop_signing_alg_values_supported`, RFC 9449 section 5.1), and the key store support.
    public let keyPairTypes: [KeyPairType]
    /// What is allowed if binding fails; by default an error is thrown.
    public let fallback: TokenBindingFallback

    /// Makes a configuration with one type of key.
    ///
    /// - Parameters:
    ///   - keyPairType: The type of key to make. The `KeyStore` chooses where it is stored.
    ///   - fallback: What is allowed if binding fails.
    public init(keyPairType: KeyPairType = .p256, fallback: TokenBindingFallback = .fail) {
        self.init(types: [keyPairType], fallback: fallback)
    }

    /// Makes a configuration for servers, APIs and key stores that differ in the types of key that they accept.
    ///
    /// - Parameters:
    ///   - keyPairTypes: The types, in order of preference; without one, ``KeyPairType/p256``.
    ///   - fallback: What is allowed if binding fails.
    public init(keyPairTypes: [KeyPairType], fallback: TokenBindingFallback = .fail) {
        self.init(types: keyPairTypes.isEmpty ? [.p256] : keyPairTypes, fallback: fallback)
    }

    private init(types: [KeyPairType], fallback: TokenBindingFallback) {
        keyPairTypes = types
        self.fallback = fallback
    }

    /// Leaves only the types of key whose proofs an API accepts (RFC 9728 section 2, `dpop_signing_alg_values_supported`).
    ///
    /// The server knows nothing of what an API accepts: call this for the APIs that the tokens are for, before the sign-in.
    ///
    /// - Parameter api: The metadata of the API, from ``ProtectedResourceDiscovery``.
    /// - Returns: The configuration with the types that remain, in the same order; all of them if the metadata has no list.
    /// - Throws: ``OAuthClientError/Code/proofAlgorithmRejected`` if none remains.
    public func accepted(by api: ProtectedResourceMetadata) throws(OAuthClientError) -> BoundedTokenConfiguration {
        try accepted(api.dpopSigningAlgValuesSupported)
    }

    /// Leaves only the types of key with one of these algorithms; all of them if there is no list.
    func accepted(_ algorithms: [String]?) throws(OAuthClientError) -> BoundedTokenConfiguration {
        guard let algorithms else { return self }
        let types = keyPairTypes.filter { algorithms.contains($0.algorithm.rawValue) }
        guard !types.isEmpty else { throw OAuthClientError(algorithmsOfAPI: algorithms) }
        return BoundedTokenConfiguration(types: types, fallback: fallback)
    }

    /// This value.
    public var binding: BoundedTokenConfiguration? { self }
}

extension OAuthClientError {
    /// Makes the error for an API that accepts no proofs with the client's types of key.
    init(algorithmsOfAPI algorithms: [String]) {
        self.init(
            .proofAlgorithmRejected,
            "the API does not accept proofs with the algorithm of the key; it accepts \(OAuth2Client.names(in: algorithms)); "
                + "see BoundedTokenConfiguration"
        )
    }
}
