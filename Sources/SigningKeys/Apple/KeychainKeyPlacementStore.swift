// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
import Dispatch
import OAuthSystem

/// Records of places in the Keychain of an Apple device, for an app and its extensions: for a ``KeyManager`` with a
/// ``KeychainKeyStore``.
///
/// Items never leave the device, like the keys. A directory that the processes share holds the lock that lets one of them
/// make a key at a time.
public struct KeychainKeyPlacementStore: KeyPlacementStore {
    /// What a record may be, in octets: the longest name of a place.
    private static let maximumPlaceCount = 256
    private static let lockPause = Duration.milliseconds(5)

    private let items: KeychainItems
    private let directory: String
    private let patience: Duration
    private let queue = DispatchQueue(label: "keybound.keychain-placements")
    private let turns = Turns()

    /// Names the records; nothing is read yet.
    ///
    /// - Parameters:
    ///   - directory: Where the lock is, in the container of the app group, or in that of the app when it has no extensions;
    ///     made with mode 0700, but not what is above it. That of the ``/OAuthClient/KeychainTokenStore`` is right.
    ///   - service: What the items belong to, one for each set of keys.
    ///   - accessGroup: The access group of the keys; `nil` for the first one of the app.
    ///   - accessibility: When the records can be read; use that of the keys.
    ///   - patience: How long to wait for another process that makes a key.
    public init(
        directory: String,
        service: String = "keybound.key-placements",
        accessGroup: String? = nil,
        accessibility: KeychainAccessibility = .afterFirstUnlockThisDeviceOnly,
        patience: Duration = .seconds(60)
    ) {
        items = KeychainItems(service: service, accessGroup: accessGroup, accessibility: accessibility)
        self.directory = directory
        self.patience = patience
    }

    /// The place of the key of a name.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The name of the place; `nil` when nothing is recorded.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/deviceLocked``, ``KeyStoreError/Code/missingEntitlement``,
    ///   ``KeyStoreError/Code/malformedKeyFile`` for what is no record, ``KeyStoreError/Code/storageFailed``.
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

    /// The names of keys whose places are recorded.
    ///
    /// - Returns: The names in ascending order.
    /// - Throws: ``KeyStoreError``, as ``place(of:)``.
    public func aliases() async throws(KeyStoreError) -> [KeyAlias] {
        try await queue.run { () throws(KeyStoreError) in
            try items.accounts().compactMap { try? KeyAlias($0) }.sorted()
        }
    }

    /// Does something while no other task and process that uses the directory is in here.
    ///
    /// The system lets go of the lock when its process ends, however that happens.
    ///
    /// - Parameter body: What to do.
    /// - Returns: What the body returns.
    /// - Throws: ``KeyStoreError`` of the body; ``KeyStoreError/Code/storageFailed`` when somebody else is in here for too long,
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

    /// Records a place for a name that has none.
    ///
    /// - Parameters:
    ///   - place: The name of the place, 1 to 256 octets.
    ///   - alias: The name of the key.
    /// - Throws: ``KeyStoreError``, as ``place(of:)``; ``KeyStoreError/Code/storageFailed`` also when a place is recorded already.
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

    /// Forgets the place of a name.
    ///
    /// - Parameter alias: The name of the key.
    /// - Throws: ``KeyStoreError``, as ``place(of:)``.
    public func forget(_ alias: KeyAlias) async throws(KeyStoreError) {
        try await queue.run { () throws(KeyStoreError) in try items.delete(alias.text) }
    }

    /// Waits for the lock without blocking a thread.
    private func lock() async throws(KeyStoreError) -> LockedFile {
        let deadline = ContinuousClock.now + patience
        while true {
            if let lock = try await queue.run({ () throws(KeyStoreError) in try attemptLock() }) { return lock }
            guard ContinuousClock.now < deadline else {
                throw KeyStoreError(.storageFailed, "another process makes a key for too long: try again later")
            }
            // Who is cancelled goes on waiting: for as long as its patience lasts.
            try? await Task.sleep(for: Self.lockPause)
        }
    }

    /// The lock; `nil` when somebody else has it.
    private func attemptLock() throws(KeyStoreError) -> LockedFile? {
        do throws(FileError) {
            return try LockedFile("key-placements.lock", in: directory)
        } catch {
            let text = "cannot \(error.attempt) the lock of the records (errno \(error.number))"
            throw KeyStoreError(.storageFailed, text)
        }
    }
}
#endif
