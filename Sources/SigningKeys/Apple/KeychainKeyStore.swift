// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit) && canImport(Security)
import Dispatch
public import JOSE

/// Keys of Apple devices: P-256, in the Secure Enclave, or in software protected by the Keychain.
///
/// Each key is an item of the data-protection keychain. The item of a Secure Enclave key can be used only by the
/// enclave that made it. The location of a key is fixed when it is made: a key that cannot be opened later is an error,
/// and no other key replaces it. Apps and extensions with the same access group share the keys, and together make only
/// one.
///
/// On macOS, unsigned programs such as command line tools have no such keychain: every call throws
/// ``KeyStoreError/Code/missingEntitlement``.
public struct KeychainKeyStore: KeyStore {
    private let items: KeychainItems
    private let policy: SecureEnclavePolicy
    private let accessibility: KeychainAccessibility
    private let approval: KeyUsePolicy
    private let onFallback: (@Sendable (KeyAlias, KeyStoreError) -> Void)?
    private let queue = DispatchQueue(label: "keybound.keychain-keys")

    /// Selects the keys; reads nothing yet.
    ///
    /// - Parameters:
    ///   - service: The service of the items; the same alias in two services names two keys.
    ///   - accessGroup: The access group that apps and extensions share, with its prefix:
    ///     `ABCDE12345.com.example.shared`; `nil` for the first one of the app.
    ///   - policy: Where new keys are made.
    ///   - accessibility: When the keys can be used.
    ///   - approval: What a user must do before a new key signs. Only keys of the Secure Enclave support it, so
    ///     ``SecureEnclavePolicy/preferSecureEnclave`` then makes no key elsewhere.
    ///   - onFallback: Called with the reason if a new key was made in software because the preferred Secure Enclave
    ///     made none. The app may want to tell the user, or to request less access.
    public init(
        service: String = "keybound.keys",
        accessGroup: String? = nil,
        policy: SecureEnclavePolicy = .preferSecureEnclave,
        accessibility: KeychainAccessibility = .afterFirstUnlockThisDeviceOnly,
        approval: KeyUsePolicy = .none,
        onFallback: (@Sendable (_ alias: KeyAlias, _ reason: KeyStoreError) -> Void)? = nil
    ) {
        items = KeychainItems(service: service, accessGroup: accessGroup, accessibility: accessibility)
        self.policy = policy
        self.accessibility = accessibility
        self.approval = approval
        self.onFallback = onFallback
    }

    /// Opens the key of an alias, or makes one, in one atomic step, and reports which.
    ///
    /// - Parameters:
    ///   - alias: The name of the key.
    ///   - algorithm: ES256.
    ///   - report: Called with ``KeyEvent/Kind/made`` if this call made the key.
    /// - Returns: The key.
    /// - Throws: ``KeyStoreError`` – the codes of ``load(_:)``; ``KeyStoreError/Code/hardwareRequired`` if the Secure
    ///   Enclave makes no key and the policy allows no other location, ``KeyStoreError/Code/unsupportedAlgorithm``.
    public func loadOrGenerate(
        alias: KeyAlias,
        algorithm: SignatureAlgorithm,
        reporting report: @escaping @Sendable (KeyEvent) -> Void
    ) async throws(KeyStoreError) -> any SigningKey {
        guard algorithm == .es256 else {
            throw KeyStoreError(
                .unsupportedAlgorithm,
                "keys in the Secure Enclave and the Keychain sign with ES256 only"
            )
        }
        return try await queue.run { () throws(KeyStoreError) in
            if let key = try key(of: alias) { return key }
            return try generate(alias, report)
        }
    }

    /// Opens the key of an alias.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The key; `nil` if the alias has none.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/deviceLocked`` if the item cannot be read now,
    ///   ``KeyStoreError/Code/keyLost`` if the Secure Enclave does not open the key or the item is damaged,
    ///   ``KeyStoreError/Code/deviceUnavailable`` if there is no Secure Enclave for a key that needs it,
    ///   ``KeyStoreError/Code/hardwareRequired`` if the stored key is in software and the policy forbids that,
    ///   ``KeyStoreError/Code/missingEntitlement``, ``KeyStoreError/Code/malformedKeyFile`` for an item of a newer
    ///   release, ``KeyStoreError/Code/storageFailed``.
    public func load(_ alias: KeyAlias) async throws(KeyStoreError) -> (any SigningKey)? {
        try await queue.run { () throws(KeyStoreError) in try key(of: alias) }
    }

