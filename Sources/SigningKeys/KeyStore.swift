// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// A place where private keys live.
///
/// A key that is there but cannot be opened is an error, never a reason to make a new one: tokens are bound to the old.
public protocol KeyStore: Sendable {
    /// Opens the key of a name, or makes it, in one step, and tells what came of it.
    ///
    /// However many tasks and processes call this at once for a name that has no key, one key is made and all get it. The call
    /// that made it says so, and no other one does: whoever cannot use a new key deletes it, and never one that was there.
    ///
    /// - Parameters:
    ///   - alias: The name of the key.
    ///   - algorithm: What a new key is to sign with, and what an existing one must sign with.
    ///   - report: Called for each event of this call, before it returns: ``KeyEvent/made(_:_:)`` when it made the key.
    /// - Returns: The key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/unsupportedAlgorithm`` when the store cannot make such a key, or
    ///   the name has a key of another algorithm; and the codes of the store.
    func loadOrGenerate(
        alias: KeyAlias,
        algorithm: SignatureAlgorithm,
        reporting report: @escaping @Sendable (KeyEvent) -> Void
    ) async throws(KeyStoreError) -> any SigningKey

    /// Opens the key of a name.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The key; `nil` when the name has none.
    /// - Throws: ``KeyStoreError`` with the codes of the store.
    func load(_ alias: KeyAlias) async throws(KeyStoreError) -> (any SigningKey)?

    /// The names that have a key.
    ///
    /// - Returns: The names in ascending order; whether each key can be opened is not tried.
    /// - Throws: ``KeyStoreError`` with the codes of the store.
    func aliases() async throws(KeyStoreError) -> [KeyAlias]

    /// Removes the key of a name, if it has one.
    ///
    /// Keys that were opened before go on working, except where they are used inside a device: those are `keyLost`.
    ///
    /// - Parameter alias: The name of the key.
    /// - Throws: ``KeyStoreError`` with the codes of the store.
    func delete(_ alias: KeyAlias) async throws(KeyStoreError)

    /// What is known about the key of a name and the place where it lives.
    ///
    /// A store says only what it has asked its device or what it does itself; protection, algorithm and thumbprint come first.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The facts; `nil` when the name has no key.
    /// - Throws: ``KeyStoreError`` with the codes of the store.
    func facts(about alias: KeyAlias) async throws(KeyStoreError) -> [KeyFact]?

    /// Finds out whether a key could be made here now, without making one: whether the device is there and answers.
    ///
    /// - Throws: ``KeyStoreError`` with what stands in the way, mostly ``KeyStoreError/Code/deviceUnavailable``.
    func requireReadiness() async throws(KeyStoreError)

    /// The protection that a new key in the place of this one would probably have, when that is a better one.
    ///
    /// No key is changed and none is made: whoever wants the better one deletes the old key with all that is bound to it.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The protection; `nil` when the name has no key, or a new one would be no better.
    /// - Throws: ``KeyStoreError`` with the codes of the store.
    func strongerProtection(for alias: KeyAlias) async throws(KeyStoreError) -> KeyProtection?
}

extension KeyStore {
    /// Opens the key of a name, or makes it, in one step.
    ///
    /// - Parameters:
    ///   - alias: The name of the key.
    ///   - algorithm: What a new key is to sign with, and what an existing one must sign with.
    /// - Returns: The key.
    /// - Throws: ``KeyStoreError``, as ``loadOrGenerate(alias:algorithm:reporting:)``.
    public func loadOrGenerate(
        alias: KeyAlias,
        algorithm: SignatureAlgorithm
    ) async throws(KeyStoreError) -> any SigningKey {
        try await loadOrGenerate(alias: alias, algorithm: algorithm) { _ in }
    }

    /// Lists the names, which suffices where that asks the device.
    ///
    /// - Throws: ``KeyStoreError``, as ``aliases()``.
    public func requireReadiness() async throws(KeyStoreError) {
        _ = try await aliases()
    }

    /// Nothing better: a store that chooses nothing makes each key as it makes all of them.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: `nil`.
    /// - Throws: Nothing.
    public func strongerProtection(for alias: KeyAlias) async throws(KeyStoreError) -> KeyProtection? { nil }

    /// What every key says of itself: protection, algorithm, thumbprint.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The facts; `nil` when the name has no key.
    /// - Throws: ``KeyStoreError`` with the codes of the store.
    public func facts(about alias: KeyAlias) async throws(KeyStoreError) -> [KeyFact]? {
        try await load(alias).map(KeyFact.common)
    }

    /// Opens the key of a name, or makes one for ES256, in one step.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The key.
    /// - Throws: ``KeyStoreError``, as ``loadOrGenerate(alias:algorithm:reporting:)``.
    public func loadOrGenerate(alias: KeyAlias) async throws(KeyStoreError) -> any SigningKey {
        try await loadOrGenerate(alias: alias, algorithm: .es256)
    }
}
