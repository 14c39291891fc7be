// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE

/// What both stores of files do: one file for each key, in one directory.
struct KeyFiles: Sendable {
    private static let suffix = ".key"

    private let path: String
    private let codec: any KeyFileCodec
    /// How long to wait for other processes.
    private let patience: Duration
    /// A thread at a time of its own, since files and scrypt block.
    private let queue = KeyStoreQueue(label: "keybound.key-files")

    init(path: String, codec: any KeyFileCodec, patience: Duration) {
        self.path = path
        self.codec = codec
        self.patience = patience
    }

    func loadOrGenerate(
        _ alias: KeyAlias,
        _ algorithm: SignatureAlgorithm
    ) async throws(KeyStoreError) -> SoftwareSigningKey {
        try await queue.run { () throws(KeyStoreError) in
            let directory = try KeyDirectory(creatingAt: path)
            if let key = try load(alias, in: directory) { return try key.signing(with: algorithm) }
            return try directory.withLock(patience: patience) { () throws(KeyStoreError) in
                try generate(alias, algorithm, in: directory)
            }
        }
    }

    func load(_ alias: KeyAlias) async throws(KeyStoreError) -> SoftwareSigningKey? {
        try await queue.run { () throws(KeyStoreError) in
            guard let directory = try KeyDirectory(at: path) else { return nil }
            return try load(alias, in: directory)
        }
    }

    func aliases() async throws(KeyStoreError) -> [KeyAlias] {
        try await queue.run { () throws(KeyStoreError) in
            guard let directory = try KeyDirectory(at: path) else { return [] }
            return try aliases(in: directory)
        }
    }

    func delete(_ alias: KeyAlias) async throws(KeyStoreError) {
        try await queue.run { () throws(KeyStoreError) in
            guard let directory = try KeyDirectory(at: path) else { return }
            try directory.withLock(patience: patience) { () throws(KeyStoreError) in
                try directory.remove(Self.fileName(alias))
            }
        }
    }

    private static func fileName(_ alias: KeyAlias) -> String { alias.text + suffix }

    private func load(
        _ alias: KeyAlias,
        in directory: KeyDirectory
    ) throws(KeyStoreError)
        -> SoftwareSigningKey?
    {
        guard let bytes = try directory.read(Self.fileName(alias), maximumCount: KeyFileObject.maximumCount) else {
            return nil
        }
        return try codec.decode(bytes, alias: alias)
    }

    /// Under the lock.
    private func generate(
        _ alias: KeyAlias,
        _ algorithm: SignatureAlgorithm,
        in directory: KeyDirectory
    ) throws(KeyStoreError) -> SoftwareSigningKey {
        // Another process may have made it while this one waited.
        if let key = try load(alias, in: directory) { return try key.signing(with: algorithm) }
        try directory.removeLeftovers()
        let made = try codec.encode(.generate(algorithm), alias: alias, others: others(in: directory))
        if try directory.publish(made.bytes, as: Self.fileName(alias)) { return made.key }
        guard let winner = try load(alias, in: directory) else {
            throw KeyStoreError(.storageFailed, "the key file appeared and disappeared: another process deletes keys")
        }
        return try winner.signing(with: algorithm)
    }

    private func aliases(in directory: KeyDirectory) throws(KeyStoreError) -> [KeyAlias] {
        try directory.names()
            .compactMap { name in
                name.hasSuffix(Self.suffix) ? try? KeyAlias(String(name.dropLast(Self.suffix.count))) : nil
            }
            .sorted()
    }

    private func others(
        in directory: KeyDirectory
    ) throws(KeyStoreError) -> [(alias: KeyAlias, bytes: [UInt8])] {
        var others: [(alias: KeyAlias, bytes: [UInt8])] = []
        for alias in try aliases(in: directory) {
            // What cannot be read is not this key's business: it is reported when it is loaded.
            let bytes = try? directory.read(Self.fileName(alias), maximumCount: KeyFileObject.maximumCount)
            if let bytes = bytes ?? nil { others.append((alias, bytes)) }
        }
        return others
    }
}
#endif