    /// The aliases that have a key.
    ///
    /// - Returns: The aliases in ascending order; does not check whether each key can be opened.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/deviceLocked``, ``KeyStoreError/Code/missingEntitlement``,
    ///   ``KeyStoreError/Code/storageFailed``.
    public func aliases() async throws(KeyStoreError) -> [KeyAlias] {
        try await queue.run { () throws(KeyStoreError) in
            try items.accounts().compactMap { try? KeyAlias($0) }.sorted()
        }
    }

    /// Deletes the key of an alias, if it has one; also a lost key.
    ///
    /// - Parameter alias: The name of the key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/deviceLocked``, ``KeyStoreError/Code/missingEntitlement``,
    ///   ``KeyStoreError/Code/storageFailed``.
    public func delete(_ alias: KeyAlias) async throws(KeyStoreError) {
        try await queue.run { () throws(KeyStoreError) in try items.delete(alias.text) }
    }

    /// The known facts about the key of an alias: its location, accessibility, access group and approval.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The facts; `nil` if the alias has no key.
    /// - Throws: ``KeyStoreError``, the codes of ``load(_:)``.
    public func facts(about alias: KeyAlias) async throws(KeyStoreError) -> [KeyFact]? {
        try await queue.run { () throws(KeyStoreError) in
            guard let item = try item(of: alias), let attributes = try items.attributes(of: alias.text) else {
                return nil
            }
            return KeyFact.common(try open(item)) + Self.facts(of: item, attributes)
        }
    }

    private static func facts(of item: KeychainKeyItem, _ attributes: KeychainItems.Attributes) -> [KeyFact] {
        let approval =
            switch item.approval {
            case .none: "none"
            case .userPresence: "presence of the person"
            case .currentBiometry: "biometry as enrolled when the key was made"
            }
        return [
            KeyFact("place", item.place == .secureEnclave ? "Secure Enclave" : "software, in the Keychain"),
            KeyFact("accessibility", attributes.accessibility?.words ?? "unknown"),
            KeyFact("access group", attributes.accessGroup ?? "unknown"),
            KeyFact("approval", approval),
        ]
    }
}

// Runs on the queue.
extension KeychainKeyStore {
    private func item(of alias: KeyAlias) throws(KeyStoreError) -> KeychainKeyItem? {
        guard let value = try items.value(of: alias.text) else { return nil }
        return try KeychainKeyItem(parsing: value)
    }

    private func key(of alias: KeyAlias) throws(KeyStoreError) -> (any SigningKey)? {
        guard let item = try item(of: alias) else { return nil }
        return try open(item)
    }

    private func open(_ item: KeychainKeyItem) throws(KeyStoreError) -> any SigningKey {
        switch item.place {
        case .secureEnclave:
            return SecureEnclaveSigningKey(
                item,
                publicKey: try SecureEnclaveKeys.publicKey(of: item),
                approval: approval
            )
        case .software:
            guard policy != .requireSecureEnclave else {
                throw KeyStoreError(
                    .hardwareRequired,
                    "the stored key is in software: delete it and sign in again, for one in the Secure Enclave"
                )
            }
            return try SoftwareKeychainKeys.open(item)
        }
    }

    /// Makes a key and adds its item.
    ///
    /// If several processes race, the first item wins.
    private func generate(
        _ alias: KeyAlias,
        _ report: (KeyEvent) -> Void
    ) throws(KeyStoreError) -> any SigningKey {
        let (item, fallback) = try makeItem()
        let key = try open(item)
        guard try items.add(alias.text, item.encoded) else {
            guard let winner = try self.key(of: alias) else {
                throw KeyStoreError(.storageFailed, "the key appeared and disappeared: another process deletes keys")
            }
            return winner
        }
        if let fallback { onFallback?(alias, fallback) }
        report(.made(key, alias))
        return key
    }

    private func makeItem() throws(KeyStoreError) -> (item: KeychainKeyItem, fallback: KeyStoreError?) {
        guard policy != .softwareOnly else {
            guard approval.kind == .none else { throw Self.hardwareRequired(nil) }
            return (try SoftwareKeychainKeys.generate(), nil)
        }
        do throws(KeyStoreError) {
            return (try SecureEnclaveKeys.generate(accessibility, approval.kind), nil)
        } catch {
            // A user who unlocks the device or approves gets a hardware key, so these errors do not justify a software
            // key.
            guard error.code != .deviceLocked, error.code != .userCanceled else { throw error }
            guard policy == .preferSecureEnclave, approval.kind == .none else { throw Self.hardwareRequired(error) }
            return (try SoftwareKeychainKeys.generate(), error)
        }
    }

    private static func hardwareRequired(_ reason: KeyStoreError?) -> KeyStoreError {
        KeyStoreError(
            .hardwareRequired,
            "the key may be in the Secure Enclave only, and none was made there"
                + (reason.map { ": \($0.reason)" } ?? ""),
            underlying: reason
        )
    }
}
#endif
