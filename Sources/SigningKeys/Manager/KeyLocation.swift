// SPDX-License-Identifier: Apache-2.0

/// A store of a ``KeyManager``, with a persistent name.
public struct KeyLocation: Sendable {
    /// The name that is recorded for each key; never reuse it for another store.
    public let name: String
    /// The store that makes and opens keys there.
    public let store: any KeyStore

    /// Names a store.
    ///
    /// - Parameters:
    ///   - name: The same in each run of the program: `tpm`, `secure-enclave`, `file`; at most 256 bytes.
    ///   - store: The store.
    public init(_ name: String, _ store: any KeyStore) {
        self.name = name
        self.store = store
    }
}
