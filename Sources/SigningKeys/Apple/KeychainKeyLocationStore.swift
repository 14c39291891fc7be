// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
import Dispatch
import OAuthSystem

/// Stores key locations in the Keychain of an Apple device, for a ``KeyManager`` with a ``KeychainKeyStore``.
///
/// An app and its extensions can share the records. Items never leave the device, like the keys. A directory that the
/// processes share holds the lock that lets only one of them make a key at a time.
public struct KeychainKeyLocationStore: KeyLocationStore {
    /// The maximum size of a record in bytes: the longest name of a location.
    private static let maximumPlaceCount = 256
    private static let lockPause = Duration.milliseconds(5)

    private let items: KeychainItems
    private let directory: String
    private let timeout: Duration
    private let queue = DispatchQueue(label: "keybound.keychain-placements")
    private let turns = AsyncMutex()

    /// Selects the records; reads nothing yet.
    ///
    /// - Parameters:
    ///   - directory: The directory of the lock: in the container of the app group, or in that of an app without
    ///     extensions. It is created with mode 0700, but its parents are not. The directory of the
    ///     ``/OAuthClient/KeychainTokenStore`` can be used.
    ///   - service: The service of the items, one for each set of keys.
    ///   - accessGroup: The access group of the keys; `nil` for the first one of the app.
    ///   - accessibility: When the records can be read; use the accessibility of the keys.
    ///   - timeout: The timeout for another process that makes a key.
    public init(
        directory: String,
        service: String = "keybound.key-placements",
        accessGroup: String? = nil,
        accessibility: KeychainAccessibility = .afterFirstUnlockThisDeviceOnly,
        timeout: Duration = .seconds(60)
    ) {
        items = KeychainItems(service: service, accessGroup: accessGroup, accessibility: accessibility)
        self.directory = directory
        self.timeout = timeout
    }

    /// The location of the key of an alias.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The name of the location; `nil` if none is recorded.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/deviceLocked``, ``KeyStoreError/Code/missingEntitlement``,
    ///   ``KeyStoreError/Code/malformedKeyFile`` for an invalid record, ``KeyStoreError/Code/storageFailed``.
    public func place(of alias: KeyAlias) async throws(KeyStoreError) -> String? {
        try await queue.run { () throws(KeyStoreError) in
            guard let value = try items.value(of: alias.text) else { return nil }
            guard (1...Self.maximumPlaceCount).contains(value.count),
                let place = String(validating: value, as: UTF8.self)
            else {
                throw KeyStoreError(.malformedKeyFile, "the record of where the key \(alias) lives is damaged")
            }
            return place
        }
    }

    /// The aliases whose location is recorded.
    ///
    /// - Returns: The aliases in ascending order.
    /// - Throws: ``KeyStoreError``, as ``place(of:)``.
    public func aliases() async throws(KeyStoreError) -> [KeyAlias] {
        try await queue.run { () throws(KeyStoreError) in
            try items.accounts().compactMap { try? KeyAlias($0) }.sorted()
        }
    }

    /// Runs a function while no other task or process that uses the directory runs one.
    ///
    /// The system releases the lock when its process ends, for whatever reason.
    ///
    /// - Parameter body: The function to run.
    /// - Returns: What the body returned.
    /// - Throws: ``KeyStoreError`` of the body; ``KeyStoreError/Code/storageFailed`` if the lock is held for too long,
    ///   or the directory cannot be used.
    public func withLock<Value: Sendable>(
        _ body: () async throws(KeyStoreError) -> Value
    ) async throws(KeyStoreError) -> Value {
        await turns.begin()
        defer { turns.end() }
        let lock = try await lock()
        defer { withExtendedLifetime(lock) {} }
        return try await body()
    }

    /// Records the location of an alias that has none.
    ///
    /// - Parameters:
    ///   - place: The name of the location, 1 to 256 bytes.
    ///   - alias: The name of the key.
    /// - Throws: ``KeyStoreError``, as ``place(of:)``; ``KeyStoreError/Code/storageFailed`` also if a location is
    ///   already recorded.
    public func record(_ place: String, of alias: KeyAlias) async throws(KeyStoreError) {
        let value = Array(place.utf8)
        guard (1...Self.maximumPlaceCount).contains(value.count) else {
            throw KeyStoreError(.storageFailed, "the name of a place has 1 to \(Self.maximumPlaceCount) octets")
        }
        try await queue.run { () throws(KeyStoreError) in
            guard try items.add(alias.text, value) else {
                throw KeyStoreError(.storageFailed, "a place of the key is recorded already")
            }
        }
    }

    /// Deletes the recorded location of an alias.
    ///
    /// - Parameter alias: The name of the key.
    /// - Throws: ``KeyStoreError``, as ``place(of:)``.
    public func forget(_ alias: KeyAlias) async throws(KeyStoreError) {
        try await queue.run { () throws(KeyStoreError) in try items.delete(alias.text) }
    }

    /// Waits for the lock without blocking a thread.
    private func lock() async throws(KeyStoreError) -> LockedFile {
        let deadline = ContinuousClock.now + timeout
        while true {
            if let lock = try await queue.run({ () throws(KeyStoreError) in try attemptLock() }) { return lock }
            guard ContinuousClock.now < deadline else {
                throw KeyStoreError(.storageFailed, "another process makes a key for too long: try again later")
            }
            // A cancelled task keeps waiting until the timeout.
            try? await Task.sleep(for: Self.lockPause)
        }
    }

    /// The lock; `nil` if another task or process holds it.
    private func attemptLock() throws(KeyStoreError) -> LockedFile? {
        do throws(FileError) {
            return try LockedFile("key-placements.lock", in: directory)
        } catch {
            throw KeyStoreError(error)
        }
    }
}
#endif
