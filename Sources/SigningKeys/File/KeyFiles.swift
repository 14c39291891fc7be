// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(macOS)
import Dispatch
import JOSE

/// The common part of all file stores: one file per key, in one directory.
struct KeyFiles<Codec: KeyFileCodec>: Sendable {
    private static var suffix: String { ".key" }

    private let path: String
    private let codec: Codec
    /// The timeout for other processes.
    private let timeout: Duration
    /// A separate serial queue, because files and scrypt block.
    private let queue = DispatchQueue(label: "keybound.key-files")

    init(path: String, codec: Codec, timeout: Duration) {
        self.path = path
        self.codec = codec
        self.timeout = timeout
    }

    func loadOrGenerate(
        _ alias: KeyAlias,
        _ algorithm: SignatureAlgorithm,
        reporting report: @escaping @Sendable (KeyEvent) -> Void
    ) async throws(KeyStoreError) -> Codec.Key {
        try await queue.run { () throws(KeyStoreError) in
            let directory = try KeyDirectory(creatingAt: path)
            if let key = try load(alias, in: directory) { return try key.signing(with: algorithm) }
            return try directory.withLock(timeout: timeout) { () throws(KeyStoreError) in
                try generate(alias, algorithm, in: directory, report)
            }
        }
    }

    func load(_ alias: KeyAlias) async throws(KeyStoreError) -> Codec.Key? {
        try await queue.run { () throws(KeyStoreError) in
            guard let directory = try KeyDirectory(at: path) else { return nil }
            return try load(alias, in: directory)
        }
    }

    func aliases() async throws(KeyStoreError) -> [KeyAlias] {
        try await queue.run { () throws(KeyStoreError) in
            guard let directory = try KeyDirectory(at: path) else { return [] }
            return try directory.aliases(withSuffix: Self.suffix)
        }
    }

    /// The first alias with a file that a function accepts; an unreadable file is passed over.
    func alias(
        where accepts: @escaping @Sendable (_ bytes: [UInt8], _ alias: KeyAlias) -> Bool
    ) async throws(KeyStoreError) -> KeyAlias? {
        try await queue.run { () throws(KeyStoreError) in
            guard let directory = try KeyDirectory(at: path) else { return nil }
            return try contents(of: directory).first { accepts($0.bytes, $0.alias) }?.alias
        }
    }

    func delete(_ alias: KeyAlias) async throws(KeyStoreError) {
        try await queue.run { () throws(KeyStoreError) in
            guard let directory = try KeyDirectory(at: path) else { return }
            try directory.withLock(timeout: timeout) { () throws(KeyStoreError) in
                try directory.remove(Self.fileName(alias))
                // One of them may contain the private key, if its writer was interrupted after naming the key.
                try directory.removeLeftovers()
                if try directory.aliases(withSuffix: Self.suffix).isEmpty { codec.forgetSecret() }
            }
        }
    }

    private static func fileName(_ alias: KeyAlias) -> String { alias.text + suffix }

    private func load(
        _ alias: KeyAlias,
        in directory: KeyDirectory
    ) throws(KeyStoreError)
        -> Codec.Key?
    {
        guard let bytes = try directory.read(Self.fileName(alias), maximumCount: KeyFileObject.maximumCount) else {
            return nil
        }
        do throws(KeyStoreError) {
            return try codec.decode(bytes, alias: alias)
        } catch {
            guard error.code == .deviceUnavailable else { throw error }
            // The file shows that there is a key: without its device, no other store may make a second one.
            throw KeyStoreError(error.code, error.reason, underlying: error.underlying, forbidsFallback: true)
        }
    }

    /// Called under the lock.
    private func generate(
        _ alias: KeyAlias,
        _ algorithm: SignatureAlgorithm,
        in directory: KeyDirectory,
        _ report: (KeyEvent) -> Void
    ) throws(KeyStoreError) -> Codec.Key {
        // Another process may have made it while this one waited.
        if let key = try load(alias, in: directory) { return try key.signing(with: algorithm) }
        try directory.removeLeftovers()
        let made = try codec.generate(algorithm, alias: alias, others: contents(of: directory))
        if try directory.publish(made.bytes, as: Self.fileName(alias)) {
            report(.made(made.key, alias))
            return made.key
        }
        guard let winner = try load(alias, in: directory) else {
            throw KeyStoreError(.storageFailed, "the key file appeared and disappeared: another process deletes keys")
        }
        return try winner.signing(with: algorithm)
    }

    private func contents(
        of directory: KeyDirectory
    ) throws(KeyStoreError) -> [(alias: KeyAlias, bytes: [UInt8])] {
        var contents: [(alias: KeyAlias, bytes: [UInt8])] = []
        for alias in try directory.aliases(withSuffix: Self.suffix) {
            // An unreadable file does not affect other keys: loading it reports the error.
            let bytes = try? directory.read(Self.fileName(alias), maximumCount: KeyFileObject.maximumCount)
            if let bytes = bytes ?? nil { contents.append((alias, bytes)) }
        }
        return contents
    }
}
#endif
