// SPDX-License-Identifier: Apache-2.0

import JOSE

/// The opened keys at one moment, as requests use them.
struct SigningKeySnapshot: Sendable {
    /// Signs access tokens.
    let accessTokenKey: any SigningKey
    /// Sign ID tokens, one for each algorithm; the first is the default for clients without a registered algorithm.
    let idTokenKeys: [any SigningKey]
    /// Every key that verifies access tokens.
    private(set) var accessTokenKeys: JWKSet
    /// Every key that verifies ID tokens.
    private(set) var idTokenVerificationKeys: JWKSet
    /// How long caches may keep the key set.
    let maximumAge: Duration

    /// The access token key for an API with this algorithm, or without a choice (`nil`); `nil` if there is no such key.
    func accessTokenKey(for algorithm: SignatureAlgorithm?) -> (any SigningKey)? {
        guard let algorithm else { return accessTokenKey }
        return ([accessTokenKey] + idTokenKeys).first { $0.algorithm == algorithm }
    }

    /// All keys without duplicates.
    var verificationKeys: JWKSet {
        let own = accessTokenKeys.keys
        return JWKSet(
            own + idTokenVerificationKeys.keys.filter { key in !own.contains { $0.keyID == key.keyID } }
        )
    }

    /// Keys that do not rotate.
    init(signingKey: any SigningKey, idTokenKey: (any SigningKey)?) {
        accessTokenKey = signingKey
        idTokenKeys =
            if let idTokenKey {
                idTokenKey.algorithm == signingKey.algorithm ? [idTokenKey] : [idTokenKey, signingKey]
            } else {
                [signingKey]
            }
        accessTokenKeys = JWKSet([signingKey.published])
        idTokenVerificationKeys = JWKSet(idTokenKeys.map(\.published))
        maximumAge = .seconds(300)
    }

    /// Keys that rotate; `nil` if there is none for access tokens.
    ///
    /// One list for each algorithm, that of access tokens first. Each has the active key, then the other published
    /// ones.
    init?(_ keys: [[any SigningKey]], maximumAge: Duration) {
        guard let accessTokens = keys.first, let key = accessTokens.first else { return nil }
        accessTokenKey = key
        // OpenID Connect requires RS256 as the default: another algorithm precedes that of access tokens.
        let others = keys.dropFirst()
        idTokenKeys = others.compactMap(\.first) + [key]
        accessTokenKeys = JWKSet(accessTokens.map(\.published))
        idTokenVerificationKeys = JWKSet((others.flatMap(\.self) + accessTokens).map(\.published))
        self.maximumAge = maximumAge
    }

    /// The same keys, with only some of them published: signatures of the others are rejected.
    func publishing(_ keyIDs: Set<String>) -> SigningKeySnapshot {
        var snapshot = self
        snapshot.accessTokenKeys = accessTokenKeys.keeping(keyIDs)
        snapshot.idTokenVerificationKeys = idTokenVerificationKeys.keeping(keyIDs)
        return snapshot
    }
}

extension JWKSet {
    fileprivate func keeping(_ keyIDs: Set<String>) -> JWKSet {
        JWKSet(keys.filter { $0.keyID.map(keyIDs.contains) ?? false })
    }
}

extension SigningKey {
    /// `kid`: the thumbprint of the key.
    var keyID: String { publicKey.thumbprint.description }

    /// The public key as published.
    fileprivate var published: JWK { publicKey.named(keyID, algorithm: algorithm) }
}
