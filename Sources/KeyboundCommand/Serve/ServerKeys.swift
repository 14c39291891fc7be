// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import JOSE
import ServerStorage
import SigningKeys

/// The keys that sign access tokens and id_tokens, and where they are stored.
struct ServerKeys: Sendable {
    let ring: SigningKeyRing
    /// Where the keys are stored, and how they are protected.
    let place: SigningKeyProviderSettings

    /// The algorithms that clients can be registered with.
    static let idTokenAlgorithms: [SignatureAlgorithm] = [.rs256, .es256]

    /// The names of the key files of earlier versions.
    private static let fileNames: [SignatureAlgorithm: String] = [.es256: "access-tokens", .rs256: "id-tokens"]

    /// Prepares the keys of a server: access tokens are signed with ES256 unless their API takes RS256, id_tokens with RS256 as
    /// OpenID Connect demands.
    init(
        _ place: SigningKeyProviderSettings,
        _ policy: SigningKeyPolicy,
        in directory: String,
        _ configuration: ServerConfiguration,
        _ storage: any SigningKeyStore,
        _ trail: OperatorTrail,
        mayRotate: @escaping @Sendable () async -> Bool
    ) async throws {
        let isForOpenID = configuration.scopes.contains { $0.name == "openid" }
        let allowsRS256 = configuration.profile.signatureAlgorithms?.contains(.rs256) ?? true
        let needsRSA =
            (isForOpenID && allowsRS256) || configuration.resources.contains { $0.signingAlgorithm == .rs256 }
        try await self.init(
            place,
            storage: storage,
            // Generating an RSA key takes half a second: done only if it is needed.
            algorithms: needsRSA ? [.es256, .rs256] : [.es256],
            policy: policy,
            lifetimes: configuration.lifetimes,
            fileDirectory: directory,
            trail: trail,
            mayRotate: mayRotate
        )
    }

    /// Opens the keys that are in a database, for an operator.
    init(
        _ settings: ServerSettings,
        algorithms: [SignatureAlgorithm],
        _ storage: any SigningKeyStore,
        _ trail: OperatorTrail
    ) async throws {
        try await self.init(
            SigningKeyProviderSettings(settings),
            storage: storage,
            algorithms: algorithms,
            policy: try SigningKeyPolicy(settings),
            lifetimes: try Lifetimes(settings),
            fileDirectory: nil,
            trail: trail
        )
    }

    private init(
        _ place: SigningKeyProviderSettings,
        storage: any SigningKeyStore,
        algorithms: [SignatureAlgorithm],
        policy: SigningKeyPolicy,
        lifetimes: Lifetimes,
        fileDirectory: String?,
        trail: OperatorTrail,
        mayRotate: @escaping @Sendable () async -> Bool = { true }
    ) async throws {
        self.place = place
        var adopted: [SoftwareSigningKey] = []
        if let fileDirectory, let protection = place.stored {
            let stored = Set(try await storage.signingKeys().map(\.algorithm))
            let files = try protection.keyFiles(in: fileDirectory)
            for algorithm in algorithms where !stored.contains(algorithm) {
                guard let name = Self.fileNames[algorithm] else { continue }
                let key = try await Self.explaining { try await files.load(KeyAlias(name)) }
                if let key = key as? SoftwareSigningKey { adopted.append(try key.signing(with: algorithm)) }
            }
        }
        ring = try SigningKeyRing(
            storage: storage,
            place: place.place,
            sealer: place.stored?.sealer,
            algorithms: algorithms,
            policy: policy,
            lifetimes: lifetimes,
            adopting: adopted,
            trail: trail,
            mayRotate: mayRotate
        )
    }

    /// The active keys at a point in time.
    struct Active: Sendable {
        let accessTokens: StoredSigningKey
        /// `nil` without the scope `openid`.
        let idTokens: StoredSigningKey?
        /// The protection of the key that signs access tokens.
        let protection: KeyProtection
        /// Where that key is, in words.
        let place: String
        /// Whether it is in the database, and not in the token where new keys are made.
        let isLeftBehind: Bool
    }

    /// The keys that sign now.
    func activeKeys() async throws -> Active {
        var active: [SigningKeySchedule.Entry] = []
        for algorithm in ring.algorithms {
            let entries = try await ring.schedule(of: algorithm).entries
            guard let entry = entries.first(where: { $0.state == .active }) else { continue }
            active.append(entry)
        }
        guard let first = active.first else {
            throw CommandFailure(
                .unavailable,
                "the signing keys have disappeared: something deletes them",
                hint: "find what writes to the database beside keybound; the next start makes new keys"
            )
        }
        let key = try await ring.open(first.key)
        // The protection of a key in memory is not that of its stored form.
        let stored = key is SoftwareSigningKey ? place.stored?.sealer.protection : nil
        return Active(
            accessTokens: first.key,
            idTokens: active.dropFirst().first?.key,
            protection: stored ?? key.protection,
            place: place.description(of: first.key, until: first.until),
            isLeftBehind: key is SoftwareSigningKey && place.place is DeviceSigningKeys
        )
    }

    /// Deletes the key file from which keys of an algorithm were imported, so that a revoked key never comes back.
    static func deleteKeyFile(
        of algorithm: SignatureAlgorithm,
        in directory: String,
        _ protection: KeyProtectionSettings
    ) async throws {
        guard let name = fileNames[algorithm] else { return }
        try await protection.keyFiles(in: directory).delete(KeyAlias(name))
    }

    /// Works with the keys; if they do not open, adds hints to the error.
    func explainingFailures<Value>(_ work: (SigningKeyRing) async throws -> Value) async throws -> Value {
        try await Self.explaining { try await work(ring) }
    }

    private static func explaining<Value>(_ work: () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch {
            let cause = (error as? AuthorizationServerError)?.underlying ?? error
            if let cause = cause as? KeyStoreError, cause.code == .keyLost {
                throw CommandFailure(
                    .failure,
                    cause.reason,
                    hints: [
                        "a lost key is not replaced automatically: put it back if it was moved away",
                        "keybound keys server rotate --now --revoke creates a new one; all users have to refresh or "
                            + "sign in again",
                    ]
                )
            }
            guard let cause = cause as? KeyStoreError, [.wrongPassphrase, .malformedKeyFile].contains(cause.code) else {
                throw error
            }
            throw CommandFailure(
                .keyLocked,
                cause.reason,
                hints: [
                    "keys open only with the credential that encrypted them, and keys that were stored unencrypted only with "
                        + "\(Setting.unencryptedKeyFile.option.name)",
                    "keybound keys server reseal --new-key-credential-file FILE, with the settings of before, encrypts the "
                        + "same keys with another credential",
                    "another --database and --key-directory start with new keys; tokens signed by the old ones are "
                        + "then rejected",
                ]
            )
        }
    }
}
#endif
