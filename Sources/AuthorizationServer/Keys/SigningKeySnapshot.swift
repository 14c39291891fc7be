// SPDX-License-Identifier: Apache-2.0

import JOSE

/// The keys of a moment, opened: what requests read.
struct SigningKeySnapshot: Sendable {
    /// Signs access tokens.
    let accessTokenKey: any SigningKey
    /// Sign id_tokens, one for each algorithm; the first for clients that are registered for none.
    let idTokenKeys: [any SigningKey]
    /// Every key that access tokens can be checked with.
    private(set) var accessTokenKeys: JWKSet
    /// Every key that id_tokens can be checked with.
    private(set) var idTokenVerificationKeys: JWKSet
    /// How long others may keep the set of keys.
    let maximumAge: Duration

    /// Signs access tokens for APIs that take an algorithm, or that leave it to the server; `nil` without such a key.
    func accessTokenKey(for algorithm: SignatureAlgorithm?) -> (any SigningKey)? {
        guard let algorithm else { return accessTokenKey }
        return ([accessTokenKey] + idTokenKeys).first { $0.algorithm == algorithm }
    }

    /// Every key, each once.
    var verificationKeys: JWKSet {
        let own = accessTokenKeys.keys
        return JWKSet(
            own + idTokenVerificationKeys.keys.filter { key in !own.contains { $0.keyID == key.keyID } }
        )
    }

    /// Keys that stay.
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

    /// Keys that rotate; `nil` without one for access tokens.
    ///
    /// For each algorithm, that of access tokens first, the key that signs and then the others that are published.
    init?(_ keys: [[any SigningKey]], maximumAge: Duration) {
        guard let accessTokens = keys.first, let key = accessTokens.first else { return nil }
        accessTokenKey = key
        // OpenID Connect demands RS256 by default: another algorithm goes before that of access tokens.
        let others = keys.dropFirst()
        idTokenKeys = others.compactMap(\.first) + [key]
        accessTokenKeys = JWKSet(accessTokens.map(\.published))
        idTokenVerificationKeys = JWKSet((others.flatMap(\.self) + accessTokens).map(\.published))
        self.maximumAge = maximumAge
    }

    /// The same keys, of which only some are published: what the others have signed, or sign yet, is refused.
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

    /// The public half as it is published.
    fileprivate var published: JWK { publicKey.named(keyID, algorithm: algorithm) }
}
