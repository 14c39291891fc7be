// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(macOS)
import Dispatch
import StrictJSON

/// Stores key locations in files, one per key, in a directory that only its owner may change.
///
/// Any number of tasks and processes may use a directory at once. It may be the directory of an
/// ``EncryptedFileKeyStore``.
public struct FileKeyLocationStore: KeyLocationStore {
    private static let suffix = ".place"
    private static let format = "keybound-key-placement"
    private static let version: Int64 = 1
    private static let members = ["format", "version", "alias", "place"]
    private static let lockName = ".placement-lock"
    /// Not the prefix of key files: key stores in the same directory remove those under another lock.
    private static let temporaryPrefix = ".place-new-"

    private let path: String
    private let timeout: Duration
    private let queue = DispatchQueue(label: "keybound.key-placements")
    /// Waiting for another process blocks this queue, not the tasks that hold the lock.
    private let lockQueue = DispatchQueue(label: "keybound.key-placements.lock")
    private let turns = AsyncMutex()

    /// Makes a store for a directory; reads nothing yet.
    ///
    /// - Parameter directory: A path; its last component is created with mode 0700 for the first key.
    public init(directory: String) {
        self.init(directory: directory, timeout: .seconds(60))
    }

    init(directory: String, timeout: Duration) {
        path = directory
        self.timeout = timeout
    }

    /// The location of the key of an alias.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The name of the location; `nil` if none is recorded.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/malformedKeyFile``,
    ///   ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``.
    public func place(of alias: KeyAlias) async throws(KeyStoreError) -> String? {
        try await queue.run { () throws(KeyStoreError) in
            guard let directory = try KeyDirectory(at: path),
                let bytes = try directory.read(Self.fileName(alias), maximumCount: KeyFileObject.maximumCount)
            else { return nil }
            let object = try KeyFileObject(bytes)
            try object.requireFormat(Self.format, version: Self.version, alias: alias)
            try object.requireMembers(Self.members)
            return try object.string("place")
        }
    }

    /// The aliases whose location is recorded.
    ///
    /// - Returns: The aliases in ascending order.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``.
    public func aliases() async throws(KeyStoreError) -> [KeyAlias] {
        try await queue.run { () throws(KeyStoreError) in
            guard let directory = try KeyDirectory(at: path) else { return [] }
            return try directory.aliases(withSuffix: Self.suffix)
        }
    }

    /// Runs a function while no other task or process that uses the directory runs one.
    ///
    /// - Parameter body: The function to run.
    /// - Returns: What the body returned.
    /// - Throws: ``KeyStoreError`` of the body; ``KeyStoreError/Code/storageFailed`` if the lock is held for a minute,
    ///   ``KeyStoreError/Code/insecurePermissions``.
    public func withLock<Value: Sendable>(
        _ body: () async throws(KeyStoreError) -> Value
    ) async throws(KeyStoreError) -> Value {
        await turns.begin()
        defer { turns.end() }
        let lock = try await lockQueue.run { () throws(KeyStoreError) in
            try KeyDirectory(creatingAt: path).lock(Self.lockName, timeout: timeout)
        }
        defer { withExtendedLifetime(lock) {} }
        return try await body()
    }

    /// Records the location of an alias that has none; it is on the disk when this returns.
    ///
    /// - Parameters:
    ///   - place: The name of the location.
    ///   - alias: The name of the key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/storageFailed``, also if a location is already recorded;
    ///   ``KeyStoreError/Code/insecurePermissions``.
    public func record(_ place: String, of alias: KeyAlias) async throws(KeyStoreError) {
        let object: JSONObject = [
            "format": .string(Self.format), "version": .number(JSONNumber(Self.version)), "alias": .string(alias.text),
            "place": .string(place),
        ]
        let bytes = JSONValue.object(object).encoded() + [UInt8(ascii: "\n")]
        try await queue.run { () throws(KeyStoreError) in
            let directory = try KeyDirectory(creatingAt: path)
            try directory.removeLeftovers(temporaryPrefix: Self.temporaryPrefix)
            let (name, prefix) = (Self.fileName(alias), Self.temporaryPrefix)
            guard try directory.publish(bytes, as: name, temporaryPrefix: prefix) else {
                throw KeyStoreError(.storageFailed, "a place of the key is recorded already")
            }
        }
    }

    /// Deletes the recorded location of an alias.
    ///
    /// - Parameter alias: The name of the key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/storageFailed``, ``KeyStoreError/Code/insecurePermissions``.
    public func forget(_ alias: KeyAlias) async throws(KeyStoreError) {
        try await queue.run { () throws(KeyStoreError) in
            try KeyDirectory(at: path)?.remove(Self.fileName(alias))
        }
    }

    private static func fileName(_ alias: KeyAlias) -> String { alias.text + suffix }
}
#endif
