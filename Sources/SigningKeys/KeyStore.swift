// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// A store for private keys.
///
/// A key that exists but cannot be opened is an error. The store never makes a new one instead, because tokens are
/// bound to the old one.
public protocol KeyStore: Sendable {
    /// Opens the key of an alias, or makes one, in one atomic step, and reports which.
    ///
    /// However many tasks and processes call this at once for a new alias, one key is made and all calls return it.
    /// Only the call that made it reports so. A caller that cannot use a new key can therefore delete it without
    /// deleting an older one.
    ///
    /// - Parameters:
    ///   - alias: The name of the key.
    ///   - algorithm: The algorithm of a new key; an existing key must have the same one.
    ///   - report: Called for each event of this call, before it returns: ``KeyEvent/made(_:_:)`` if it made the key.
    /// - Returns: The key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/unsupportedAlgorithm`` if the store cannot make such a key,
    ///   or the alias has a key of another algorithm; and the codes of the store.
    func loadOrGenerate(
        alias: KeyAlias,
        algorithm: SignatureAlgorithm,
        reporting report: @escaping @Sendable (KeyEvent) -> Void
    ) async throws(KeyStoreError) -> any SigningKey

    /// Opens the key of an alias.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The key; `nil` if the alias has none.
    /// - Throws: ``KeyStoreError`` with the codes of the store.
    func load(_ alias: KeyAlias) async throws(KeyStoreError) -> (any SigningKey)?

    /// The aliases that have a key.
    ///
    /// - Returns: The aliases in ascending order; does not check whether each key can be opened.
    /// - Throws: ``KeyStoreError`` with the codes of the store.
    func aliases() async throws(KeyStoreError) -> [KeyAlias]

    /// Deletes the key of an alias, if it has one.
    ///
    /// Keys that were opened before still work, unless they are used inside a device: those throw `keyLost`.
    ///
    /// - Parameter alias: The name of the key.
    /// - Throws: ``KeyStoreError`` with the codes of the store.
    func delete(_ alias: KeyAlias) async throws(KeyStoreError)

    /// The known facts about the key of an alias and its location.
    ///
    /// A store reports only what it has read from its device or what it does itself. Protection, algorithm and
    /// thumbprint come first.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The facts; `nil` if the alias has no key.
    /// - Throws: ``KeyStoreError`` with the codes of the store.
    func facts(about alias: KeyAlias) async throws(KeyStoreError) -> [KeyFact]?

    /// Checks whether a key could be made now, without making one: whether the device is present and responds.
    ///
    /// - Throws: ``KeyStoreError`` with the obstacle, usually ``KeyStoreError/Code/deviceUnavailable``.
    func requireReadiness() async throws(KeyStoreError)

    /// The protection that a new key would probably have, if it is better than that of the existing key.
    ///
    /// This makes and changes no key. To get the better protection, delete the old key with everything that is bound to
    /// it.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The protection; `nil` if the alias has no key, or a new one would not be better.
    /// - Throws: ``KeyStoreError`` with the codes of the store.
    func strongerProtection(for alias: KeyAlias) async throws(KeyStoreError) -> KeyProtection?
}

extension KeyStore {
    /// Opens the key of an alias, or makes one, in one atomic step.
    ///
    /// - Parameters:
    ///   - alias: The name of the key.
    ///   - algorithm: The algorithm of a new key; an existing key must have the same one.
    /// - Returns: The key.
    /// - Throws: ``KeyStoreError``, as ``loadOrGenerate(alias:algorithm:reporting:)``.
    public func loadOrGenerate(
        alias: KeyAlias,
        algorithm: SignatureAlgorithm
    ) async throws(KeyStoreError) -> any SigningKey {
        try await loadOrGenerate(alias: alias, algorithm: algorithm) { _ in }
    }

    /// Lists the aliases, which is sufficient for stores whose list queries the device.
    ///
    /// - Throws: ``KeyStoreError``, as ``aliases()``.
    public func requireReadiness() async throws(KeyStoreError) {
        _ = try await aliases()
    }

    /// Always `nil`: a store without a choice makes all keys with the same protection.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: `nil`.
    /// - Throws: Nothing.
    public func strongerProtection(for alias: KeyAlias) async throws(KeyStoreError) -> KeyProtection? { nil }

    /// The facts of every key: protection, algorithm, thumbprint.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The facts; `nil` if the alias has no key.
    /// - Throws: ``KeyStoreError`` with the codes of the store.
    public func facts(about alias: KeyAlias) async throws(KeyStoreError) -> [KeyFact]? {
        try await load(alias).map(KeyFact.common)
    }

    /// Opens the key of an alias, or makes one for ES256, in one atomic step.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The key.
    /// - Throws: ``KeyStoreError``, as ``loadOrGenerate(alias:algorithm:reporting:)``.
    public func loadOrGenerate(alias: KeyAlias) async throws(KeyStoreError) -> any SigningKey {
        try await loadOrGenerate(alias: alias, algorithm: .es256)
    }
}
